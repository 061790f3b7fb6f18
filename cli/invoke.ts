import { CommanderError } from 'commander';
import { createEraser } from '../adapters/log/index.ts';
import { createConfiguration } from '../domain/configuration/index.ts';
import { CommandFailed, coloured, exit, type Io } from './frame/index.ts';
import { paint } from './print/index.ts';
import { createProgram } from './program.ts';

/** Runs one command line and answers its exit code. Never throws. */
export async function invoke(args: readonly string[], io: Io): Promise<number> {
  let code: number = exit.ok;
  const program = createProgram(io, (given) => {
    code = given;
  });
  try {
    await program.parseAsync(args.length === 0 || args[0] === '--version' ? ['version', ...args.slice(1)] : [...args], { from: 'user' });
    return code;
  } catch (error) {
    return failed(error, io);
  }
}

function failed(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode; // it has been said, or it was --help
  if (io.signal.aborted) return 130;
  const erase = createEraser(() => createConfiguration(io).secrets());
  const label = paint('error:', 'red', coloured(io, io.err));
  if (error instanceof CommandFailed) {
    io.err.write(`${label} ${erase(error.message)}\n${error.hint ? `${erase(error.hint)}\n` : ''}`);
    return error.code;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.err.write(`${label} this is a bug, please report it:\n${erase(text)}\n`);
  return exit.crashed;
}
