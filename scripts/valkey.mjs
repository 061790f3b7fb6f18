// Finds a Valkey for tests and the demo. Plain JavaScript without dependencies, for Node >= 20. Leaves the system unchanged: what isn't installed
// is downloaded with apt's own tools and the machine's own sources, but with a state of our own, and unpacked into a cache of ours.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { arch, homedir, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const packages = ['valkey-tools', 'valkey-server', 'libjemalloc2', 'liblzf1', 'libatomic1'];
const tenMinutes = 600_000;

export async function findValkey({ log = () => {} } = {}) {
  const found = (await onPath()) ?? (await fromPackages(log));
  if (!found) log(advice());
  return found;
}

async function onPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  if (platform() === 'darwin') folders.push('/opt/homebrew/bin', '/usr/local/bin');
  for (const name of ['valkey-server', 'redis-server']) {
    for (const folder of folders) {
      const found = await suitable(join(folder, name), []);
      if (found) return found;
    }
  }
  return undefined;
}

/** Asks the program itself: a name on PATH says nothing about its version, nor whether its libraries are there. */
async function suitable(program, args) {
  if (!existsSync(program)) return undefined;
  const [command, ...rest] = [...args, program];
  try {
    const { stdout } = await run(command, [...rest, '--version'], { timeout: 10_000 });
    const [, name, major, minor, patch] = /^(Valkey|Redis) server v=(\d+)\.(\d+)\.(\d+)/.exec(stdout) ?? [];
    if (!name || Number(major) < 7 || (Number(major) === 7 && Number(minor) < 2)) return undefined;
    return { command, args: rest, version: `${name.toLowerCase()} ${major}.${minor}.${patch}` };
  } catch {
    return undefined;
  }
}

function cacheFolder() {
  const project = join(dirname(fileURLToPath(import.meta.url)), '..', '.cache');
  for (const base of [process.env.XDG_CACHE_HOME, process.env.HOME && join(homedir(), '.cache'), project]) {
    if (!base) continue;
    try {
      const folder = join(base, 'mogenius-operator');
      mkdirSync(folder, { recursive: true });
      return folder;
    } catch {
      // Not writable: the next one may be.
    }
  }
  return undefined;
}

async function fromPackages(log) {
  if (platform() !== 'linux' || !existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) return undefined;
  const cache = cacheFolder();
  if (!cache) return undefined;
  const system = osRelease();
  const target = join(cache, `valkey-${system.ID}-${system.VERSION_CODENAME}-${arch()}`);
  const failed = `${target}.failed`;
  if (!existsSync(target) && !recent(failed)) {
    await alone(
      `${target}.lock`,
      () => existsSync(target) || recent(failed),
      async () => {
        log(`no Valkey on PATH: downloading the packages of ${system.ID} ${system.VERSION_CODENAME} into ${cache}`);
        try {
          await download(cache, target, system);
        } catch (error) {
          writeFileSync(failed, String(error));
          log(`the packages can't be had: ${firstLine(error)}`);
        }
      },
    );
  }
  return existsSync(target) ? unpacked(target) : undefined;
}

