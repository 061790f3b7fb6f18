/** Who the operator is, to the platform. All of it may change while the process runs, but for app and version. */
export interface Identity {
  readonly apiKey: string;
  readonly mfaId: string;
  readonly version: string;
  readonly clusterName: string;
  readonly namespace: string;
}

export const handshakeHeaderNames = [
  'x-authorization',
  'x-cluster-mfa-id',
  'x-app',
  'x-app-version',
  'x-cluster-name',
  'x-app-namespace',
] as const;
export type HandshakeHeaders = Readonly<Record<(typeof handshakeHeaderNames)[number], string>>;

/** Headers of every dial to the platform. The key goes raw, without `Bearer`. */
export function handshakeHeaders(identity: Identity): HandshakeHeaders {
  return {
    'x-authorization': identity.apiKey,
    'x-cluster-mfa-id': identity.mfaId,
    'x-app': 'k8s',
    'x-app-version': identity.version,
    'x-cluster-name': identity.clusterName,
    'x-app-namespace': identity.namespace,
  };
}
