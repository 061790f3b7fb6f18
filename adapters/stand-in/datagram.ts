import { deflateSync, inflateSync } from 'node:zlib';
import { z } from 'zod';

/** What an operator sends, as this side reads it: the payload is decompressed. */
const outbound = z.object({
  id: z.string().min(1),
  pattern: z.string(),
  payload: z.unknown().optional(),
  user: z.record(z.string(), z.unknown()),
  workspace: z.string().optional(),
  err: z.string().optional(),
  zlib: z.boolean().optional(),
});
export type OperatorDatagram = z.infer<typeof outbound>;

/** Throws when the frame is not what the protocol says. */
export function readDatagram(text: string): OperatorDatagram {
  const datagram = outbound.parse(JSON.parse(text));
  if (!datagram.zlib) return datagram;
  const payload: unknown = JSON.parse(inflateSync(Buffer.from(z.string().parse(datagram.payload), 'base64')).toString('utf8'));
  return { ...datagram, payload };
}

export interface PlatformRequest {
  readonly id?: string;
  readonly pattern: string;
  readonly payload?: unknown;
  readonly user?: unknown;
  readonly workspace?: string;
}

/** A request as text; with `zlib` its payload goes compressed. */
export function writeRequest(request: PlatformRequest, zlib: boolean): string {
  if (!zlib || request.payload === undefined) return JSON.stringify(request);
  return JSON.stringify({ ...request, payload: deflateSync(JSON.stringify(request.payload)).toString('base64'), zlib: true });
}