async function download(cache, target, system) {
  const work = mkdtempSync(join(cache, 'apt-'));
  try {
    for (const folder of ['state/lists/partial', 'cache/archives/partial', 'packages', 'root'])
      mkdirSync(join(work, folder), { recursive: true });
    writeFileSync(join(work, 'state/status'), '');
    const own = sources(system);
    if (own.length === 0) throw new Error('no apt source of this release was found');
    const options = [
      `Dir::State=${work}/state`,
      `Dir::State::status=${work}/state/status`,
      `Dir::Cache=${work}/cache`,
      `Dir::Etc::SourceList=${work}/sources.list`,
      'Dir::Etc::SourceParts=-',
      'Acquire::Languages=none',
      'Acquire::Retries=2',
      // Root would hand the download to a user who can't write here.
      ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
    ].flatMap((option) => ['-o', option]);
    const apt = (program, ...args) =>
      run(program, [...options, ...args], { cwd: join(work, 'packages'), timeout: tenMinutes, maxBuffer: 1 << 26 });
    const backports = `${system.VERSION_CODENAME}-backports`;
    const lines = (suite) =>
      own.map(({ options, uri }) => `deb ${options}${uri} ${suite} main${system.ID === 'ubuntu' ? ' universe' : ''}`);
    let release = [];
    writeFileSync(join(work, 'sources.list'), `${lines(system.VERSION_CODENAME).join('\n')}\n`);
    await apt('apt-get', '-q', 'update');
    if (!(await offers(apt))) {
      writeFileSync(join(work, 'sources.list'), `${[...lines(system.VERSION_CODENAME), ...lines(backports)].join('\n')}\n`);
      await apt('apt-get', '-q', 'update');
      release = ['-t', backports];
      if (!(await offers(apt, ...release))) throw new Error(`${system.ID} ${system.VERSION_CODENAME} has no Valkey of 7.2 or newer`);
    }
    await apt('apt-get', '-q', ...release, 'download', ...packages);
    for (const file of readdirSync(join(work, 'packages'))) await run('dpkg-deb', ['-x', join(work, 'packages', file), join(work, 'root')]);
    if (!(await unpacked(join(work, 'root')))) throw new Error('the unpacked server does not run');
    renameSync(join(work, 'root'), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function offers(apt, ...release) {
  const { stdout } = await apt('apt-cache', ...release, 'policy', 'valkey-tools');
  const [, major, minor] = /Candidate: (?:\d+:)?(\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 2);
}

/** The machine's own mirrors of its release. Those of other vendors have other suites and are left out. */
function sources({ VERSION_CODENAME: suite }) {
  const files = ['/etc/apt/sources.list', ...readdirSync('/etc/apt/sources.list.d').map((name) => `/etc/apt/sources.list.d/${name}`)];
  const found = files
    .filter((file) => /\.(list|sources)$/.test(file) && existsSync(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return file.endsWith('.list') ? oneLine(text, suite) : stanzas(text, suite);
    });
  return found.filter(({ uri }, i) => found.findIndex((other) => other.uri === uri) === i);
}

function oneLine(text, suite) {
  return [...text.matchAll(/^deb\s+(\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+main\b/gm)].flatMap(([, options = '', uri, of]) =>
    of === suite ? [{ options, uri }] : [],
  );
}

function stanzas(text, suite) {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name) => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(stanza)?.[1]?.trim() ?? '';
    if (/^no$/i.test(field('Enabled')) || !field('Suites').split(/\s+/).includes(suite)) return [];
    const key = field('Signed-By');
    const options = key.startsWith('/') ? `[signed-by=${key}] ` : '';
    return field('URIs')
      .split(/\s+/)
      .filter(Boolean)
      .map((uri) => ({ options, uri }));
  });
}

async function unpacked(root) {
  const folders = ['usr/lib', 'lib'].flatMap((lib) =>
    existsSync(join(root, lib))
      ? readdirSync(join(root, lib))
          .filter((name) => name.includes('-linux-'))
          .map((name) => join(root, lib, name))
      : [],
  );
  // `env` replaces itself by the server, so the process id is the server's.
  return suitable(join(root, 'usr/bin/valkey-server'), ['env', `LD_LIBRARY_PATH=${folders.join(':')}`]);
}

/** One process downloads, the others wait for what it makes. A lock whose process is gone is taken over. */
async function alone(lock, done, work) {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
    } catch {
      if (done()) return;
      if (!alive(lock)) rmSync(lock, { force: true });
      else await wait(250);
      continue;
    }
    try {
      if (!done()) await work();
    } finally {
      rmSync(lock, { force: true });
    }
    return;
  }
}

function alive(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function recent(file) {
  return existsSync(file) && Date.now() - statSync(file).mtimeMs < tenMinutes;
}

function osRelease() {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const field = (name) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1] ?? 'unknown';
  return { ID: field('ID'), VERSION_CODENAME: field('VERSION_CODENAME') };
}

const firstLine = (error) =>
  String(error?.stderr || error?.message || error)
    .trim()
    .split('\n')[0];

function advice() {
  if (platform() === 'darwin') return 'no Valkey 8 or Redis 7.2 was found: run `brew install valkey`';
  return 'no Valkey 8 or Redis 7.2 was found: install valkey-server, or run one with Docker (docker run -p 6379:6379 valkey/valkey:8) and name it with MO_VALKEY_ADDR';
}
