import { z } from 'zod';
import { grants, users, workspaces } from '../../domain/kinds.ts';
import { check, say } from './print.ts';
import { eventually } from './processes.ts';
import type { Stage } from './stage.ts';

const result = z.looseObject({ status: z.string(), message: z.string().optional() });
const auditEntry = z.looseObject({
  requestId: z.string().optional(),
  pattern: z.string(),
  success: z.boolean(),
  diff: z.string().optional(),
  user: z.looseObject({ email: z.string().optional() }),
});
const auditPage = z.object({
  status: z.literal('success'),
  data: z.object({ data: z.object({ data: z.array(auditEntry), totalCount: z.number() }) }),
});
const eventBatch = z.array(z.looseObject({ type: z.string(), commandid: z.string().optional() }));

/** The story, each sentence checked. Throws `NotTrue` with what was not so. */
export async function tell(stage: Stage): Promise<void> {
  const { platform, cluster, namespace, http } = stage;
  const shop = namespace.replace('mogenius-demo-', 'shop-');

  const ask = async (pattern: string, payload: unknown, how: { id?: string; link?: number } = {}) => {
    const { datagram } = await platform.send(pattern, payload, { ...how, workspace: 'shop' });
    return datagram.payload;
  };
  const done = async (pattern: string, payload: unknown, how: { id?: string; link?: number } = {}) => {
    const answer = result.parse(await ask(pattern, payload, how));
    check(answer.status === 'success', `${pattern} was answered: ${answer.message ?? answer.status}`);
    return answer;
  };
  const audit = async (limit = 20) => auditPage.parse(await ask('audit-log/list', { limit })).data.data;
  const eventsOf = async (command: string) => {
    const response = await fetch(`${http}/api/v1/events?command=${command}&limit=100`);
    check(response.ok, `the events of ${command} can't be read: HTTP ${response.status}`);
    return eventBatch.parse(await response.json()).map(({ type }) => type);
  };

  say.chapter('The operator starts and dials the platform');
  const crash = `demo-crash-${namespace}`;
  let operator = await stage.operator({ OPERATOR_SIGNAL_AT: `after-effect SIGKILL ${crash}`, OPERATOR_LEASE_MS: '2000' });
  say.ok(`it is ready: ${http}/readyz`);

  say.chapter('A workspace, a user and a grant arrive as commands over the WebSocket');
  await done('create/workspace', { name: 'shop', displayName: 'Shop', resources: [{ id: shop, type: 'namespace' }] });
  await done('create/user', {
    name: 'ann',
    firstName: 'Ann',
    lastName: 'Lee',
    email: 'ann@example.org',
    subject: { kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' },
  });
  await done('create/grant', { name: 'ann-shop', grantee: 'ann', targetType: 'workspace', targetName: 'shop', role: 'editor' });
  for (const [kind, name] of [
    [workspaces, 'shop'],
    [users, 'ann'],
    [grants, 'ann-shop'],
  ] as const) {
    const object = await cluster.get(kind, { name, namespace });
    check(object !== undefined, `${kind.kind} ${name} is not in Kubernetes`);
    say.ok(`${kind.kind} ${name} stands in Kubernetes, uid ${object.metadata.uid}`);
  }

  say.chapter('The audit log shows who did what');
  await done('update/workspace', { name: 'shop', displayName: 'The shop', resources: [{ id: shop, type: 'namespace' }] });
  await eventually('the audit log has the update', async () => (await audit()).data[0]?.pattern === 'update/workspace');
  const entries = (await audit()).data;
  for (const pattern of ['create/workspace', 'create/user', 'create/grant', 'update/workspace']) {
    const entry = entries.find((one) => one.pattern === pattern);
    check(entry?.success === true && entry.user.email === 'ann@example.org', `the audit log has no good entry for ${pattern}`);
    say.ok(`${entry.user.email} ${pattern}`);
  }
  const diff = entries.find(({ pattern }) => pattern === 'update/workspace')?.diff ?? '';
  check(diff.includes('-  name: Shop\n+  name: The shop'), `the diff of the update does not show the change:\n${diff}`);
  say.block(diff);

  say.chapter('The same request comes twice, on two links');
  const twice = { name: 'shop', displayName: 'Twice?', resources: [] };
  const before = await cluster.get(workspaces, { name: 'shop', namespace });
  const id = `demo-twice-${namespace}`;
  const answers = await Promise.all([
    ask('update/workspace', twice, { id, link: 0 }),
    ask('update/workspace', twice, { id, link: platform.open('api') - 1 }),
  ]);
  check(JSON.stringify(answers[0]) === JSON.stringify(answers[1]), `the two answers differ: ${JSON.stringify(answers)}`);
  const after = await cluster.get(workspaces, { name: 'shop', namespace });
  check(
    after?.metadata.generation === (before?.metadata.generation ?? 0) + 1,
    `the generation went from ${before?.metadata.generation} to ${after?.metadata.generation}`,
  );
  const types = (await eventsOf(id)).filter((type) => type.startsWith('Command'));
  check(types.join() === 'CommandAccepted,CommandSucceeded', `its events are ${types.join()}`);
  say.ok('both got the same answer, and Kubernetes saw one change');

  say.chapter('The operator is killed between effect and outcome');
  const lost = { name: 'lost-and-found', displayName: 'Lost and found', resources: [] };
  // Sent without waiting: nobody will answer it.
  platform.raw(
    JSON.stringify({
      id: crash,
      pattern: 'create/workspace',
      payload: lost,
      user: { email: 'ann@example.org', apiKey: {} },
      workspace: 'shop',
    }),
  );
  const { signal } = await operator.ended;
  check(signal === 'SIGKILL', `it should have died by SIGKILL and ended with ${signal ?? 'an exit code'}\n${operator.output()}`);
  const orphan = await cluster.get(workspaces, { name: 'lost-and-found', namespace });
  check(orphan !== undefined, 'the effect did not happen before the kill');
  say.ok('SIGKILL: the object exists, the log has the intent and no outcome, nobody was answered');
  operator = await stage.operator();
  say.ok('started again');
  const late = await done('create/workspace', lost, { id: crash });
  check(late.message === 'Resource created successfully', `the repeated request was answered: ${late.message}`);
  const survivor = await cluster.get(workspaces, { name: 'lost-and-found', namespace });
  check(survivor?.metadata.uid === orphan.metadata.uid, 'the object was made a second time');
  const story = (await eventsOf(crash)).filter((type) => type.startsWith('Command'));
  check(story.join() === 'CommandAccepted,CommandSucceeded', `its events are ${story.join()}`);
  say.ok('the same request is answered with success: one object, one outcome, exactly once');

  say.chapter('All views are deleted and rebuilt from the log');
  const total = (await audit()).totalCount;
  const picture = async () =>
    JSON.stringify(
      await Promise.all([
        ask('audit-log/list', { limit: 1000 }),
        ask('get/workspaces', null),
        ask('get/users', null),
        ask('get/grants', null),
      ]),
    );
  const seen = await picture();
  await operator.stop();
  const deleted = await stage.forgetViews();
  operator = await stage.operator();
  await eventually('the audit log is whole again', async () => (await audit()).totalCount === total, operator);
  const again = await picture();
  check(again === seen, 'the rebuilt views answer differently');
  say.ok(`${deleted > 0 ? `${deleted} keys deleted, ` : ''}rebuilt: ${seen.length} bytes of answers, the same to the last one`);
}
