import { z } from 'zod';
import { type Client, Refused, shapes } from '../../client/index.ts';
import { type Finding, fail, ok, sentence, warn } from '../../findings/index.ts';
import { CommandFailed } from '../../frame/index.ts';
import { build } from '../../process/build.ts';

const health = z.looseObject({ version: z.string() });

/** Whether an operator answers at the address, and of which release. */
export async function checkApi(client: Client): Promise<Finding> {
  const check = 'HTTP API';
  try {
    const { status, body } = await client.ask('/healthz');
    const found = health.safeParse(body);
    if (status !== 200 || !found.success)
      return fail(
        check,
        `${client.server} answers, but not like an operator (status ${status})`,
        'Check --server: it has to be the address of the operator itself.',
      );
    const { version } = found.data;
    if (version === build().version) return ok(check, `${client.server} answers, version ${version}`);
    return warn(
      check,
      `the operator is version ${version}, this command line ${build().version}`,
      'Use the command line of the same release.',
    );
  } catch (error) {
    const hint = error instanceof CommandFailed ? error.hint : undefined;
    return fail(check, sentence(error), hint ?? 'Start an operator, or name another with --server.');
  }
}

/** What to do about a dependency when its own sentence doesn't say. */
const mends: readonly (readonly [name: RegExp, mend: string])[] = [
  [/valkey|store|log/i, 'Check that Valkey runs, that MO_VALKEY_ADDR leads there, and that maxmemory-policy is noeviction.'],
  [
    /kube|cluster|reflector|watch/i,
    'Check that the API server answers, the kubeconfig leads there, and the service account may do what charts grant.',
  ],
  [/platform|link|event server|api server/i, 'Check MO_API_SERVER, MO_EVENT_SERVER, MO_API_KEY, and the proxy and firewall on the way.'],
  [/projection|view/i, '`mogenius-operator projections` shows which one; rebuild it when it is stopped.'],
  [/lead|lease/i, 'Check that the service account may read and update Leases in the own namespace.'],
  [/archive|eventstore/i, 'Check MO_ARCHIVE_PATH or MO_EVENTSTOREDB_URL and that there is room.'],
];

/** Everything the operator says it depends on, as `/readyz` tells it. */
export async function checkDependencies(client: Client): Promise<readonly Finding[]> {
  try {
    const { body } = await client.ask('/readyz');
    const found = shapes.readiness.safeParse(body);
    if (!found.success)
      return [fail('readiness', '/readyz answers in a form this release does not know', 'Use the command line of the same release.')];
    return found.data.dependencies.map(finding);
  } catch (error) {
    return [fail('readiness', sentence(error), 'Ask again; if it stays, see the log of the operator.')];
  }
}

function finding({ name, state, reason, required }: shapes.Dependency): Finding {
  if (state === 'ok') return ok(name, reason ?? 'ok');
  const make = state === 'failed' && required ? fail : warn;
  const mend = mends.find(([pattern]) => pattern.test(name))?.[1] ?? 'See the log of the operator.';
  return make(name, reason ?? `it is ${state}`, mend);
}

/** Events a view may be behind before it is worth a word. */
const lagging = 10_000;

/** The views: stopped, far behind, or passing events over. */
export async function checkProjections(client: Client): Promise<readonly Finding[]> {
  const check = 'projections';
  try {
    const { items } = await client.get('/api/v1/projections', shapes.page(shapes.projection));
    const found = items.flatMap((view): Finding[] => {
      const rebuild = `\`mogenius-operator projections rebuild ${view.name}\` makes it anew.`;
      if (view.state === 'stopped') return [fail(check, `${view.name} is stopped: ${view.reason ?? 'no reason given'}`, rebuild)];
      if (view.lag > lagging)
        return [
          warn(
            check,
            `${view.name} is ${view.lag} events behind`,
            'Wait if it is catching up; if the number grows, give the operator more CPU.',
          ),
        ];
      if (view.skipped > 0)
        return [
          warn(
            check,
            `${view.name} passed ${view.skipped} events over that did not fit`,
            'The log of the operator names them; report them as a bug.',
          ),
        ];
      return [];
    });
    return found.length > 0 ? found : [ok(check, `${items.length} views, none of them behind`)];
  } catch (error) {
    return [refusedOr(check, error)];
  }
}

/** Commands that wait for a person. */
export async function checkParked(client: Client): Promise<Finding> {
  const check = 'parked commands';
  try {
    const { items, total } = await client.get('/api/v1/parked', shapes.page(shapes.parked), { limit: 1, offset: 0 });
    const count = total ?? items.length;
    if (count === 0) return ok(check, 'none');
    const [newest] = items;
    return warn(
      check,
      `${count} ${count === 1 ? 'command waits' : 'commands wait'} for a person${newest ? `; the newest is ${newest.pattern}: ${newest.reason}` : ''}`,
      '`mogenius-operator parked` lists them; mend the cause, then retry or discard each.',
    );
  } catch (error) {
    return refusedOr(check, error);
  }
}

function refusedOr(check: string, error: unknown): Finding {
  const hint = error instanceof CommandFailed ? error.hint : undefined;
  const make = error instanceof Refused && (error.status === 401 || error.status === 403) ? warn : fail;
  return make(check, sentence(error), hint ?? 'See the log of the operator.');
}
