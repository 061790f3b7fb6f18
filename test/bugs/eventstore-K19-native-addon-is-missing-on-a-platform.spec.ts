import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const program = `
  const { createEventStoreArchive } = await import('./adapters/eventstore/index.ts');
  const { cache } = (await import('node:module')).createRequire(import.meta.url);
  const loaded = (part) => Object.keys(cache).filter((path) => path.includes(part)).length;
  const clock = { sleep: () => new Promise(() => {}) };
  const archive = createEventStoreArchive({ url: 'esdb://127.0.0.1:1?tls=false', clusterId: 'test', clock });
  const before = loaded('@eventstore');
  const code = await archive.last().catch((error) => error.code);
  console.log(JSON.stringify({ before, after: loaded('@eventstore') > 0, native: loaded('.node'), code }));
  process.exit();`;

test('a process loads the library only when it asks an EventStoreDB, and then nothing native', () => {
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(JSON.parse(run.stdout || JSON.stringify(run.stderr))).toEqual({ before: 0, after: true, native: 0, code: 'ARCHIVE_UNAVAILABLE' });
});

test('the library brings no addon, so there is no platform on which it lacks one', () => {
  const names = readdirSync('node_modules/@eventstore', { recursive: true }).map(String);
  expect(names.filter((name) => name.endsWith('.node') || name.endsWith('binding.gyp'))).toEqual([]);
});
