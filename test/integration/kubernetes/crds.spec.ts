import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../adapters/clock/index.ts';
import { type CrdDefinition, installCrds, loadCrds } from '../../../adapters/kubernetes/index.ts';
import { ClusterRefused } from '../../../domain/errors.ts';
import { agents, customResourceDefinitions, ourKinds } from '../../../domain/kinds.ts';
import type { KubernetesObject, ResourceKind } from '../../../domain/ports/index.ts';
import { captureLog } from '../../support/captured-log/index.ts';
import { clusters, type TestCluster } from '../../support/cluster/index.ts';
import { exampleOf, fieldsOf } from '../../support/crds/index.ts';

const root = join(import.meta.dirname, '../../..');
const condition = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;

/** The facts the platform and people rely on, as their reference states them. */
const facts: Record<string, { scope: string; short?: string; status: boolean; columns: [string, string, string][] }> = {
  Workspace: {
    scope: 'Namespaced',
    status: true,
    columns: [
      ['Display Name', 'string', '.spec.name'],
      ['Dashboard', 'string', '.spec.dashboardRef'],
      ['Resources Valid', 'string', condition('ResourcesValid', 'status')],
      ['Dashboard Valid', 'string', condition('DashboardRefValid', 'status')],
    ],
  },
  User: {
    scope: 'Namespaced',
    status: false,
    columns: [
      ['Email', 'string', '.spec.email'],
      ['First Name', 'string', '.spec.firstName'],
      ['Last Name', 'string', '.spec.lastName'],
    ],
  },
  Grant: {
    scope: 'Namespaced',
    status: false,
    columns: [
      ['Grantee', 'string', '.spec.grantee'],
      ['Role', 'string', '.spec.role'],
      ['Target Type', 'string', '.spec.targetType'],
      ['Target', 'string', '.spec.targetName'],
    ],
  },
  WorkspaceDashboard: {
    scope: 'Namespaced',
    status: true,
    columns: [
      ['Default', 'boolean', '.spec.default'],
      ['Resources Valid', 'string', condition('ResourcesValid', 'status')],
      ['Reason', 'string', condition('ResourcesValid', 'reason')],
    ],
  },
  Agent: {
    scope: 'Namespaced',
    short: 'aiagent',
    status: true,
    columns: [
      ['Enabled', 'boolean', '.spec.enabled'],
      ['Ready', 'string', condition('Ready', 'status')],
      ['Reason', 'string', condition('Ready', 'reason')],
      ['Cron', 'string', '.spec.triggers.cron'],
    ],
  },
  AiModel: {
    scope: 'Namespaced',
    short: 'aimodel',
    status: true,
    columns: [
      ['SDK', 'string', '.spec.sdk'],
      ['Model', 'string', '.spec.model'],
      ['Default', 'boolean', '.spec.default'],
      ['Limit', 'integer', '.spec.dailyTokenLimit'],
      ['Ready', 'string', condition('Ready', 'status')],
      ['Reason', 'string', condition('Ready', 'reason')],
    ],
  },
  McpServer: {
    scope: 'Namespaced',
    short: 'mcpserver',
    status: true,
    columns: [
      ['Transport', 'string', '.spec.transport'],
      ['Ready', 'string', condition('Ready', 'status')],
      ['Reason', 'string', condition('Ready', 'reason')],
      ['Tools', 'integer', '.status.toolCount'],
    ],
  },
  UIConfig: {
    scope: 'Cluster',
    status: true,
    columns: [
      ['ApiVersion', 'string', '.spec.reference.apiVersion'],
      ['Kind', 'string', '.spec.reference.kind'],
      ['Display Name', 'string', '.spec.displayName'],
      ['Customized', 'boolean', '.spec.isCustomized'],
      ['Name Valid', 'string', condition('NameValid', 'status')],
    ],
  },
  PlatformConfig: {
    scope: 'Cluster',
    status: true,
    columns: [
      ['Version', 'string', '.spec.platformVersion'],
      ['GitOps', 'string', '.status.gitOpsStatus.engine'],
    ],
  },
  PlatformPatch: { scope: 'Cluster', status: false, columns: [] },
};

const definitions = await loadCrds(join(root, 'crds'));
const page = (kind: ResourceKind) => readFile(join(root, 'docs/crds', `${kind.kind.toLowerCase()}.md`), 'utf8');

