// Logs far more than a pipe holds, to a reader that doesn't read; then tells standard output how many lines were dropped.
import { createLog, openLineWriter } from '../../../adapters/log/index.ts';

const stream = openLineWriter({ note: (dropped) => `note: ${dropped} dropped\n` });
const log = createLog({ level: 'info', filter: [], stream, secrets: () => [], clock: { now: Date.now } });
for (let line = 0; line < 5000; line += 1) log.info(`line ${line}`, { fill: 'x'.repeat(1000) });
log.close();
process.stdout.write(`${JSON.stringify({ dropped: stream.dropped() })}\n`);

if (process.argv[2] === 'leave') {
  await stream.flush(50);
  process.exit(7);
}
// Somebody reads now: what was kept arrives, and the note about the rest.
process.stdin.once('data', async () => {
  await stream.flush(10_000);
  log.info('later');
  await stream.flush(10_000);
  process.exit(0);
});
