import { generate } from 'selfsigned';

export interface Certificates {
  /** PEM of the authority that signed both. */
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

const strong = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
const named = (name: string) => [{ name: 'commonName', value: name }];

/** An authority made for this process alone, a server certificate for this machine, and a client certificate. `now` in epoch ms. */
export async function makeCertificates(now: number): Promise<Certificates> {
  const dates = { notBeforeDate: new Date(now - 3_600_000), notAfterDate: new Date(now + 30 * 86_400_000) };
  const authority = await generate(named('sandbox-ca'), {
    ...strong,
    ...dates,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  const ca = { key: authority.private, cert: authority.cert };
  const server = await generate(named('kube-apiserver'), {
    ...strong,
    ...dates,
    ca,
    extensions: [
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  const client = await generate(named('admin'), { ...strong, ...dates, ca, extensions: [{ name: 'extKeyUsage', clientAuth: true }] });
  return { ca: authority.cert, server: { cert: server.cert, key: server.private }, client: { cert: client.cert, key: client.private } };
}
