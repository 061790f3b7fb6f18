export const buckets = 4096;

/**
 * Which of a day's small hashes an id lies in. 4,096 of them keep a million ids in lists of about 250, below the 512 up to which Valkey
 * stores a hash compactly. FNV-1a over UTF-16 units: even spread, nothing secret.
 */
export function bucketOf(id: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return String((hash >>> 0) % buckets);
}
