import { z } from 'zod';
import { shapes } from '../client/index.ts';
import { exit, type Io, type OperatorCommand } from '../frame/index.ts';
import { type Column, printRows } from '../print/index.ts';
import { common, connect, talks } from './connect.ts';
import { between } from './options.ts';

const options = common.extend({ workspace: z.string().optional(), search: z.string().optional(), limit: z.number(), offset: z.number() });

const columns: readonly Column<shapes.AuditRow>[] = [
  { title: 'TIME', of: (entry) => entry.createdAt },
  { title: 'WHO', of: (entry) => entry.user.email ?? '-' },
  { title: 'PATTERN', of: (entry) => entry.pattern },
  { title: 'WHAT', of: (entry) => [entry.kind, [entry.namespace, entry.name].filter(Boolean).join('/')].filter(Boolean).join(' ') || '-' },
  {
    title: 'OUTCOME',
    of: (entry) => entry.outcome ?? (entry.success ? 'succeeded' : 'failed'),
    colour: (entry) => (entry.success ? 'green' : entry.outcome === 'pending' ? 'yellow' : 'red'),
  },
  { title: 'ERROR', of: (entry) => entry.error ?? '', fills: true },
];

/** `audit`: who did what, newest first. */
export function audit(parent: OperatorCommand, io: Io, done: (code: number) => void): void {
  talks(parent.command('audit'))
    .summary('who did what, newest first')
    .description(
      'Lists the audit log, newest first. Every command stands in it before it has an effect; -o yaml shows diffs and the chain of events.',
    )
    .option('--workspace <name>', 'only entries of this workspace')
    .option('--search <text>', 'only entries that hold the text')
    .option('--limit <n>', 'most entries', between(1, 1000), 50)
    .option('--offset <n>', 'entries passed over', between(0, 1e9), 0)
    .examples(['the last ten', 'audit --limit 10'], ['what happened to a workspace, with diffs', 'audit --workspace shop -o yaml'])
    .action(async (given: unknown) => {
      const { output, limit, offset, workspace, search, ...rest } = options.parse(given);
      const answer = await connect(io, { output, ...rest }).get('/api/v1/audit-log', shapes.auditPage, {
        limit,
        offset,
        workspace,
        search,
      });
      await printRows(io, output, answer.items, columns, 'No entries.');
      if (output === 'table' && answer.total > offset + answer.items.length)
        io.err.write(`${answer.total - offset - answer.items.length} more: --offset ${offset + answer.items.length}\n`);
      done(exit.ok);
    });
}
