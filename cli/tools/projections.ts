import { z } from 'zod';
import { type Client, shapes } from '../client/index.ts';
import { CommandFailed, exit, type Io, type OperatorCommand } from '../frame/index.ts';
import { type Column, type Format, printOne, printRows, progress } from '../print/index.ts';
import { common, connect, talks } from './connect.ts';

const columns: readonly Column<shapes.ProjectionRow>[] = [
  { title: 'NAME', of: (row) => row.name },
  { title: 'KIND', of: (row) => row.kind },
  { title: 'VERSION', of: (row) => `${row.version}.${row.generation}` },
  { title: 'POSITION', of: (row) => row.position },
  { title: 'LAG', of: (row) => String(row.lag), colour: (row) => (row.lag > 1000 ? 'yellow' : undefined) },
  {
    title: 'STATE',
    of: (row) => (row.progress === undefined ? row.state : `${row.state} ${Math.floor(row.progress * 100)}%`),
    colour: (row) => (row.state === 'stopped' ? 'red' : row.state === 'running' ? 'green' : undefined),
  },
  { title: 'SKIPPED', of: (row) => String(row.skipped) },
  { title: 'REASON', of: (row) => row.reason ?? '', fills: true },
];

/** `projections`: the views that are folded from the log. */
export function projections(parent: OperatorCommand, io: Io, done: (code: number) => void): void {
  const group = parent.command('projections').description('Views folded from the log: where they stand, rebuilding and verifying them.');

  talks(group.command('list', { isDefault: true }))
    .description('Lists the projections, where they stand in the log and how far behind they are.')
    .examples(['where they stand', 'projections'])
    .action(async (given: unknown) => {
      const chosen = common.parse(given);
      const { items } = await connect(io, chosen).get('/api/v1/projections', shapes.page(shapes.projection));
      await printRows(io, chosen.output, items, columns, 'No projections.');
      done(exit.ok);
    });

  talks(group.command('rebuild').argument('<name>', 'the projection'))
    .description(
      'Builds the view anew from the log, beside the live one, and switches when it has caught up. Readers see the old one until then.',
    )
    .examples(['after a fold was mended', 'projections rebuild audit-log'])
    .action(async (name: string, given: unknown) => {
      const chosen = common.parse(given);
      const answer = await work(connect(io, chosen), io, name, 'rebuild', shapes.projection);
      await report(io, chosen.output, answer, `${name} is rebuilt and live at ${answer.position}`);
      done(exit.ok);
    });

  talks(group.command('verify').argument('<name>', 'the projection'))
    .description('Builds the view into a scratch place and compares it with the live one, row by row. Exits 1 when they differ.')
    .examples(['is the view what the log says', 'projections verify audit-log'])
    .action(async (name: string, given: unknown) => {
      const chosen = common.parse(given);
      const answer = await work(connect(io, chosen), io, name, 'verify', shapes.verified);
      await report(io, chosen.output, answer, answer.equal ? `${name}: ${answer.rows} rows, equal to a rebuild from the log` : undefined);
      if (!answer.equal)
        throw new CommandFailed(`${name} differs from a rebuild from the log in ${answer.differences.length} rows`, {
          hint: `\`mogenius-operator projections rebuild ${name}\` makes it anew. Keep the differences: they are a bug.`,
        });
      done(exit.ok);
    });
}

async function report(io: Io, format: Format, answer: unknown, said: string | undefined): Promise<void> {
  if (format === 'table' && said !== undefined) io.err.write(`${said}\n`);
  else await printOne(io, format, answer);
}

/** Starts the work and shows how far it is; resolves with its answer. Leaving early leaves the work to the operator. */
async function work<T>(client: Client, io: Io, name: string, verb: 'rebuild' | 'verify', answer: z.ZodType<T>): Promise<T> {
  const bar = await progress(io, `${verb} ${name}`);
  try {
    for await (const message of client.stream(`/api/v1/projections/${encodeURIComponent(name)}/${verb}`, { body: {} })) {
      const data: unknown = JSON.parse(message.data);
      if (message.event === 'progress') {
        const { progress: share } = z.looseObject({ progress: z.number() }).parse(data);
        bar.at(share, '');
      } else if (message.event === 'error') {
        const { message: text } = z.looseObject({ message: z.string() }).parse(data);
        throw new CommandFailed(`${verb} of ${name} failed: ${text}`);
      } else if (message.event === 'answer' || message.event === 'done') return answer.parse(data);
    }
    throw new CommandFailed(`the connection ended before ${verb} of ${name} did`, {
      hint: '`mogenius-operator projections` shows how far it is.',
    });
  } finally {
    bar.stop();
  }
}
