import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cruise } from 'dependency-cruiser';
import config from 'dependency-cruiser/config-utl/extract-depcruise-config';
import { afterEach, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The names of the rules that a tree of these files breaks. */
async function broken(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'imports-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { forbidden } = await config(join(root, '.dependency-cruiser.cjs'));
  const { output } = await cruise(['.'], {
    baseDir: folder,
    ruleSet: { forbidden },
    validate: true,
    enhancedResolveOptions: { extensions: ['.ts'] },
    tsPreCompilationDeps: true,
  });
  return typeof output === 'string' ? [output] : output.summary.violations.map(({ rule }) => rule.name).sort();
}

const thing = 'export const thing = 1;\n';
const use = (path: string) => `import { thing } from '${path}';\nexport const used = thing;\n`;

test('a tree that keeps to the directions breaks no rule', async () => {
  expect(
    await broken({
      'domain/a/index.ts': thing,
      'commands/b/index.ts': use('../../domain/a/index.ts'),
      'projections/c/index.ts': use('../../domain/a/index.ts'),
      'adapters/d/index.ts': use('../../domain/a/index.ts'),
      'cli/e.ts': use('../commands/b/index.ts').replaceAll('thing', 'used').replaceAll('const used = used', 'const again = used'),
    }),
  ).toEqual([]);
});

test.each([
  ['domain-is-pure', 'domain/x.ts', '../adapters/d/index.ts', 'adapters/d/index.ts'],
  ['domain-is-pure', 'domain/x.ts', 'node:fs', undefined],
  ['commands-get-ports', 'commands/x.ts', '../adapters/d/index.ts', 'adapters/d/index.ts'],
  ['projections-get-ports', 'projections/x.ts', '../adapters/d/index.ts', 'adapters/d/index.ts'],
  ['adapters-know-the-domain', 'adapters/d/x.ts', '../../commands/b/index.ts', 'commands/b/index.ts'],
  ['adapters-are-apart', 'adapters/d/x.ts', '../e/index.ts', 'adapters/e/index.ts'],
  ['product-without-tests', 'cli/x.ts', '../test/support/t.ts', 'test/support/t.ts'],
  ['front-door', 'cli/x.ts', '../adapters/d/inside.ts', 'adapters/d/inside.ts'],
])('%s: %s must not import %s', async (rule, from, to, target) => {
  const found = await broken({ [from]: use(to), ...(target === undefined ? {} : { [target]: thing }) });
  expect(found).toContain(rule);
});

test('a circle of imports is found', async () => {
  expect(await broken({ 'domain/a.ts': use('./b.ts'), 'domain/b.ts': `${use('./a.ts')}${thing}` })).toContain('no-circles');
});
