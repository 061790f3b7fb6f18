import { printFindings } from '../../findings/index.ts';
import { exit, type Io } from '../../frame/index.ts';
import type { Format } from '../../print/index.ts';
import { environmentOf, openLog, validSettings } from '../settings.ts';

/** Checks the settings and everything they lead to. Nothing is started and nothing is written. */
export async function system(io: Io, format: Format): Promise<number> {
  const config = validSettings(io);
  if (!config) return exit.failed;
  const { log, close } = openLog(io, config);
  try {
    const { examineAll } = await import('./checks.ts');
    await printFindings(io, format, await examineAll(config, environmentOf(io), log, io.signal));
    return exit.ok;
  } finally {
    await close(500);
  }
}
