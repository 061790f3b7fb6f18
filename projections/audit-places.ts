import type { Attribution } from '../domain/command/index.ts';
import { type Position, timeOf } from '../domain/event/index.ts';

/** Pattern of the entries of the AI chat, which belong to a workspace instead of a namespace. */
const chat = 'ai-chat';

/** A name from outside as a part of an index name: bounded, and without control characters. */
function safe(text: string): string {
  const short = text.length > 512 ? text.slice(0, 512) : text;
  // Printable ASCII is nearly all there is, and looking for it is much cheaper than replacing.
  return /^[ -~]*$/.test(short) ? short : short.replace(/\p{Cc}/gu, '?');
}

export const namespaceIndex = (namespace: string): string => `ns:${safe(namespace)}`;
export const chatIndex = (workspace: string): string => `chat:${safe(workspace)}`;

export interface Filed {
  readonly pattern: string;
  readonly workspace: string | undefined;
  readonly about: Attribution | undefined;
}

/**
 * Where an entry is filed. The bucket, whose size is limited, is that of the intent: moved by the outcome, what a cap removes would depend
 * on how the log was cut into batches.
 */
export function indexes<Score extends number | 'same'>(
  { pattern, workspace, about = {} }: Filed,
  score: Score,
): { readonly bucket: string; readonly places: Readonly<Record<string, Score>> } {
  const { namespace = '', name = '' } = about;
  const bucket = `bucket:${namespace === '' && name === '' ? `_cluster/${safe(pattern)}` : `${safe(namespace)}/${safe(name)}`}`;
  const isChat = namespace === chat && (pattern === 'ai/chat' || pattern.startsWith('ai/tool/'));
  return {
    bucket,
    places: {
      ...(score === 'same' ? {} : { all: score, [bucket]: score }),
      ...(namespace !== '' && !isChat ? { [namespaceIndex(namespace)]: score } : {}),
      ...(isChat && workspace ? { [chatIndex(workspace)]: score } : {}),
    },
  };
}

/**
 * Newest first is by the millisecond the request came in; those of one millisecond stand in the order of the log. Three decimals have room for
 * that: one for how many milliseconds later it was recorded (by the store's clock, which may be a little behind ours), two for the sequence.
 */
export function scoreOf(receivedAt: string, position: Position): number {
  const recorded = timeOf(position);
  const received = Date.parse(receivedAt);
  if (Number.isNaN(received)) return recorded;
  const order = clamp(recorded - received + 3, 9) * 100 + clamp(Number(position.slice(position.indexOf('-') + 1)), 99);
  return received + order / 1_000;
}

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
