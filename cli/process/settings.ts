import { type Environment, readEnvironment } from '../../adapters/environment/index.ts';
import { createLog, openLineWriter, type RootLog } from '../../adapters/log/index.ts';
import { type Configuration, createConfiguration } from '../../domain/configuration/index.ts';
import { CommandFailed, coloured, type Io } from '../frame/index.ts';
import { printed } from './printed.ts';

/** The environment with `.env` below it. Throws `CommandFailed`. */
export function environmentOf(io: Io): Environment {
  try {
    return readEnvironment(io);
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error), {
      hint: 'Correct the line, or move the file away.',
      cause: error,
    });
  }
}

/** The configuration as it is, complete or not. */
export function settingsOf(io: Io): Configuration {
  return createConfiguration({ env: environmentOf(io), folder: io.folder });
}

/** The configuration, if nothing keeps the operator from running with it; else all that is wrong is printed at once. */
export function validSettings(io: Io): Configuration | undefined {
  const config = settingsOf(io);
  const problems = config.problems();
  if (problems.length === 0) return config;
  const errors = problems.map(({ text }) => `ERROR: ${text}\n`).join('');
  io.out.write(`Configuration Values\n\n\`\`\`env\n${printed(config)}\`\`\`\n\n${errors}`);
  io.out.write(`Found ${problems.length} error(s) when validating configuration values.\n`);
  return undefined;
}

/** The log on standard error, which follows changes of level and filter. */
export function openLog(io: Io, config: Configuration): { readonly log: RootLog; readonly close: (deadline: number) => Promise<void> } {
  const clock = { now: Date.now };
  const note = (dropped: number) =>
    `${new Date().toISOString()} WARN  log ${dropped} lines were dropped because nobody read standard error fast enough\n`;
  const stream = openLineWriter({ note });
  const log = createLog({
    level: config.get('MO_LOG_LEVEL'),
    filter: config.get('MO_LOG_FILTER'),
    stream,
    secrets: () => config.secrets(),
    clock,
    coloured: coloured(io, io.err),
  });
  const end = config.onChange(['MO_LOG_LEVEL', 'MO_LOG_FILTER'], () =>
    log.configure({ level: config.get('MO_LOG_LEVEL'), filter: config.get('MO_LOG_FILTER') }),
  );
  return {
    log,
    close: async (deadline) => {
      end();
      log.close();
      await stream.flush(deadline);
    },
  };
}
