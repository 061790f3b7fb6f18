import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conditionsOf } from '../../../commands/reconcile/index.ts';
import { clusterRoles, namespaces, roleBindings, workspaces } from '../../../domain/kinds.ts';
import type { KubernetesObject, StoredObject } from '../../../domain/ports/index.ts';
import { clusters, type TestCluster } from '../../support/cluster/index.ts';
import { eventually, type Operator, startOperator } from '../../support/operator/index.ts';
import { noValkey, type ValkeyServer, valkeyServer } from '../../support/valkey/index.ts';

for (const { name, missing, open } of clusters) {
  describe.skipIf(noValkey ?? missing)(`reconcilers on ${name}`, () => {
    let valkey: ValkeyServer;
    let at: TestCluster;
    let operator: Operator;
    /** A namespace of the workspace, and two roles of the chart. */
    let shop: string;
    const roles: string[] = [];

    beforeAll(async () => {
      [valkey, at] = await Promise.all([valkeyServer(), open('reconcile')]);
      shop = `${at.namespace}-shop`;
      await at.cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: shop } });
      for (const role of ['viewer', 'editor']) {
        const { items } = await at.cluster.list(clusterRoles, { labelSelector: `app.mogenius.com/role-name=${role}` });
        // A real cluster may have the chart's roles, or those of an earlier run.
        if (items[0]) roles.push(items[0].metadata.name);
        else {
          const made = `test-${role}-${randomUUID().slice(0, 8)}`;
          await at.cluster.create(clusterRoles, clusterRole(made, role));
          roles.push(made);
        }
      }
      operator = await startOperator({
        kubeconfig: at.kubeconfig,
        valkey: `${valkey.host}:${valkey.port}`,
        namespace: at.namespace,
        clusterId: randomUUID(),
        env: { MO_GRANT_RBAC: 'true' },
      });
    });
    afterAll(async () => {
      await operator?.stop();
      await at?.cluster.delete(namespaces, { name: shop }, { propagation: 'Background' }).catch(() => undefined);
      await Promise.all([at?.stop(), valkey?.stop()]);
    });

    const run = async (pattern: string, payload: unknown) => {
      const { status, body } = await operator.post('/api/v1/commands', { pattern, payload });
      expect({ status, body }).toMatchObject({ status: 200 });
    };
    const conditions = async (workspace: string) => {
      const object = await at.cluster.get(workspaces, { name: workspace, namespace: at.namespace });
      const found = conditionsOf(object?.status);
      return Object.fromEntries(found.map((one) => [one.type, `${one.status} ${one.reason} ${one.message}`]));
    };
    const bindings = async (namespace: string): Promise<readonly StoredObject[]> =>
      (await at.cluster.list(roleBindings, { namespace, labelSelector: 'mogenius.com/grant-uid' })).items;
    const shapeOf = (object: KubernetesObject | undefined) => ({ roleRef: object?.roleRef, subjects: object?.subjects });
    const subject = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' };
    const binding = (role: string | undefined) => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [subject],
    });

    test('a workspace says on itself what its references are worth, and follows what they come to', async () => {
      const later = `${at.namespace}-later`;
      await run('create/workspace', {
        name: 'ws',
        resources: [
          { id: later, type: 'namespace' },
          { id: 'x', type: 'nonsense' },
        ],
        dashboardRef: 'absent',
      });
      await eventually(
        () => conditions('ws'),
        (found) =>
          found.DashboardRefValid === 'False NotFound WorkspaceDashboard "absent" does not exist' &&
          found.ResourcesValid ===
            `False ResourcesNotFound Workspace contains a resource of type 'namespace' pointing to a namespace which does not exist: "${later}"; ` +
              'Workspace contains a resource with the invalid type: "nonsense"',
      );
      await run('update/workspace', { name: 'ws', resources: [{ id: later, type: 'namespace' }], dashboardRef: '' });
      await eventually(
        () => conditions('ws'),
        (found) => found.DashboardRefValid === 'True NoReference No WorkspaceDashboard referenced',
      );
      await at.cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: later } });
      await eventually(
        () => conditions('ws'),
        (found) => found.ResourcesValid === 'True AllResourcesFound All referenced resources exist in the cluster',
      );
      await at.cluster.delete(namespaces, { name: later });
      expect((await operator.get('/status')).body).toMatchObject({ reconciler: { is_active: true } });
    });

    test('a grant becomes a RoleBinding, drift is repaired, and it goes with the grant', async () => {
      await run('create/workspace', { name: 'shop', resources: [{ id: shop, type: 'namespace' }] });
      await run('create/grant', { name: 'g', grantee: 'ann', targetType: 'workspace', targetName: 'shop', role: 'viewer' });
      await run('create/user', { name: 'ann', email: 'ann@example.org', subject });
      const [made] = await eventually(
        () => bindings(shop),
        ({ length }) => length === 1,
      );
      expect(shapeOf(made)).toEqual(binding(roles[0]));
      expect(made?.metadata.annotations).toMatchObject({ 'mogenius.com/grant': 'g' });

      // Somebody adds himself: put right.
      if (made) await at.cluster.replace(roleBindings, { ...made, subjects: [subject, { ...subject, name: 'eve' }] });
      await eventually(
        () => bindings(shop),
        ([found]) => JSON.stringify(shapeOf(found)) === JSON.stringify(binding(roles[0])),
      );
      // Somebody deletes it: made again.
      await at.cluster.delete(roleBindings, { name: made?.metadata.name ?? '', namespace: shop });
      await eventually(
        () => bindings(shop),
        ([found]) => found !== undefined && found.metadata.uid !== made?.metadata.uid,
      );

      await run('update/grant', { name: 'g', grantee: 'ann', targetType: 'workspace', targetName: 'shop', role: 'editor' });
      await eventually(
        () => bindings(shop),
        ([found]) => JSON.stringify(shapeOf(found)) === JSON.stringify(binding(roles[1])),
      );

      const foreign = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'foreign', namespace: shop },
        ...binding(roles[0]),
      };
      await at.cluster.create(roleBindings, foreign);
      await run('delete/grant', { name: 'g' });
      await eventually(
        () => bindings(shop),
        ({ length }) => length === 0,
      );
      expect(await at.cluster.get(roleBindings, { name: 'foreign', namespace: shop })).toMatchObject(binding(roles[0]));
    });

    test('whoever loses the identity loses the rights', async () => {
      await run('create/grant', { name: 'h', grantee: 'bob', targetType: 'workspace', targetName: 'shop', role: 'viewer' });
      await run('create/user', { name: 'bob', subject: { ...subject, name: 'bob' } });
      await eventually(
        () => bindings(shop),
        ({ length }) => length === 1,
      );
      await run('delete/user', { name: 'bob' });
      await eventually(
        () => bindings(shop),
        ({ length }) => length === 0,
      );
    });

    test('what the projection did is in the log, with the term of its leader', async () => {
      const { body } = await operator.get('/api/v1/events?type=ReconcileActed&limit=100');
      expect(JSON.stringify(body)).toContain(`created rolebinding ${shop}/mogenius-grant-`);
      expect(JSON.stringify(body)).toContain(`removed rolebinding ${shop}/mogenius-grant-`);
    });
  });
}

function clusterRole(name: string, role: string): KubernetesObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { 'app.mogenius.com/role-name': role } },
    rules: [],
  };
}
