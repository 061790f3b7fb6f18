import type { Attribution } from '../domain/command/index.ts';
import { type Position, timeOf } from '../domain/event/index.ts';

/** Pattern of the entries of the AI chat, which belong to a workspace instead of a namespace. */
const chat = 'ai-chat';

/** A name from outside as a part of an index name: bounded, and without control characters. */
const safe = (text: string): string => text.slice(0, 512).replace(/\p{Cc}/gu, '?');

export const namespaceIndex = (namespace: string): string => `ns:${safe(namespace)}`;
export const workspaceIndex = (workspace: string): string => `ws:${safe(workspace)}`;
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
      ...(workspace ? { [workspaceIndex(workspace)]: score } : {}),
    },
  };
}

/**
 * Newest first is by the millisecond the request came in; those of one millisecond stand in the order of the log. A score has 12 bits left
 * behind the millisecond: 4 for how much later it was recorded (by the store's clock, which may be a little behind ours), 8 for the sequence.
 */
export function scoreOf(receivedAt: string, position: Position): number {
  const recorded = timeOf(position);
  const received = Date.parse(receivedAt);
  if (Number.isNaN(received)) return recorded;
  const later = clamp(recorded - received + 4, 15);
  return received + (later * 256 + clamp(Number(position.slice(position.indexOf('-') + 1)), 255)) / 4096;
}

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
