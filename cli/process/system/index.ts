import { type Finding, ok, printFindings } from '../../findings/index.ts';
import { exit, type Io } from '../../frame/index.ts';
import type { Format } from '../../print/index.ts';
import { environmentOf, openLog, validSettings } from '../settings.ts';
import { checkKubernetes } from './kubernetes.ts';
import { checkArchive, checkPlatform } from './places.ts';
import { checkValkey } from './valkey.ts';

/** Checks the settings and everything they lead to, side by side. Nothing is started and nothing is written. */
export async function system(io: Io, format: Format): Promise<number> {
  const config = validSettings(io);
  if (!config) return exit.failed;
  const { log, close } = openLog(io, config);
  try {
    const settings: Finding = ok('configuration', config.linked() ? 'complete, with a platform' : 'complete, without a platform');
    const found = await Promise.all([
      checkValkey(config, io.signal),
      checkKubernetes(config, environmentOf(io), log, io.signal),
      checkPlatform(config, io.signal),
      checkArchive(config),
    ]);
    await printFindings(io, format, [settings, ...found.flat()]);
    return exit.ok;
  } finally {
    await close(500);
  }
}
