// npm run check: types, lint and formatting, import directions, generated files unchanged. Stops at the first that fails.
import { spawnSync } from 'node:child_process';

const steps: [what: string, command: string, args: string[]][] = [
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['types of the pure domain', 'tsc', ['-p', 'domain/tsconfig.json']],
  ['lint and formatting', 'biome', ['ci', '--colors=off', '--max-diagnostics=20', '.']],
  ['import directions', 'depcruise', ['--config', '.dependency-cruiser.cjs', 'domain', 'commands', 'projections', 'adapters', 'cli']],
  ['generated files', process.execPath, ['scripts/generate.ts', '--check']],
];

for (const [what, command, args] of steps) {
  const started = performance.now();
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error || status !== 0) {
    process.stderr.write(`check: ${what} failed${error ? `: ${error.message}` : ''}\n`);
    process.exit(1);
  }
  process.stdout.write(`check: ${what} ok (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
}
