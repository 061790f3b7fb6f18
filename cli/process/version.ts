import type { Io } from '../frame/index.ts';
import { type Format, structured } from '../print/index.ts';
import { build } from './build.ts';

const unknown = 'unknown (run from sources)';

export async function version(io: Io, format: Format): Promise<number> {
  const { version, branch, hash, buildAt } = build();
  const node = process.versions.node;
  if (format !== 'table') io.out.write(await structured({ version, branch, hash, buildAt, node }, format));
  else {
    const lines = [
      'mogenius-operator: an event-sourced Kubernetes operator',
      '',
      `  Version  ${version}`,
      `  Branch   ${branch || unknown}`,
      `  Commit   ${hash || unknown}`,
      `  Built    ${buildAt || unknown}`,
      `  Node     ${node}`,
    ];
    io.out.write(`${lines.join('\n')}\n`);
  }
  return 0;
}
