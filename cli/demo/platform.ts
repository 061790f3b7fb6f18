// The stand-in platform on its own, for docker-compose.yml: takes the operator's links on port 1400 and prints what is pushed.
import { createStandInPlatform } from '../../adapters/stand-in/index.ts';

const platform = createStandInPlatform({ port: 1400 });
await platform.start(AbortSignal.timeout(10_000));
process.stdout.write(`the stand-in platform listens: ${platform.apiUrl} and ${platform.eventUrl}\n`);
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => void platform.stop({ deadline: 1_000 }).then(() => process.exit(0)));
for await (const { pattern, payload } of platform.pushed) process.stdout.write(`${pattern} ${JSON.stringify(payload)}\n`);
