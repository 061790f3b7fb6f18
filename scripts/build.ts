// npm run build: bundles the command line to dist/, which then needs Node 24 and nothing else.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const target = join(root, 'dist');
// Before the sources are read: one that changes meanwhile makes the stamp stale, never wrong.
const stamp = execFileSync(join(root, 'scripts', 'stamp.sh'), { encoding: 'utf8' });

/** An answer of git, empty where there is no repository (a released archive). */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

const about = {
  branch: git('rev-parse', '--abbrev-ref', 'HEAD'),
  hash: git('rev-parse', 'HEAD'),
  buildAt: new Date(Number(process.env.SOURCE_DATE_EPOCH ?? Date.now() / 1000) * 1000).toISOString(),
};

// A folder beside dist/, so that taking its place is one rename and nobody sees half a bundle.
const folder = mkdtempSync(join(root, '.dist-'));
try {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['cli/main.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // The operator, the demo's parts and printing are loaded when a command needs them: `version` must not pay for Kubernetes.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    sourcemap: true,
    // The text of the program stays in memory: without white space it is a third smaller, and names in stacks stay.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    keepNames: true,
    logLevel: 'warning',
    define: { 'globalThis.MOGENIUS_BUILD': JSON.stringify(about) },
    // CommonJS dependencies ask for Node's own modules through `require`.
    banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
  });
  cpSync(join(root, 'crds'), join(folder, 'crds'), { recursive: true });
  chmodSync(folder, 0o755); // made for its owner only, and an image runs as somebody else
  // Last: a bundle without its stamp is never run.
  writeFileSync(join(folder, 'stamp'), stamp);
  rmSync(target, { recursive: true, force: true });
  renameSync(folder, target);
  const outputs = Object.entries(metafile.outputs).filter(([name]) => !name.endsWith('.map'));
  const bytes = outputs.reduce((sum, [, { bytes: size }]) => sum + size, 0);
  process.stdout.write(`dist/: ${outputs.length} files, ${(bytes / 1e6).toFixed(1)} MB\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
