// npm run demo: everything a person needs to see the operator at work, on this machine alone.
//   --once      ends after the story: 0 when every step was true
//   --cluster   on the cluster that KUBECONFIG names instead of the sandbox
import { parseArgs } from 'node:util';
import { NotTrue, say } from './demo/print.ts';
import { setStage } from './demo/stage.ts';
import { tell } from './demo/story.ts';

process.exit(await demo());

async function demo(): Promise<number> {
  const { values } = parseArgs({ options: { once: { type: 'boolean', default: false }, cluster: { type: 'boolean', default: false } } });
  const stopped = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve());
  });
  say.chapter('The stage');
  let stage: Awaited<ReturnType<typeof setStage>> | undefined;
  try {
    stage = await setStage({ realCluster: values.cluster });
    const interrupted = await Promise.race([tell(stage).then(() => false), stopped.then(() => true)]);
    if (interrupted) return 130;
    process.stdout.write('\nEvery step was true.\n');
    if (values.once) return 0;
    process.stdout.write(
      `\nStill running, until Ctrl-C:\n  ${stage.http}/readyz\n  ${stage.http}/api-doc\n  ${stage.http}/api/v1/audit-log\n  ${stage.http}/api/v1/events\n\n` +
        `Ask it from another terminal:\n  bin/mogenius-operator audit --server ${stage.http}\n  bin/mogenius-operator doctor --server ${stage.http}\n`,
    );
    await stopped;
    return 0;
  } catch (error) {
    process.stderr.write(
      `\nNot true: ${error instanceof NotTrue ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  } finally {
    await stage?.clear();
  }
}
