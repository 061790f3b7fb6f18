import { expect, test } from 'vitest';
import { openHttp } from '../support/http/index.ts';

// Followers gather events for 20 ms unless somebody waits: `commands list` right after a command that failed came back empty.
test('views are read only when they have seen what was finished before the request', async () => {
  const asked: (readonly string[])[] = [];
  let seen = false;
  const http = await openHttp({
    parts: {
      async fresh(views) {
        asked.push(views);
        await new Promise((resolve) => setImmediate(resolve));
        seen = true;
        return undefined;
      },
      commandQueries: { one: async () => undefined, chain: async () => [], list: async () => ({ items: [], total: seen ? 1 : 0 }) },
    },
  });
  expect(await http.call('/api/v1/commands?phase=failed')).toMatchObject({ status: 200, body: { total: 1 } });
  for (const path of ['commands/c1', 'commands/c1/chain', 'audit-log', 'audit-log/c1']) await http.call(`/api/v1/${path}`);
  expect(asked).toEqual([['command-status'], ['command-status'], ['command-status'], ['audit-log'], ['audit-log']]);
  await http.stop();
});

test('what may be stale says so, rather than fail', async () => {
  const reason = 'this answer may be stale: the view has not caught up with the log';
  const http = await openHttp({ parts: { fresh: async () => reason } });
  const { status, headers } = await http.call('/api/v1/commands');
  expect([status, headers.get('x-mogenius-stale')]).toEqual([200, reason]);
  await http.stop();
});
