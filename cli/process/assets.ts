import { join } from 'node:path';
import { bundled } from './build.ts';

/** Path of a folder or file that is delivered with the program (`crds`): beside the bundle, or in the project where the sources run. */
export function asset(name: string): string {
  return bundled() ? join(import.meta.dirname, name) : join(import.meta.dirname, '..', '..', name);
}
