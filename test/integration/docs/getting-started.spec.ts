import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxCluster, type TestCluster } from '../../support/cluster/index.ts';
import { type Operator, startOperator } from '../../support/operator/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';

const root = resolve(import.meta.dirname, '../../..');
const page = readFileSync(resolve(root, 'docs/getting-started.md'), 'utf8');
const section = page.slice(page.indexOf('## Ask it by hand'), page.indexOf('## On your own cluster'));
const lines = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));

/** What a reader of the page sees for each of its lines, in order: the exit code, and a text that must be there. */
const expected: readonly (readonly [code: number, text: string])[] = [
  [0, 'valkey'],
  [0, 'Resource created successfully'],
  [0, 'first'],
  [0, 'create/workspace'],
  [1, "Field 'Name' failed validation, Condition: required"],
  [0, 'Resource deleted successfully'],
  [0, 'Resource deleted successfully'],
  [0, 'delete/workspace'],
  [0, 'CommandAccepted'],
];

describe.skipIf(noValkey)('docs/getting-started.md', () => {
  let valkey: ValkeyServer;
  let at: TestCluster;
  let operator: Operator;
  beforeAll(async () => {
    [valkey, at] = await Promise.all([valkeyServer({ appendonly: true, maxmemory: '256mb' }), sandboxCluster('docs')]);
    operator = await startOperator({
      kubeconfig: at.kubeconfig,
      valkey: `${valkey.host}:${valkey.port}`,
      namespace: at.namespace,
      clusterId: randomUUID(),
    });
  });
  afterAll(async () => {
    await operator?.stop();
    await Promise.all([at?.stop(), valkey?.stop()]);
  });

  /** Not synchronously: the Kubernetes API that the operator needs runs in this process. */
  const run = (line: string) =>
    new Promise<{ line: string; status: number; output: string }>((settle) => {
      const env = { ...process.env, MO_SERVER: operator.http };
      execFile('sh', ['-c', line], { cwd: root, env }, (error, stdout, stderr) =>
        settle({ line, status: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
      );
    });

  test('every line of "Ask it by hand" does what the page says', async () => {
    const seen: Awaited<ReturnType<typeof run>>[] = [];
    for (const line of lines) seen.push(await run(line));
    expect(lines).toHaveLength(expected.length);
    for (const [n, { line, status, output }] of seen.entries()) {
      const [code, text] = expected[n] ?? [0, ''];
      expect({ line, status, output }).toEqual({ line, status: code, output: expect.stringContaining(text) });
    }
  });
});
