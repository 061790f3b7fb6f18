import { declarations, keys } from '../../../domain/configuration/index.ts';
import { type Finding, fail, ok, sentence, warn } from '../../findings/index.ts';
import type { Io } from '../../frame/index.ts';
import { environmentOf, settingsOf } from '../../process/settings.ts';

/** The settings an operator started here would get. With one running they are only a hint: it checked its own at its start. */
export function checkConfiguration(io: Io, running: boolean): readonly Finding[] {
  const check = 'configuration';
  try {
    const env = environmentOf(io);
    // The token is a setting of this tool too: alone it does not make a configuration.
    const given = keys.some(
      (key) => key !== 'MO_HTTP_TOKEN' && [key, ...declarations[key].aliases].some((name) => env[name] !== undefined),
    );
    if (!given && running) return [ok(check, 'nothing is set here; the running operator checked its own settings when it started')];
    const problems = settingsOf(io).problems();
    if (problems.length === 0) return [ok(check, 'the settings here are complete and valid')];
    const make = running ? warn : fail;
    return problems.map(({ key, text }) => make(check, text, `Set ${key}: ${declarations[key].description} See docs/configuration.md.`));
  } catch (error) {
    return [fail(check, sentence(error), 'Correct the line of the file, or move the file away.')];
  }
}
