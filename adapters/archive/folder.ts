import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The cluster's id as the name of a folder. Ids come from outside: nothing in one may lead elsewhere. */
export function folderName(cluster: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(cluster)) return cluster;
  return `id-${createHash('sha256').update(cluster).digest('hex')}`;
}

export const segmentName = (number: number): string => `segment-${String(number).padStart(10, '0')}.jsonl.zst`;
const segmentText = /^segment-(\d{10})\.jsonl\.zst$/;
const partText = /^\.part-[0-9a-f-]{36}$/;

/** A writer that lives writes at least once in this time; what is older was left by one that died. Milliseconds. */
const abandonedAfter = 3_600_000;

/** The segment files of one cluster. Half-written ones have another name, which no reader looks at. */
export interface Folder {
  path(number: number): string;
  /** Numbers of the segments there are, in order. */
  numbers(): Promise<readonly number[]>;
  /** Runs `write` on a new file and gives it its name when it is whole. False when the name was taken meanwhile: nothing is left then. */
  create(number: number, write: (file: FileHandle) => Promise<void>): Promise<boolean>;
}

export function createFolder(root: string, cluster: string): Folder {
  const folder = join(root, folderName(cluster));
  const path = (number: number) => join(folder, segmentName(number));
  return {
    path,
    async numbers() {
      const names = await readdir(folder).catch((error: unknown) => (isCode(error, 'ENOENT') ? [] : Promise.reject(error)));
      return names.flatMap((name) => segmentText.exec(name)?.slice(1, 2).map(Number) ?? []).sort((a, b) => a - b);
    },
    async create(number, write) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const part = join(folder, `.part-${randomUUID()}`);
      const file = await open(part, 'wx', 0o600);
      try {
        await removeAbandoned(folder, (await file.stat()).mtimeMs);
        try {
          await write(file);
        } finally {
          await file.close();
        }
        if (!(await take(part, path(number)))) return false;
        await syncFolder(folder);
        return true;
      } finally {
        await rm(part, { force: true });
      }
    },
  };
}

/** Gives the file its name unless somebody else has it: `rename` alone would put one leader's segment over another's. */
async function take(part: string, name: string): Promise<boolean> {
  try {
    await link(part, name);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].some((code) => isCode(error, code))) throw error;
  }
  // Some network file systems know no links. There the term of the leader is what keeps a second writer away.
  const taken = await stat(name).then(
    () => true,
    (error: unknown) => (isCode(error, 'ENOENT') ? false : Promise.reject(error)),
  );
  if (!taken) await rename(part, name);
  return !taken;
}

/** `now` is the file system's own clock, which may not be ours. */
async function removeAbandoned(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!partText.test(name)) continue;
    const file = join(folder, name);
    const age = await stat(file).then(
      ({ mtimeMs }) => now - mtimeMs,
      () => 0,
    );
    if (age > abandonedAfter) await rm(file, { force: true });
  }
}

/** Makes the name itself durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'].some((code) => isCode(error, code))) throw error;
  } finally {
    await handle.close();
  }
}

export const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
