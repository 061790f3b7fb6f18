import { exit, type Io } from '../frame/index.ts';
import { type Format, structured } from '../print/index.ts';
import { validSettings } from './settings.ts';
export async function system(io: Io, format: Format): Promise<number> {
  const config = validSettings(io);
  if (!config) return exit.failed;
  io.out.write(await structured([], format === 'table' ? 'yaml' : format));
  return exit.ok;
}
