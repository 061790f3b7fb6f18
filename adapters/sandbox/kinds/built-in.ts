import type { Kind, Verb } from '../model/kind.ts';

const all: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface Sketch extends Partial<Omit<Kind, 'listKind'>> {
  readonly kind: string;
}

/** `group/version`, then the kinds; what is not said is what most kinds are. */
function group(path: string, ...sketches: readonly Sketch[]): Kind[] {
  const [name, version] = path.includes('/') ? path.split('/') : ['', path];
  return sketches.map((sketch) => {
    const singular = sketch.kind.toLowerCase();
    return {
      group: name ?? '',
      version: version ?? '',
      listKind: `${sketch.kind}List`,
      plural: `${singular}s`,
      singular,
      namespaced: true,
      shortNames: [],
      categories: [],
      verbs: all,
      status: false,
      generation: false,
      names: 'subdomain',
      conditionalUpdates: false,
      columns: [],
      custom: false,
      selectable: [],
      ...sketch,
    };
  });
}

const cluster = { namespaced: false };
const counted = { generation: true };
const status = { status: true };
const everybody = { categories: ['all'] };
const createOnly: readonly Verb[] = ['create'];
const rbac = { names: 'path' as const };

/** The kinds every cluster has, as far as the operator and its neighbours meet them. */
export const builtInKinds: readonly Kind[] = [
  ...group(
    'v1',
    {
      kind: 'Namespace',
      shortNames: ['ns'],
      ...cluster,
      ...status,
      names: 'label',
      verbs: all.filter((verb) => verb !== 'deletecollection'),
      fields: ['spec', 'status'],
      selectable: ['status.phase'],
    },
    { kind: 'ConfigMap', shortNames: ['cm'], fields: ['data', 'binaryData', 'immutable'] },
    { kind: 'Secret', fields: ['data', 'stringData', 'type', 'immutable'], selectable: ['type'] },
    { kind: 'Service', shortNames: ['svc'], ...everybody, ...status, names: 'service', fields: ['spec', 'status'] },
    { kind: 'ServiceAccount', shortNames: ['sa'], fields: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'] },
    {
      kind: 'Pod',
      shortNames: ['po'],
      ...everybody,
      ...status,
      ...counted,
      fields: ['spec', 'status'],
      selectable: ['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase', 'status.podIP'],
    },
    { kind: 'Event', shortNames: ['ev'], selectable: eventSelectors() },
    { kind: 'Node', shortNames: ['no'], ...cluster, ...status, fields: ['spec', 'status'], selectable: ['spec.unschedulable'] },
    { kind: 'PersistentVolume', shortNames: ['pv'], ...cluster, ...status, fields: ['spec', 'status'] },
    { kind: 'PersistentVolumeClaim', shortNames: ['pvc'], ...status, fields: ['spec', 'status'] },
    { kind: 'Endpoints', plural: 'endpoints', shortNames: ['ep'], fields: ['subsets'] },
    { kind: 'LimitRange', shortNames: ['limits'], fields: ['spec'] },
    { kind: 'ResourceQuota', shortNames: ['quota'], ...status, fields: ['spec', 'status'] },
  ),
  ...group(
    'apps/v1',
    { kind: 'Deployment', shortNames: ['deploy'], ...everybody, ...status, ...counted, fields: ['spec', 'status'] },
    { kind: 'StatefulSet', shortNames: ['sts'], ...everybody, ...status, ...counted, fields: ['spec', 'status'] },
    { kind: 'DaemonSet', shortNames: ['ds'], ...everybody, ...status, ...counted, fields: ['spec', 'status'] },
    { kind: 'ReplicaSet', shortNames: ['rs'], ...everybody, ...status, ...counted, fields: ['spec', 'status'] },
    { kind: 'ControllerRevision', fields: ['data', 'revision'] },
  ),
  ...group(
    'batch/v1',
    { kind: 'Job', ...everybody, ...status, ...counted, fields: ['spec', 'status'], selectable: ['status.successful'] },
    { kind: 'CronJob', shortNames: ['cj'], ...everybody, ...status, ...counted, fields: ['spec', 'status'] },
  ),
  ...group('autoscaling/v2', {
    kind: 'HorizontalPodAutoscaler',
    shortNames: ['hpa'],
    ...everybody,
    ...status,
    fields: ['spec', 'status'],
  }),
  ...group(
    'networking.k8s.io/v1',
    { kind: 'Ingress', plural: 'ingresses', shortNames: ['ing'], ...status, ...counted, fields: ['spec', 'status'] },
    { kind: 'IngressClass', plural: 'ingressclasses', ...cluster, ...counted, fields: ['spec'] },
    { kind: 'NetworkPolicy', plural: 'networkpolicies', shortNames: ['netpol'], ...counted, fields: ['spec'] },
  ),
  ...group('policy/v1', { kind: 'PodDisruptionBudget', shortNames: ['pdb'], ...status, ...counted, fields: ['spec', 'status'] }),
  ...group(
    'rbac.authorization.k8s.io/v1',
    { kind: 'Role', ...rbac, fields: ['rules'] },
    { kind: 'RoleBinding', ...rbac, fields: ['subjects', 'roleRef'] },
    { kind: 'ClusterRole', ...rbac, ...cluster, fields: ['rules', 'aggregationRule'] },
    { kind: 'ClusterRoleBinding', ...rbac, ...cluster, fields: ['subjects', 'roleRef'] },
  ),
  ...group('coordination.k8s.io/v1', { kind: 'Lease', conditionalUpdates: false, fields: ['spec'] }),
  ...group('storage.k8s.io/v1', {
    kind: 'StorageClass',
    plural: 'storageclasses',
    shortNames: ['sc'],
    ...cluster,
    fields: [
      'provisioner',
      'parameters',
      'reclaimPolicy',
      'mountOptions',
      'allowVolumeExpansion',
      'volumeBindingMode',
      'allowedTopologies',
    ],
  }),
  ...group('scheduling.k8s.io/v1', {
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    shortNames: ['pc'],
    ...cluster,
    ...counted,
    fields: ['value', 'globalDefault', 'description', 'preemptionPolicy'],
  }),
  ...group('discovery.k8s.io/v1', { kind: 'EndpointSlice', ...counted, fields: ['addressType', 'endpoints', 'ports'] }),
  ...group('events.k8s.io/v1', { kind: 'Event', shortNames: ['ev'] }),
  ...group('apiextensions.k8s.io/v1', {
    kind: 'CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    ...cluster,
    ...status,
    ...counted,
    fields: ['spec', 'status'],
  }),
  ...group(
    'admissionregistration.k8s.io/v1',
    { kind: 'ValidatingWebhookConfiguration', ...cluster, ...counted, categories: ['api-extensions'], fields: ['webhooks'] },
    { kind: 'MutatingWebhookConfiguration', ...cluster, ...counted, categories: ['api-extensions'], fields: ['webhooks'] },
  ),
  ...group(
    'authentication.k8s.io/v1',
    { kind: 'TokenReview', ...cluster, verbs: createOnly },
    { kind: 'SelfSubjectReview', ...cluster, verbs: createOnly },
  ),
  ...group(
    'authorization.k8s.io/v1',
    { kind: 'SelfSubjectAccessReview', ...cluster, verbs: createOnly },
    { kind: 'SelfSubjectRulesReview', ...cluster, verbs: createOnly },
    { kind: 'SubjectAccessReview', ...cluster, verbs: createOnly },
  ),
];

function eventSelectors(): readonly string[] {
  const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (each) => `involvedObject.${each}`,
  );
  return [...involved, 'reason', 'reportingComponent', 'source', 'type'];
}
