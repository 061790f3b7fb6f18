import type { Configuration, Setting } from '../../domain/configuration/index.ts';

/** The configuration in env form, one block per key, secrets masked. */
export function printed(config: Configuration): string {
  return `${config.masked().map(block).join('\n\n')}\n`;
}

function block(setting: Setting): string {
  const oneLine = (text: string) => text.replaceAll('\n', '\\n');
  return [
    `## Key: ${setting.key}`,
    ...(setting.description === '' ? [] : [`## Description: ${setting.description}`]),
    ...(setting.default === undefined ? [] : [`## Default: ${setting.default === '' ? '""' : oneLine(setting.default)}`]),
    `## Has Validation: ${setting.checked}`,
    `## Envs: []string{${setting.aliases.map((alias) => JSON.stringify(alias)).join(', ')}}`,
    `${setting.key}=${oneLine(setting.value ?? '')}`,
  ].join('\n');
}
