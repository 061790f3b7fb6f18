/** A key of one cluster's store: what docs/events.md says about it is this list. */
export interface KeyDoc {
  readonly name: string;
  readonly type: 'stream' | 'hash' | 'sorted set' | 'list' | 'string';
  readonly holds: string;
  readonly bound: string;
}

/**
 * Everything that one cluster keeps in Valkey beside the views. All names start with the hash tag `{<cluster id>}`, so that one slot of a
 * Valkey Cluster holds them all and one function can change them at once.
 */
export const keys: readonly KeyDoc[] = [
  {
    name: 'log',
    type: 'stream',
    holds: 'every event in one order: `<version>[!]<JSON>` in the field `e`; `!` marks the last event of an object',
    bound: 'retention: trimmed once archived, never past an open command',
  },
  {
    name: 'versions',
    type: 'hash',
    holds: 'stream name -> version of its last event',
    bound: 'command streams and objects that are gone leave with the trim of their last event',
  },
  {
    name: 'positions:<stream>',
    type: 'list',
    holds: 'positions of one stream in the order of its versions, for streams that are read one by one',
    bound: 'entries leave with the trim of their event',
  },
  {
    name: 'ids:<day>:<bucket>',
    type: 'hash',
    holds: 'append id -> `<position> <version> [<digest>] [d]`: the answer a repeat gets',
    bound: 'a day is unlinked after the following one, hourly and with every trim',
  },
  { name: 'ids:kept', type: 'string', holds: 'the oldest day of ids that may still be there', bound: 'one' },
  {
    name: 'seen',
    type: 'hash',
    holds: 'uid -> newest resourceVersion recorded',
    bound: 'leaves when the object is gone; a tombstone `gone/<uid>` stays in the ids',
  },
  { name: 'term', type: 'string', holds: 'the highest term that wrote', bound: 'one' },
  { name: 'mark', type: 'string', holds: 'position of the last outcome', bound: 'one' },
  { name: 'archived', type: 'string', holds: 'how far the log is archived and read back', bound: 'one' },
  { name: 'trimmed', type: 'string', holds: 'the last position that was trimmed', bound: 'one' },
  { name: 'fence', type: 'string', holds: 'the newest fence', bound: 'one' },
  {
    name: 'command:<id>',
    type: 'hash',
    holds: 'an open command: aggregate, digest, position, fence, attempts, steps, and why it was parked',
    bound: 'at most the bound of all queues; leaves with the outcome',
  },
  {
    name: 'queue:<aggregate>',
    type: 'list',
    holds: 'ids of the commands of one aggregate in order',
    bound: 'bound per aggregate; answered `full` there',
  },
  {
    name: 'ready',
    type: 'sorted set',
    holds: 'aggregate -> when its head may be claimed (ms); a half millisecond marks a lease',
    bound: 'one entry per queue',
  },
  {
    name: 'open',
    type: 'sorted set',
    holds: 'open commands by position, to know how far the log may be trimmed',
    bound: 'bound of all queues; answered `full` there',
  },
  {
    name: 'parked',
    type: 'sorted set',
    holds: 'parked commands by when they were parked (ms)',
    bound: 'counts in the bound of all queues',
  },
  {
    name: 'sealed:<command>',
    type: 'string',
    holds: 'the sealed request of a command, base64',
    bound: 'expires after deadline and grace (not while parked); leaves with the outcome',
  },
  { name: 'result:<command>', type: 'string', holds: 'the sealed result of a command, base64', bound: 'expires after a day' },
  {
    name: 'libraries',
    type: 'hash',
    holds: 'function library -> when a process last used it (ms)',
    bound: 'unused ones leave after a day',
  },
];

/** The hash tag. A brace in the id would end the tag early and spread the keys over slots. */
export function tagOf(clusterId: string): string {
  if (!/^[^{}\s]{1,200}$/.test(clusterId)) throw new TypeError('a cluster id has 1 to 200 characters, without spaces and braces');
  return `{${clusterId}}`;
}
