import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from './terminal.ts';

const root = join(import.meta.dirname, '../../..');

/** A project of a few files with the real start script: the sources say "sources", the bundle says "bundle". */
function project() {
  const folder = join(emptyFolder(), 'with a space');
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const file of ['bin/mogenius-operator', 'scripts/stamp.sh']) cpSync(join(root, file), join(folder, file));
  for (const part of ['adapters', 'commands', 'crds', 'domain', 'projections']) put(`${part}/x.ts`, '');
  for (const file of ['package.json', 'package-lock.json', 'scripts/build.ts']) put(file, '{}');
  put('cli/main.ts', "console.log('sources', process.argv.slice(2).join('|'));");
  put('node_modules/commander/package.json', '{}');
  const bundle = () => {
    put(
      'dist/main.mjs',
      "console.log('bundle', process.argv.slice(2).join('|')); if (process.argv[2] === 'pid') console.log(process.pid);",
    );
    put('dist/stamp', execFileSync(join(folder, 'scripts/stamp.sh'), { encoding: 'utf8' }));
  };
  const run = (how: { readonly script?: string; readonly cwd?: string; readonly args?: readonly string[] } = {}) =>
    spawnSync(how.script ?? join(folder, 'bin/mogenius-operator'), how.args ?? [], {
      cwd: how.cwd ?? '/',
      encoding: 'utf8',
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
  return { folder, put, bundle, run };
}

it('runs the sources while there is no bundle, and the bundle while it is of these sources', () => {
  const { put, bundle, run } = project();
  expect(run({ args: ['a b', 'c'] }).stdout).toBe('sources a b|c\n');
  bundle();
  expect(run().stdout).toBe('bundle \n');
  put('domain/x.spec.ts', 'a spec is not in the bundle');
  expect(run().stdout).toBe('bundle \n');
  put('domain/x.ts', '// changed');
  expect(run().stdout).toBe('sources \n');
});

it('works from any folder and through links', () => {
  const { folder, run } = project();
  const links = emptyFolder();
  symlinkSync(join(folder, 'bin/mogenius-operator'), join(links, 'direct'));
  symlinkSync('direct', join(links, 'relative'));
  expect(run({ cwd: links, script: './relative', args: ['x'] }).stdout).toBe('sources x\n');
});

it('is replaced by the operator, so that signals arrive there', () => {
  const { bundle, run } = project();
  bundle();
  const { stdout, pid } = run({ args: ['pid'] });
  expect(stdout).toBe(`bundle pid\n${pid}\n`);
});

it('says what to run when nothing is installed, and runs a bundle that came without sources', () => {
  const { folder, bundle, run } = project();
  rmSync(join(folder, 'node_modules'), { recursive: true });
  const missing = run();
  expect([missing.status, missing.stderr]).toEqual([
    1,
    `mogenius-operator: the dependencies are not installed. Run: cd '${folder}' && npm ci\n`,
  ]);
  bundle();
  rmSync(join(folder, 'cli'), { recursive: true });
  expect(run().stdout).toBe('bundle \n');
  rmSync(join(folder, 'dist'), { recursive: true });
  expect(run().stderr).toContain('has neither dist/ nor sources');
});
