// npm run bench: each figure in one run, beside the raw cost of the engine beneath. The operator's need a real API server (KUBECONFIG).
//   npm run bench -- appends replay operator     only these
import { arch, cpus, totalmem } from 'node:os';
import { benchAppends } from './appends.ts';
import { benchOperator } from './operator.ts';
import { measureReplay } from './replay.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
const parts: Readonly<Record<string, () => Promise<unknown>>> = {
  appends: () => benchAppends(print),
  async replay() {
    for (const { events, bytes, bare, replay, ratio, heap } of await measureReplay([10_000, 100_000, 1_000_000])) {
      print(
        `replay of ${events} events of ${bytes} bytes into audit log and command status: ${replay}/s, bare XREAD ${bare}/s (ratio ${ratio}, bar 60000/s), heap ${heap} MB`,
      );
    }
  },
  operator: () => benchOperator(print),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0) {
  process.stderr.write(`no such part: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}\n`);
  process.exit(80);
}
print(`${cpus().length} x ${cpus()[0]?.model ?? arch()}, ${Math.round(totalmem() / 2 ** 30)} GiB, node ${process.version}`);
for (const [name, part] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) await part();
process.exit(0);
