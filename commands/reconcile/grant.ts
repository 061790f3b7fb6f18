import { grantSpec } from '../../domain/grant/index.ts';
import { clusterRoles, grants, namespaces, roleBindings, users, workspaces } from '../../domain/kinds.ts';
import type { Cluster, Directory, KubernetesObject, StoredObject } from '../../domain/ports/index.ts';
import { type Subject, userSpec } from '../../domain/user/index.ts';
import { namespacesOf } from '../../domain/workspace/index.ts';
import { done, reconciler, type StepContext, type StepResult, stalled, step, waiting } from './step.ts';

/** Marks the RoleBindings of the projection: nothing without both is ever touched. */
const managedBy = { 'app.kubernetes.io/managed-by': 'mogenius-operator' };
export const grantLabel = 'mogenius.com/grant-uid';
/** Tells a person which grant a binding comes from; a name may be too long for a label. */
const grantAnnotation = 'mogenius.com/grant';
/** The aggregated roles of the chart carry it. */
const roleLabel = 'app.mogenius.com/role-name';
const roles = ['viewer', 'editor', 'admin'];

/**
 * Users and grants as RoleBindings in the namespaces of the granted workspace. Opt-in (`MO_GRANT_RBAC`): by default the platform
 * decides who may do what. A binding that drifts is put right; when the grant goes, its bindings go.
 */
export const reconcileGrant = reconciler(
  grants,
  [
    step('TargetFound', targetFound),
    step('GranteeFound', granteeFound),
    step('RoleKnown', roleKnown),
    step('BindingsInPlace', bindingsInPlace),
    step('LeftoversGone', leftoversGone),
  ],
  {
    triggers: [
      {
        kind: workspaces,
        affects: (changed, directory, own) => grantsWhere(directory, own, ({ targetName }) => targetName === changed.name),
      },
      { kind: users, affects: (changed, directory, own) => grantsWhere(directory, own, ({ grantee }) => grantee === changed.name) },
      {
        kind: namespaces,
        affects: (changed, directory, own) => grantsWhere(directory, own, (spec) => targetsNamespace(spec, changed.name, directory, own)),
      },
    ],
    gone: async (context) => {
      await removeExcept(context, new Set());
    },
    leftovers: removeOrphans,
  },
);

async function targetFound(context: StepContext): Promise<StepResult> {
  const { targetType, targetName } = specOf(context.object);
  if (targetType !== 'workspace')
    return stalled('TargetTypeUnknown', `Grants are for targets of type "workspace", not "${targetType ?? ''}"`);
  if (workspaceOf(context)) return done('Found', `Workspace "${targetName}" exists`);
  await removeExcept(context, new Set());
  return waiting('WorkspaceNotFound', `Workspace "${targetName ?? ''}" does not exist`);
}

async function granteeFound(context: StepContext): Promise<StepResult> {
  const { grantee } = specOf(context.object);
  const user = userOf(context);
  if (user && userSpec.safeParse(user.spec ?? {}).data?.subject) return done('Found', `User "${grantee}" exists and names a subject`);
  // Whoever is gone, or has no identity in the cluster any more, must not keep rights in it.
  await removeExcept(context, new Set());
  return user
    ? waiting('SubjectMissing', `User "${grantee}" names no subject`)
    : waiting('UserNotFound', `User "${grantee ?? ''}" does not exist`);
}

async function roleKnown(context: StepContext): Promise<StepResult> {
  const { role } = specOf(context.object);
  if (role === undefined || !roles.includes(role)) {
    await removeExcept(context, new Set());
    return stalled('RoleUnknown', `The role "${role ?? ''}" is none of ${roles.join(', ')}`);
  }
  if ((await clusterRoleOf(role, context)) === undefined)
    return waiting('ClusterRoleNotFound', `No ClusterRole has the label ${roleLabel}=${role}`);
  return done('Known', `The role "${role}" is known`);
}

async function bindingsInPlace(context: StepContext): Promise<StepResult> {
  const { cluster, object, signal } = context;
  const wanted = await wantedBindings(context);
  for (const binding of wanted) {
    const where = `${binding.metadata.namespace}/${binding.metadata.name}`;
    const current = await cluster.get(roleBindings, binding.metadata, { signal });
    if (current && !isOurs(current, object)) return stalled('NameTaken', `A RoleBinding ${where} exists that is not ours`);
    if (current && sameRole(current, binding) && sameSubjects(current, binding)) continue;
    // A roleRef can't be changed: the binding is made anew.
    if (current && !sameRole(current, binding)) await cluster.delete(roleBindings, binding.metadata, { uid: current.metadata.uid, signal });
    if (current && sameRole(current, binding)) await cluster.replace(roleBindings, { ...current, subjects: binding.subjects }, { signal });
    else await cluster.create(roleBindings, binding, { signal });
    context.acted(`${current ? 'put right' : 'created'} rolebinding ${where}`);
  }
  return done('InPlace', `${wanted.length} role bindings are in place`);
}

async function leftoversGone(context: StepContext): Promise<StepResult> {
  await removeExcept(context, targetNamespaces(context));
  return done('Gone', 'No other role bindings of this grant are left');
}

