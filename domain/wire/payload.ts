import type { Datagram } from './datagram.ts';

/** What a compressed payload may grow to. */
export const largestPayload = 64 * 1024 * 1024;

/** Turns the base64 of an RFC 1950 stream into its text; rejects beyond `maxBytes` of output, with a sentence as message. */
export type Inflate = (base64: string, maxBytes: number) => Promise<string>;

export type Unpacked =
  | { readonly outcome: 'datagram'; readonly datagram: Datagram }
  | { readonly outcome: 'refused'; readonly text: string };

/** The datagram with its payload decompressed; `zlib` is gone from it. What isn't compressed passes as it is. */
export async function unpack(datagram: Datagram, inflate: Inflate): Promise<Unpacked> {
  const { zlib, payload, ...rest } = datagram;
  if (!zlib || payload === undefined) return { outcome: 'datagram', datagram };
  if (typeof payload !== 'string') return refused('the payload is no base64 text');
  let text: string;
  try {
    text = await inflate(payload, largestPayload);
  } catch (error) {
    return refused(error instanceof Error ? error.message : 'it cannot be read');
  }
  try {
    const value: unknown = JSON.parse(text);
    return { outcome: 'datagram', datagram: value === null ? rest : { ...rest, payload: value } };
  } catch {
    return refused('the decompressed payload is no valid JSON');
  }
}

const refused = (why: string): Unpacked => ({ outcome: 'refused', text: `failed to decompress payload: ${why}` });
