/** What a step of the story found to be untrue. */
export class NotTrue extends Error {
  override readonly name = 'NotTrue';
}

export function check(truth: boolean, otherwise: string): asserts truth {
  if (!truth) throw new NotTrue(otherwise);
}

const terminal = process.stdout.isTTY === true && !process.env.NO_COLOR;
const paint = (code: number, text: string) => (terminal ? `\u001b[${code}m${text}\u001b[0m` : text);

let chapters = 0;

export const say = {
  chapter(title: string) {
    chapters++;
    process.stdout.write(`\n${paint(1, `${chapters}. ${title}`)}\n`);
  },
  line(text: string) {
    process.stdout.write(`   ${text}\n`);
  },
  ok(text: string) {
    process.stdout.write(`   ${paint(32, '✓')} ${text}\n`);
  },
  block(text: string) {
    for (const line of text.trimEnd().split('\n')) {
      process.stdout.write(`     ${line.startsWith('+') ? paint(32, line) : line.startsWith('-') ? paint(31, line) : paint(2, line)}\n`);
    }
  },
};