async function wantedBindings(context: StepContext): Promise<readonly KubernetesObject[]> {
  const { object } = context;
  const user = userOf(context);
  const subject = user && userSpec.safeParse(user.spec ?? {}).data?.subject;
  const role = await clusterRoleOf(specOf(object).role ?? '', context);
  if (subject === undefined || role === undefined) return [];
  return [...targetNamespaces(context)].map((namespace) => binding(object, namespace, subject, role));
}

/** The namespaces of the granted workspace that are there and stay. */
function targetNamespaces(context: StepContext): ReadonlySet<string> {
  const workspace = workspaceOf(context);
  if (workspace === undefined) return new Set();
  return new Set(
    namespacesOf(workspace).filter((name) => {
      const namespace = context.directory.get(namespaces, { name });
      return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
    }),
  );
}

function binding(grant: StoredObject, namespace: string, subject: Subject, role: string): KubernetesObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: {
      name: `mogenius-grant-${grant.metadata.uid}`,
      namespace,
      labels: { ...managedBy, [grantLabel]: grant.metadata.uid },
      annotations: { [grantAnnotation]: grant.metadata.name },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [subject],
  };
}

/** Removes the bindings of this grant outside the given namespaces. */
async function removeExcept({ cluster, object, signal, acted }: StepContext, keep: ReadonlySet<string>): Promise<void> {
  for await (const found of labelled(cluster, `${grantLabel}=${object.metadata.uid}`, signal)) {
    if (keep.has(found.metadata.namespace ?? '') || !isOurs(found, object)) continue;
    await cluster.delete(roleBindings, found.metadata, { uid: found.metadata.uid, signal });
    acted(`removed rolebinding ${found.metadata.namespace}/${found.metadata.name}`);
  }
}

/** Bindings of grants that went while nobody looked. Only when all grants are known: absence must mean absence. */
async function removeOrphans({ cluster, directory, ownNamespace, signal }: Omit<StepContext, 'object'>): Promise<void> {
  if (!directory.complete(grants)) return;
  const uids = new Set(directory.list(grants, ownNamespace).map(({ metadata }) => metadata.uid));
  for await (const found of labelled(cluster, grantLabel, signal)) {
    const uid = found.metadata.labels?.[grantLabel];
    if (uid === undefined || uids.has(uid)) continue;
    await cluster.delete(roleBindings, found.metadata, { uid: found.metadata.uid, signal });
  }
}

async function* labelled(cluster: Cluster, selector: string, signal: AbortSignal): AsyncIterable<StoredObject> {
  const labelSelector = [selector, ...Object.entries(managedBy).map(([name, value]) => `${name}=${value}`)].join(',');
  let next: string | undefined;
  do {
    const page = await cluster.list(roleBindings, { labelSelector, signal, ...(next === undefined ? {} : { continue: next }) });
    yield* page.items;
    next = page.continue;
  } while (next);
}

async function clusterRoleOf(role: string, { cluster, signal }: StepContext): Promise<string | undefined> {
  const { items } = await cluster.list(clusterRoles, { labelSelector: `${roleLabel}=${role}`, limit: 2, signal });
  return items[0]?.metadata.name;
}

const isOurs = ({ metadata: { labels } }: StoredObject, grant: StoredObject): boolean =>
  labels?.['app.kubernetes.io/managed-by'] === managedBy['app.kubernetes.io/managed-by'] && labels[grantLabel] === grant.metadata.uid;

const sameRole = (a: KubernetesObject, b: KubernetesObject): boolean =>
  JSON.stringify(picked(a.roleRef, ['kind', 'name'])) === JSON.stringify(picked(b.roleRef, ['kind', 'name']));

/** The server fills in an apiGroup that was left out: it takes no part. */
const sameSubjects = (a: KubernetesObject, b: KubernetesObject): boolean => {
  const text = ({ subjects }: KubernetesObject) =>
    JSON.stringify(Array.isArray(subjects) ? subjects.map((one) => picked(one, ['kind', 'name', 'namespace'])) : []);
  return text(a) === text(b);
};

const picked = (value: unknown, names: readonly string[]): unknown[] =>
  names.map((name) => (typeof value === 'object' && value !== null ? (Reflect.get(value, name) ?? null) : null));

const specOf = (grant: StoredObject) => grantSpec.safeParse(grant.spec ?? {}).data ?? {};

const workspaceOf = ({ object, directory, ownNamespace }: StepContext) =>
  directory.get(workspaces, { name: specOf(object).targetName ?? '', namespace: ownNamespace });

const userOf = ({ object, directory, ownNamespace }: StepContext) =>
  directory.get(users, { name: specOf(object).grantee ?? '', namespace: ownNamespace });

function grantsWhere(directory: Directory, ownNamespace: string, fits: (spec: ReturnType<typeof specOf>) => boolean) {
  return directory.list(grants, ownNamespace).flatMap((object) => (fits(specOf(object)) ? [object.metadata] : []));
}

function targetsNamespace(spec: ReturnType<typeof specOf>, namespace: string, directory: Directory, ownNamespace: string): boolean {
  const workspace = directory.get(workspaces, { name: spec.targetName ?? '', namespace: ownNamespace });
  return workspace !== undefined && namespacesOf(workspace).includes(namespace);
}
