// npm run generate: writes the files that are made from the code. With --check it only compares and fails where they differ.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../adapters/http/index.ts';
import packageFile from '../package.json' with { type: 'json' };
import { configurationPage } from './configuration-page.ts';
import { compatibilityPage, errorsPage, eventsPage } from './pages.ts';

/** Path -> content. One entry for each generated file. */
const generated: Record<string, () => string | Promise<string>> = {
  'docs/errors.md': errorsPage,
  'docs/events.md': eventsPage,
  'docs/configuration.md': configurationPage,
  'docs/compatibility.md': compatibilityPage,
  'generated/openapi.json': async () => `${JSON.stringify(await openApiDocument(packageFile.version), null, 2)}\n`,
};

const check = process.argv.includes('--check');
const stale: string[] = [];
for (const [path, make] of Object.entries(generated)) {
  const content = await make();
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  if (check) stale.push(path);
  else writeFileSync(path, content);
}
if (stale.length > 0) {
  process.stderr.write(`out of date: ${stale.join(', ')}; run npm run generate\n`);
  process.exit(1);
}
