import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

function flood(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'flood.ts'), ...args]);
  child.stderr.pause(); // nobody reads standard error
  return child;
}

it('goes on when nobody reads the log, counts what it drops, and says so as soon as somebody reads', async () => {
  const child = flood();
  const [said] = await once(child.stdout, 'data');
  const { dropped } = JSON.parse(String(said));
  expect(dropped).toBeGreaterThan(1000);
  const log = text(child.stderr);
  child.stdin.write('read\n');
  const lines = (await log).trimEnd().split('\n');
  expect(lines[0]).toContain('line 0 ');
  expect(lines).toContain(`note: ${dropped} dropped`);
  expect(lines.at(-1)).toContain('later');
  expect(lines).toHaveLength(5000 - dropped + 2);
});

it('ends although nobody ever reads the log', async () => {
  const child = flood('leave');
  await once(child.stdout, 'data');
  const [code] = await once(child, 'exit');
  expect(code).toBe(7);
  child.stderr.destroy();
});
