import type { Io } from '../frame/index.ts';
import { type Format, structured } from '../print/index.ts';
import { printed } from './printed.ts';
import { settingsOf } from './settings.ts';

/** Prints every setting as it is now, complete or not. */
export async function config(io: Io, format: Format): Promise<number> {
  const settings = settingsOf(io);
  io.out.write(format === 'table' ? printed(settings) : await structured(settings.masked(), format));
  return 0;
}
