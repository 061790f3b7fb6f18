import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { booleanOf } from '../../domain/configuration/index.ts';
import { parseDotenv } from './dotenv.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with the `.env` of the working folder below it: a variable that is set is never overridden. Throws an Error that names file and line. */
export function readEnvironment(how: { readonly env: Environment; readonly folder: string }): Environment {
  const file = join(how.folder, '.env');
  if (!existsSync(file)) return how.env;
  try {
    return { ...parseDotenv(readFileSync(file, 'utf8')), ...how.env };
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** What is read from the environment beside the declared settings. */
export interface Switches {
  /** `MO_PPROF`: routes for profiling are served. */
  readonly profiling: boolean;
  /** `MO_ENABLE_PATTERNLOGGING`, present with any value: requests are written to a file. */
  readonly patternLog: boolean;
}

export function readSwitches(env: Environment): Switches {
  return { profiling: booleanOf(env.MO_PPROF ?? '') ?? false, patternLog: env.MO_ENABLE_PATTERNLOGGING !== undefined };
}
