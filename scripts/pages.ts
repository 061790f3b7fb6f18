// Pages that are made from the code or from data, so that they can't say something else.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { keys } from '../adapters/valkey/index.ts';
import { errorTable } from '../domain/errors.ts';
import { eventTypes } from '../domain/schemas/index.ts';

/** docs/errors.md: the whole error table. */
export function errorsPage(): string {
  const rows = [...errorTable]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, handling, remedy }]) => `| \`${code}\` | ${status} | ${handling} | ${remedy.replaceAll('|', '\\|')} |`);
  return `# Errors

Every error has a code that programs may rely on, an HTTP status (\`statusCode\` on the wire), and a sentence for people that may change.
The status 401 is never used: the platform would log its user out, so a denial is 403.

| Handling | What the operator does about it |
|---|---|
| answer | nothing: it is the caller's to mend |
| retry | tries again with backoff and jitter until the deadline, then answers it |
| wait | waits for what the message names |
| stalled | stops until a person or a new generation of the object comes |
| bug | logs it with an id to look for; please report it |

| Code | Status | Handling | What to do |
|---|---|---|---|
${rows.join('\n')}

This page is written by \`npm run generate\` from \`domain/errors.ts\`.
`;
}

const differences = z.record(z.string(), z.array(z.object({ differs: z.string(), why: z.string() })));

/** docs/compatibility.md: where our answers differ from the existing operator's on purpose. */
export function compatibilityPage(): string {
  const table = differences.parse(JSON.parse(readFileSync('docs/compatibility.json', 'utf8')));
  const sections = Object.entries(table).map(
    ([pattern, entries]) =>
      `## ${pattern === '*' ? 'Every pattern' : `\`${pattern}\``}\n\n${entries.map(({ differs, why }) => `- Where the answers read \`${differs}\`: ${why}`).join('\n')}`,
  );
  return `# Compatibility

This operator takes the place of an existing one: the same environment variables, wire patterns, custom resources and texts that clients
match on. Where ours answers differently, it is on purpose, and this page says why. A difference that is not on this page is a bug.

${sections.join('\n\n')}

This page is written by \`npm run generate\` from \`docs/compatibility.json\`.
`;
}

const fields = z.object({ properties: z.record(z.string(), z.unknown()), required: z.array(z.string()).optional() });

/** docs/events.md: every event type and every key in Valkey. */
export function eventsPage(): string {
  const types = Object.entries(eventTypes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, { schema, version }]) => {
      const { properties, required = [] } = fields.parse(z.toJSONSchema(schema, { unrepresentable: 'any' }));
      const names = Object.keys(properties).map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`);
      return `| \`${type}\` | ${version} | ${names.join(', ')} |`;
    });
  const rows = keys.map(
    ({ name, type, holds, bound }) => `| \`${name}\` | ${type} | ${holds.replaceAll('|', '\\|')} | ${bound.replaceAll('|', '\\|')} |`,
  );
  return `# Events and streams

Events leave the process as CloudEvents: \`id\`, \`source\`, \`type\`, \`subject\` (the stream), \`time\`, \`dataschema\`, \`data\`, and beside these
\`position\`, \`version\`, \`commandid\`, \`causationid\`, \`correlationid\`, \`actor\`. An event is never edited; a type that changes gets a new version,
and older ones are brought to it when they are read.

\`\`\`sh
mogenius-operator events tail --after 0-0 --count 20
mogenius-operator events tail
\`\`\`

| Stream | Holds |
|---|---|
| \`command/<id>\` | what became of one command |
| \`object/<group>/<plural>/<namespace or _>/<name>\` | one object, as it was seen |
| \`reconcile/<plural>/<namespace or _>/<name>\` | what the reconcilers did for one object |
| \`watch/<group>/<plural>\` | when a kind had been listed completely |

## Types

| Type | Version | Data |
|---|---|---|
${types.join('\n')}

## Keys in Valkey

All begin with the hash tag \`{<cluster id>}:\`, so that one slot holds them and one function changes them at once.

| Key | Type | Holds | Bound |
|---|---|---|---|
${rows.join('\n')}

This page is written by \`npm run generate\`.
`;
}
