import { z } from 'zod';
import { shapes } from '../client/index.ts';
import { exit, type Io, type OperatorCommand } from '../frame/index.ts';
import { type Colour, type Column, printOne, printRows } from '../print/index.ts';
import { common, connect, talks } from './connect.ts';
import { between } from './options.ts';

const listing = common.extend({ limit: z.number(), offset: z.number(), phase: z.string().optional() });

const colours: Readonly<Record<string, Colour>> = {
  succeeded: 'green',
  failed: 'red',
  abandoned: 'red',
  parked: 'yellow',
  accepted: 'dim',
};

const columns: readonly Column<shapes.CommandRow>[] = [
  { title: 'SINCE', of: (row) => row.since },
  { title: 'ID', of: (row) => row.id },
  { title: 'PATTERN', of: (row) => row.pattern },
  { title: 'AGGREGATE', of: (row) => row.aggregate },
  { title: 'WHO', of: (row) => row.actor?.email ?? row.actor?.name ?? row.actor?.source ?? '-' },
  { title: 'PHASE', of: (row) => row.phase, colour: (row) => colours[row.phase] },
  { title: 'ERROR', of: (row) => row.error?.message ?? '', fills: true },
];

/** `commands`: what was asked of the operator and what became of it. */
export function commands(parent: OperatorCommand, io: Io, done: (code: number) => void): void {
  const group = parent.command('commands').description('Commands the operator accepted, and what became of them.');

  talks(group.command('list', { isDefault: true }))
    .description('Lists commands, newest first.')
    .option('--phase <phase>', 'only these: accepted, succeeded, failed, abandoned, parked')
    .option('--limit <n>', 'most commands', between(1, 1000), 50)
    .option('--offset <n>', 'commands passed over', between(0, 1e9), 0)
    .examples(['what failed lately', 'commands list --phase failed'], ['one with all its events', 'commands show q7Kd'])
    .action(async (given: unknown) => {
      const { output, limit, offset, phase, ...rest } = listing.parse(given);
      const answer = await connect(io, { output, ...rest }).get('/api/v1/commands', shapes.page(shapes.command), { limit, offset, phase });
      await printRows(io, output, answer.items, columns, 'No commands.');
      done(exit.ok);
    });

  talks(group.command('show').argument('<id>', 'the id of the command'))
    .description('One command and the chain of events it led to, in the order of the log.')
    .examples(['as YAML', 'commands show q7Kd'], ['for a program', 'commands show q7Kd -o json'])
    .action(async (id: string, given: unknown) => {
      const chosen = common.parse(given);
      const client = connect(io, chosen);
      const path = `/api/v1/commands/${encodeURIComponent(id)}`;
      const command = await client.get(path, shapes.command);
      const { items } = await client.get(`${path}/chain`, shapes.page(shapes.event));
      await printOne(io, chosen.output, { command, chain: items });
      done(exit.ok);
    });
}