describe('the definitions', () => {
  test('there is one for each of our kinds and no other', () => {
    const sort = (kinds: readonly ResourceKind[]) => [...kinds].sort((a, b) => a.plural.localeCompare(b.plural));
    expect(sort(definitions.map(({ kind }) => kind))).toEqual(sort(ourKinds));
  });

  test.each(definitions.map((definition) => [definition.kind.kind, definition] as const))(
    '%s has its names, columns and required parts',
    (kind, { object }) => {
      const { scope, short, status, columns } = facts[kind] ?? { scope: '', status: false, columns: [] };
      const plural = object.metadata.name.replace('.mogenius.com', '');
      const age = [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];
      expect(object.spec).toMatchObject({
        group: 'mogenius.com',
        scope,
        names: {
          kind,
          listKind: `${kind}List`,
          plural,
          singular: kind.toLowerCase(),
          ...(short ? { shortNames: [short], categories: ['mogenius'] } : {}),
        },
        versions: [
          {
            name: 'v1alpha1',
            served: true,
            storage: true,
            subresources: status ? { status: {} } : {},
            schema: { openAPIV3Schema: { required: ['metadata', 'spec'] } },
            ...(columns.length > 0
              ? { additionalPrinterColumns: [...columns.map(([name, type, jsonPath]) => ({ name, type, jsonPath })), ...age] }
              : {}),
          },
        ],
      });
    },
  );

  test.each(definitions.map((definition) => [definition.kind.kind, definition] as const))(
    'every field of %s has a description and stands on its page',
    async (_, { object, kind }) => {
      const text = await page(kind);
      for (const { path, description } of fieldsOf(object)) {
        expect(description, `${path} has no description`).toBeTruthy();
        if (/^(spec|status)\./.test(path) && !path.startsWith('status.conditions[].')) expect(text, path).toContain(`\`${path}\``);
      }
    },
  );
});

describe.each(clusters)('on $name', ({ missing, open }) => {
  describe.skipIf(missing)('the definitions', () => {
    let on: TestCluster;
    beforeAll(async () => {
      on = await open('crds');
      await install(definitions);
    });
    afterAll(() => on?.stop());

    const install = (which: readonly CrdDefinition[]) =>
      installCrds(on.cluster, which, { signal: AbortSignal.timeout(30_000), log: captureLog(), clock: systemClock });
    const at = (object: KubernetesObject, kind: ResourceKind) =>
      kind.namespaced ? { ...object, metadata: { ...object.metadata, namespace: on.namespace } } : object;

    test('they are served at once when installing ends, and installing again changes nothing', async () => {
      const before = await on.cluster.get(customResourceDefinitions, { name: 'workspaces.mogenius.com' });
      await install(definitions);
      const after = await on.cluster.get(customResourceDefinitions, { name: 'workspaces.mogenius.com' });
      expect(after?.metadata.generation).toBe(before?.metadata.generation);
      for (const { kind } of definitions) expect(Array.isArray((await on.cluster.list(kind, { limit: 1 })).items)).toBe(true);
    });

    test('none of them is refused as non-structural', async () => {
      for (const { object } of definitions) {
        const stored = await on.cluster.get(customResourceDefinitions, { name: object.metadata.name });
        expect(stored?.status).toMatchObject({
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]),
        });
        expect(JSON.stringify(stored?.status)).not.toContain('NonStructuralSchema');
      }
    });

    test.each(definitions.map(({ kind }) => [kind.kind, kind] as const))(
      'the example of %s is taken as it stands, without a field lost',
      async (_, kind) => {
        const example = at(exampleOf(await page(kind)), kind);
        const made = await on.cluster.create(kind, example, { dryRun: true });
        expect(made.spec).toMatchObject(example.spec ?? {});
      },
    );

    test.each([
      ['an agent without a scope', { enabled: true, scope: {} }, 'scope must reference a workspace or list at least one namespace'],
      ['an agent with a bad namespace', { enabled: true, scope: { namespaces: ['Not_A_Namespace'] } }, 'should match'],
      [
        'an agent with an unknown trigger',
        { enabled: true, scope: { workspaceRef: 'a' }, triggers: { onChange: { on: ['moved'] } } },
        'Unsupported value',
      ],
      ['an agent without enabled', { scope: { workspaceRef: 'a' } }, 'Required value'],
    ])('%s is refused', async (_, spec, sentence) => {
      const object = { apiVersion: 'mogenius.com/v1alpha1', kind: 'Agent', metadata: { name: 'a', namespace: on.namespace }, spec };
      await expect(on.cluster.create(agents, object, { dryRun: true })).rejects.toSatisfy(
        (error: unknown) => ClusterRefused.is(error) && error.data.reason === 'Invalid' && error.message.includes(sentence),
      );
    });

    test('defaults are filled in where their parent is present', async () => {
      const spec = { enabled: true, scope: { namespaces: ['*'] }, tools: { builtin: {} } };
      const object = { apiVersion: 'mogenius.com/v1alpha1', kind: 'Agent', metadata: { name: 'd', namespace: on.namespace }, spec };
      expect((await on.cluster.create(agents, object, { dryRun: true })).spec).toMatchObject({
        tools: { builtin: { kubernetes: true, helm: true } },
      });
    });
  });
});
