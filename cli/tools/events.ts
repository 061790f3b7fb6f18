import { z } from 'zod';
import { shapes } from '../client/index.ts';
import { coloured, exit, type Io, type OperatorCommand } from '../frame/index.ts';
import { oneLine, paint, printOne } from '../print/index.ts';
import { common, connect, talks } from './connect.ts';
import { follow } from './follow.ts';
import { between, position } from './options.ts';
import { exportEvents, importEvents } from './transfer.ts';

const filters = { type: z.string().optional(), stream: z.string().optional(), command: z.string().optional() };
const tailing = common.extend({ ...filters, after: z.string().optional(), count: z.number().optional() });
const exporting = common.extend({ ...filters, after: z.string(), file: z.string() });

/** `events`: the log itself. */
export function events(parent: OperatorCommand, io: Io, done: (code: number) => void): void {
  const group = parent.command('events').description('The event log: everything that happened, in order. Events are CloudEvents.');

  filtered(talks(group.command('tail')))
    .description('Follows the log until Ctrl-C. A lost connection is taken up again without a gap. With -o json one event per line.')
    .option('--after <position>', 'begin behind this position (0-0: at the beginning; default: what comes from now on)', position)
    .option('-n, --count <n>', 'end after so many events', between(1, 1e9))
    .examples(
      ['everything from now on', 'events tail'],
      ['all changes of workspaces so far and on', 'events tail --after 0-0 --type ObjectChanged'],
    )
    .action(async (given: unknown) => {
      const { output, after, count, type, stream, command, ...rest } = tailing.parse(given);
      const client = connect(io, { output, ...rest });
      for await (const event of follow(client, io, { after, count, filter: { type, stream, command } })) {
        if (output === 'json') io.out.write(`${JSON.stringify(event)}\n`);
        else if (output === 'yaml') {
          io.out.write('---\n');
          await printOne(io, 'yaml', event);
        } else io.out.write(line(event, coloured(io, io.out)));
      }
      done(exit.ok);
    });

  talks(group.command('show').argument('<position>', 'where the event stands in the log', position))
    .description('One event with its data.')
    .examples(['the event at a position', 'events show 1719000000000-0'])
    .action(async (at: string, given: unknown) => {
      const chosen = common.parse(given);
      const event = await connect(io, chosen).get(`/api/v1/events/${at}`, shapes.event);
      await printOne(io, chosen.output, event);
      done(exit.ok);
    });

  filtered(talks(group.command('export')))
    .description('Writes events to a file, one CloudEvent as JSON per line, oldest first. A name that ends in .gz is compressed.')
    .option('--after <position>', 'begin behind this position', position, '0-0')
    .requiredOption('-f, --file <file>', 'where to write; - is standard output')
    .examples(['the whole log', 'events export -f log.jsonl.gz'], ['into another program', 'events export -f - | jq .type'])
    .action(async (given: unknown) => {
      const { output, after, file, type, stream, command, ...rest } = exporting.parse(given);
      done(await exportEvents(connect(io, { output, ...rest }), io, { after, file, filter: { type, stream, command } }));
    });

  talks(group.command('import').argument('<file>', 'a file that export wrote (.gz too); - is standard input'))
    .description(
      'Appends the events of an export to the log of this operator. Events it has already are passed over, so that a broken import is run again.',
    )
    .examples(['into a new cluster', 'events import log.jsonl.gz'])
    .action(async (file: string, given: unknown) => done(await importEvents(connect(io, common.parse(given)), io, file)));
}

function filtered(command: OperatorCommand): OperatorCommand {
  return command
    .option('--type <type>', 'only events of this type, e.g. CommandAccepted')
    .option('--stream <stream>', 'only events of streams that begin so, e.g. object/mogenius.com/')
    .option('--command <id>', 'only events of this command');
}

function line(event: shapes.EventRow, colour: boolean): string {
  const who = event.actor?.email ?? event.actor?.name ?? event.actor?.source;
  const parts = [
    paint(event.position, 'dim', colour),
    event.time,
    paint(event.type, 'bold', colour),
    event.subject,
    who ? `by ${who}` : '',
  ];
  return `${parts
    .filter(Boolean)
    .map((part) => (colour ? part : oneLine(part)))
    .join('  ')}\n`;
}
