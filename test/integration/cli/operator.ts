import { onTestFinished } from 'vitest';
import { httpDouble } from './double.ts';
import { cli } from './terminal.ts';

/** A double of an operator for one test, and the command line pointed at it. */
export async function operator(answers: Parameters<typeof httpDouble>[0]) {
  const double = await httpDouble(answers);
  onTestFinished(double.close);
  const run = (...args: string[]) => cli([...args, '--server', double.url]);
  return { ...double, run };
}

/** An event as the API gives it. */
export const event = (position: string) => ({
  specversion: '1.0',
  id: `c1/accepted/${position}`,
  source: '/clusters/dev',
  type: 'CommandAccepted',
  subject: 'command/c1',
  time: '2026-01-02T03:04:05.678Z',
  position,
  version: 1,
  actor: { source: 'http', email: 'ann@example.com' },
  data: { pattern: 'create/workspace' },
});

export const list = (...items: unknown[]) => ({ items, total: items.length });
