import { type Declaration, declarations, type Key, keys } from '../domain/configuration/index.ts';

/** Sections in reading order; a key belongs to the first that fits. */
const sections: readonly (readonly [title: string, text: string, fits: (key: Key) => boolean])[] = [
  ['Needed always', '', (key) => declarations[key].needed === 'always'],
  [
    'The platform',
    'With both server URLs unset or empty the operator runs on its own: it has no links, and nothing of this section is needed. With one of them set, the others marked "with a platform" are needed too.',
    (key) => declarations[key].needed === 'linked' || /^MO_API_|^MO_SKIP_TLS|^OWN_NODE_NAME$|PORT_FORWARD|COUNTRY|AUTO_UPGRADE/.test(key),
  ],
  ['Valkey', '', (key) => key.startsWith('MO_VALKEY_')],
  [
    'Event log and commands',
    'What is kept, how safely and for how long; see [operating](operating.md).',
    (key) => /^MO_(EVENT|ARCHIVE|EVENTSTOREDB|COMMAND|AUDIT_LOG|STATS)_/.test(key),
  ],
  ['Kubernetes', '', (key) => /^(KUBERNETES_|OWN_|CLUSTER_|MO_OWN_|MO_GRANT_|MO_SKIP_IMPERSONATION)/.test(key)],
  ['HTTP API and log', '', (key) => /^MO_(HTTP|LOG)_/.test(key)],
  ['Everything else', '', () => true],
];

const needs: Readonly<Record<Declaration<unknown>['needed'], string>> = { always: 'always', linked: 'with a platform', never: '' };
const types: Readonly<Record<Declaration<unknown>['type'], string>> = {
  string: 'text',
  int: 'whole number',
  bool: 'boolean',
  duration: 'duration',
  choice: 'one of',
  list: 'comma list',
};

/** docs/configuration.md: every setting, from its declaration. */
export function configurationPage(): string {
  const placed = new Map<string, Key[]>();
  for (const key of keys) {
    const title = sections.find(([, , fits]) => fits(key))?.[0] ?? '';
    placed.set(title, [...(placed.get(title) ?? []), key]);
  }
  const pages = sections
    .filter(([title]) => placed.has(title))
    .map(([title, text]) => `## ${title}\n\n${text === '' ? '' : `${text}\n\n`}${head}${(placed.get(title) ?? []).map(row).join('\n')}`);
  return `# Configuration

All settings are environment variables. A file \`.env\` in the working folder is read first; it never overrides a variable that is set.
\`mogenius-operator config\` prints every setting with its present value (secrets masked), \`mogenius-operator system\` checks them and what
they lead to.

A key is looked for under its own name, then under its other names in order, then its default is taken. A variable that is set but empty
counts as set. What is wrong is printed all at once when the operator starts, which then ends with exit code 1; \`--help\` and \`version\` work
with any configuration.

- A boolean is \`1 t T TRUE true True\` or \`0 f F FALSE false False\`.
- A duration is numbers with units one after another: \`ns us ms s m h\`, e.g. \`1h30m\`.
- Secrets are never printed: not by \`config\`, not in the log, not in errors. Give them through the environment or a Secret, not as arguments.

${pages.join('\n\n')}

## Read beside the settings

| Variable | Effect |
|---|---|
| \`KUBECONFIG\` | colon-separated list, outside a cluster; missing or unreadable files are skipped, the first that loads is used. Unset: \`~/.kube/config\` |
| \`HTTP_PROXY\`, \`HTTPS_PROXY\`, \`NO_PROXY\` | proxies on the way to the platform |
| \`MO_SERVER\` | the operator that the tools of the command line speak with (default \`http://127.0.0.1:1337\`); never read from \`.env\` |
| \`NO_COLOR\` | no colours on a terminal |

This page is written by \`npm run generate\` from \`domain/configuration/declarations.ts\`.
`;
}

const head = '| Key | Type | Default | Needed | Meaning |\n|---|---|---|---|---|\n';

function row(key: Key): string {
  const { type, values, aliases, fallback, secret, needed, description }: Declaration<unknown> = declarations[key];
  const others = aliases.length > 0 ? `<br>also ${aliases.map((alias) => `\`${alias}\``).join(', ')}` : '';
  const shown = typeof fallback === 'function' ? fallback('<working folder>') : fallback;
  const preset = shown === undefined ? '' : shown === '' ? 'empty' : `\`${shown}\``;
  return `| \`${key}\`${others} | ${values?.map((value) => `\`${value}\``).join(' ') ?? types[type]}${secret ? ', secret' : ''} | ${preset} | ${needs[needed]} | ${description.replaceAll('|', '\\|')} |`;
}
