import { type OperatorError, StoreUnsuitable } from '../../domain/errors.ts';
import { asList, asText } from './reply.ts';
import type { Wire } from './wire.ts';

/** `fsync`: an answer waits for the disk. `everysec`: a crash of Valkey may lose a second. `memory`: a restart may lose all. */
export type Durability = 'fsync' | 'everysec' | 'memory';

export interface Found {
  readonly server: 'valkey' | 'redis';
  readonly version: string;
  readonly maxmemory: number;
  readonly appendonly: boolean;
  /** Undefined where CONFIG is not permitted. */
  readonly appendfsync: string | undefined;
  /** What falls short of the stated durability or bound, for people. Empty when all is well. */
  readonly warnings: readonly string[];
}

/** Looks at the server's settings. Throws StoreUnsuitable, naming the fix, when the log must not be kept there. */
export async function examine(wire: Wire, durability: Durability): Promise<Found> {
  const info = fields(asText(await wire.send('INFO', [])));
  const [server, version]: ['valkey' | 'redis', string] = info.valkey_version
    ? ['valkey', info.valkey_version]
    : ['redis', info.redis_version ?? '0'];
  if (!atLeast(version, [7, 2])) {
    throw unsuitable(`${server} ${version} is too old`, 'Run Valkey 8 or newer, or Redis 7.2 or newer');
  }
  if (info.role === 'slave') throw unsuitable('it is a read-only replica', 'Point MO_VALKEY_ADDR at the primary');
  const policy = info.maxmemory_policy;
  if (policy !== undefined && policy !== 'noeviction') {
    throw unsuitable(
      `maxmemory-policy is ${policy}, which would evict parts of the log`,
      'Run CONFIG SET maxmemory-policy noeviction, and set it in its configuration file',
    );
  }
  const appendonly = info.aof_enabled === '1';
  const appendfsync = await setting(wire, 'appendfsync');
  const maxmemory = Number(info.maxmemory ?? 0);
  if (durability === 'fsync' && !appendonly) {
    throw unsuitable(
      'durability is fsync and appendonly is off',
      'Run CONFIG SET appendonly yes, or choose MO_EVENT_DURABILITY=everysec or memory',
    );
  }
  const warnings = [
    ...(durability === 'fsync' && appendfsync !== undefined && appendfsync !== 'always'
      ? [`durability is fsync and appendfsync is ${appendfsync}: each answer waits up to a second; run CONFIG SET appendfsync always`]
      : []),
    ...(durability === 'everysec' && !appendonly
      ? ['appendonly is off: a restart of Valkey loses the log; run CONFIG SET appendonly yes']
      : []),
    ...(durability === 'everysec' && appendonly && appendfsync === 'no'
      ? ['appendfsync is no: a crash may lose more than a second; run CONFIG SET appendfsync everysec']
      : []),
    ...(durability === 'memory' ? ['durability is memory: a restart of Valkey may lose the log'] : []),
    ...(maxmemory === 0
      ? ['maxmemory is 0: Valkey grows until the machine has no memory left; set a bound above the budget of the log']
      : []),
  ];
  return { server, version, maxmemory, appendonly, appendfsync, warnings };
}

const unsuitable = (reason: string, remedy: string): OperatorError => StoreUnsuitable({ reason, remedy });

/** `INFO` as name -> value. */
export function fields(info: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    info.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)]] : [];
    }),
  );
}

/** Managed services often forbid CONFIG: unknown is not the same as unsuitable. */
async function setting(wire: Wire, name: string): Promise<string | undefined> {
  const reply = await wire.send('CONFIG', ['GET', name]).catch(() => undefined);
  if (reply === undefined) return undefined;
  const [, value] = asList(reply);
  return typeof value === 'string' ? value : undefined;
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split('.').map(Number);
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}
