import type { Environment } from '../../../adapters/environment/index.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import type { Log } from '../../../domain/ports/index.ts';
import { type Finding, ok } from '../../findings/index.ts';
import { checkKubernetes } from './kubernetes.ts';
import { checkArchive, checkPlatform } from './places.ts';
import { checkValkey } from './valkey.ts';

/** Everything the settings lead to, looked at side by side. */
export async function examineAll(config: Configuration, env: Environment, log: Log, signal: AbortSignal): Promise<readonly Finding[]> {
  const settings: Finding = ok('configuration', config.linked() ? 'complete, with a platform' : 'complete, without a platform');
  const found = await Promise.all([
    checkValkey(config, signal),
    checkKubernetes(config, env, log, signal),
    checkPlatform(config, signal),
    checkArchive(config),
  ]);
  return [settings, ...found.flat()];
}
