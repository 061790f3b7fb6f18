import { z } from 'zod';
import { type Io, OperatorCommand } from './frame/index.ts';
import { formats } from './print/index.ts';
import { audit } from './tools/audit.ts';
import { commands } from './tools/commands.ts';
import { doctor } from './tools/doctor/index.ts';
import { events } from './tools/events.ts';
import { later } from './tools/later.ts';
import { outputOption } from './tools/options.ts';
import { parked } from './tools/parked.ts';
import { projections } from './tools/projections.ts';
import { run } from './tools/run.ts';

const printing = z.object({ output: z.enum(formats) });

/** The command line. `done` gets the exit code of the command that ran. */
export function createProgram(io: Io, done: (code: number) => void): OperatorCommand {
  const program = new OperatorCommand('mogenius-operator')
    .description(
      'An event-sourced Kubernetes operator: every command, change and effect is an event in a log.\n\n' +
        '`cluster` runs the operator. The commands from `run` on are tools: they speak HTTP with a running one (--server).',
    )
    .configureOutput({ writeOut: io.out.write, writeErr: io.err.write, getOutHelpWidth: () => io.out.columns ?? 100 })
    .examples(
      ['run the operator with the settings of .env and the environment', 'cluster'],
      ['is everything it needs there', 'doctor'],
      ['watch what happens', 'events tail'],
    );

  outputOption(program.command('version'))
    .description('What this program is. Also what happens when no command is given.')
    .action(async (given: unknown) => done(await (await import('./process/version.ts')).version(io, printing.parse(given).output)));
  program
    .command('cluster')
    .description(
      'Runs the operator until it is stopped. The first SIGTERM or Ctrl-C lets it finish what it began (at most 30 s), the second ends it at once.',
    )
    .action(async () => {
      const { serve } = await import('./process/serve.ts');
      done(await serve(io, async () => (await import('./cluster.ts')).runCluster));
    });
  outputOption(program.command('config'))
    .description('Prints every setting with its description, default and present value. Secrets are masked.')
    .examples(['as env lines', 'config'], ['only what is not the default', `config -o json | jq '.[] | select(.from != "default")'`])
    .action(async (given: unknown) => done(await (await import('./process/config.ts')).config(io, printing.parse(given).output)));
  outputOption(program.command('system'))
    .description('Checks the settings and everything the operator depends on, without starting it. Exits 1 when something is missing.')
    .action(async (given: unknown) => done(await (await import('./process/system/index.ts')).system(io, printing.parse(given).output)));

  for (const add of [run, events, audit, commands, parked, projections, doctor]) add(program, io, done);
  later(program, io);
  return program;
}
