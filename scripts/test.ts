// npm test: every tier, on what this machine has. Arguments are passed on to vitest (npm test -- --project unit).
// Ends with one line, `N passed, N failed, N skipped`, which is what CI reads.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  success: z.boolean(),
  numFailedTestSuites: z.number(),
});

const folder = mkdtempSync(join(tmpdir(), 'mogenius-test-'));
const file = join(folder, 'report.json');
const { status } = spawnSync(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
let failed = status !== 0;
try {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, success, numFailedTestSuites } = report.parse(
    JSON.parse(readFileSync(file, 'utf8')),
  );
  failed ||= !success;
  // A suite that fails to load has no failed test of its own: it must not read as "0 failed".
  const failures = numFailedTests > 0 ? numFailedTests : failed ? Math.max(1, numFailedTestSuites) : 0;
  process.stdout.write(`${numPassedTests} passed, ${failures} failed, ${numPendingTests + numTodoTests} skipped\n`);
} catch (error) {
  process.stderr.write(`the test report can't be read: ${String(error)}\n0 passed, 1 failed, 0 skipped\n`);
  failed = true;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
