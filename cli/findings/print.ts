import { CommandFailed, coloured, type Io } from '../frame/index.ts';
import { type Colour, type Format, oneLine, paint, structured } from '../print/index.ts';
import type { Finding } from './finding.ts';

const signs: Readonly<Record<Finding['state'], { readonly text: string; readonly colour: Colour }>> = {
  ok: { text: 'ok  ', colour: 'green' },
  warn: { text: 'warn', colour: 'yellow' },
  fail: { text: 'FAIL', colour: 'red' },
};

/** Prints what was found. Throws `CommandFailed` when something failed, so that the exit code says it too. */
export async function printFindings(io: Io, format: Format, findings: readonly Finding[]): Promise<void> {
  if (format === 'table') for (const finding of findings) io.out.write(lines(finding, coloured(io, io.out)));
  else io.out.write(await structured(findings, format));
  const failed = findings.filter(({ state }) => state === 'fail').length;
  if (failed > 0) throw new CommandFailed(`${failed} of ${findings.length} checks failed`);
}

function lines({ check, state, found, mend }: Finding, colour: boolean): string {
  const { text, colour: sign } = signs[state];
  const first = `${paint(text, sign, colour)}  ${check}: ${oneLine(found)}\n`;
  return mend === undefined ? first : `${first}      ${paint(mend, 'dim', colour)}\n`;
}
