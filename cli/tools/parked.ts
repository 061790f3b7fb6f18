import { z } from 'zod';
import { shapes } from '../client/index.ts';
import { exit, type Io, type OperatorCommand } from '../frame/index.ts';
import { type Column, printRows } from '../print/index.ts';
import { common, connect, talks } from './connect.ts';
import { between } from './options.ts';

const listing = common.extend({ limit: z.number(), offset: z.number() });

const columns: readonly Column<shapes.ParkedRow>[] = [
  { title: 'SINCE', of: (row) => row.since },
  { title: 'ID', of: (row) => row.command },
  { title: 'PATTERN', of: (row) => row.pattern },
  { title: 'AGGREGATE', of: (row) => row.aggregate },
  { title: 'ATTEMPTS', of: (row) => String(row.attempts) },
  { title: 'REASON', of: (row) => row.reason, fills: true, colour: () => 'yellow' },
];

/** `parked`: commands that were given up and wait for a person. */
export function parked(parent: OperatorCommand, io: Io, done: (code: number) => void): void {
  const group = parent.command('parked').description('Commands that were given up after too many attempts and wait for a person.');

  talks(group.command('list', { isDefault: true }))
    .description('Lists parked commands, newest first.')
    .option('--limit <n>', 'most commands', between(1, 1000), 50)
    .option('--offset <n>', 'commands passed over', between(0, 1e9), 0)
    .examples(['all of them', 'parked'], ['try one again after its cause is mended', 'parked retry q7Kd'])
    .action(async (given: unknown) => {
      const { output, limit, offset, ...rest } = listing.parse(given);
      const answer = await connect(io, { output, ...rest }).get('/api/v1/parked', shapes.page(shapes.parked), { limit, offset });
      await printRows(io, output, answer.items, columns, 'Nothing is parked.');
      done(exit.ok);
    });

  const act = (verb: 'retry' | 'discard', description: string, said: string) =>
    talks(group.command(verb).argument('<id>', 'the id of the command'))
      .description(description)
      .action(async (id: string, given: unknown) => {
        const client = connect(io, common.parse(given));
        await client.post(`/api/v1/parked/${encodeURIComponent(id)}/${verb}`, z.unknown(), {});
        io.err.write(`${id} ${said}\n`);
        done(exit.ok);
      });
  act('retry', 'Puts a parked command at the end of its queue again. Mend the cause first.', 'waits in its queue again');
  act('discard', 'Ends a parked command as failed. It is not done; who sent it gets that answer.', 'is discarded');
}
