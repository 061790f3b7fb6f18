import { type Finding, printFindings } from '../../findings/index.ts';
import { exit, type Io, type OperatorCommand } from '../../frame/index.ts';
import { common, connect, talks } from '../connect.ts';
import { checkConfiguration } from './configuration.ts';
import { checkApi, checkDependencies, checkParked, checkProjections } from './operator.ts';

/** `doctor`: checks everything the operator depends on and says how to mend it. */
export function doctor(parent: OperatorCommand, io: Io, done: (code: number) => void): void {
  talks(parent.command('doctor'))
    .summary('check everything the operator depends on, and how to mend it')
    .description(
      'Asks a running operator for everything it depends on: Valkey, Kubernetes, the platform, views, parked commands; and checks the settings here. ' +
        'For each: ok, warn or FAIL, one sentence, and how to mend it. Exits 1 when anything fails.',
    )
    .examples(
      ['the operator on this machine', 'doctor'],
      ['one in the cluster, through a port-forward', 'doctor --server http://127.0.0.1:8080 --token-file token'],
    )
    .action(async (given: unknown) => {
      const chosen = common.parse(given);
      const findings = await examine(io, () => connect(io, chosen));
      await printFindings(io, chosen.output, findings);
      done(exit.ok);
    });
}

async function examine(io: Io, client: () => ReturnType<typeof connect>): Promise<readonly Finding[]> {
  const asked = client();
  const api = await checkApi(asked);
  const local = checkConfiguration(io, api.state !== 'fail');
  if (api.state === 'fail') return [...local, api];
  return [...local, api, ...(await checkDependencies(asked)), ...(await checkProjections(asked)), await checkParked(asked)];
}
