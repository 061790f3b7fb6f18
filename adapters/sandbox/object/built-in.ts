import { wrongDefinition } from '../kinds/definition.ts';
import { asList, asObject, asText, isObject, type Json, type JsonObject, same } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { badRequest, type Cause, invalidValue, requiredValue, unsupportedValue } from '../model/status.ts';
import { goType } from './metadata.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

/** What the server fills in for a built-in kind, as far as readers rely on it. */
export function defaults(kind: Kind, object: JsonObject): JsonObject {
  switch (kind.kind) {
    case 'Namespace': {
      const metadata = asObject(object.metadata);
      const labels = { ...asObject(metadata.labels), 'kubernetes.io/metadata.name': metadata.name };
      return {
        ...object,
        metadata: { ...metadata, labels },
        spec: { finalizers: ['kubernetes'], ...asObject(object.spec) },
        status: { phase: 'Active', ...asObject(object.status) },
      };
    }
    case 'Secret':
      return secret(kind, object);
    case 'ConfigMap':
      checkTexts(kind, object, 'data');
      return object;
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return binding(object);
    case 'Service':
      return {
        ...object,
        spec: { sessionAffinity: 'None', type: 'ClusterIP', ...asObject(object.spec) },
        status: { loadBalancer: {}, ...asObject(object.status) },
      };
    case 'PersistentVolumeClaim':
      return {
        ...object,
        spec: { volumeMode: 'Filesystem', ...asObject(object.spec) },
        status: { phase: 'Pending', ...asObject(object.status) },
      };
    case 'Pod':
      return { ...object, status: { phase: 'Pending', ...asObject(object.status) } };
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return { ...object, spec: { replicas: 1, ...asObject(object.spec) }, status: asObject(object.status) };
    default:
      return object;
  }
}

function checkTexts(kind: Kind, object: JsonObject, field: string): void {
  for (const value of Object.values(asObject(object[field]))) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    throw badRequest(
      `${kind.kind} in version "v1" cannot be handled as a ${kind.kind}: json: cannot unmarshal ${goType(value)} into Go struct field ${kind.kind}.${field} of type ${kind.kind === 'Secret' ? '[]uint8' : 'string'}`,
    );
  }
}

function secret(kind: Kind, object: JsonObject): JsonObject {
  checkTexts(kind, object, 'data');
  const { stringData, ...rest } = object;
  const texts = Object.entries(asObject(stringData)).map(([key, value]) => [key, Buffer.from(asText(value)).toString('base64')]);
  const data = { ...asObject(rest.data), ...Object.fromEntries(texts) };
  return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type: asText(rest.type) || 'Opaque' };
}

function binding(object: JsonObject): JsonObject {
  const subjects = asList(object.subjects).map((subject) => {
    const of = asObject(subject);
    return of.kind === 'ServiceAccount' || of.apiGroup ? of : { ...of, apiGroup: rbacGroup };
  });
  return {
    ...object,
    ...(subjects.length === 0 ? {} : { subjects }),
    roleRef: { ...asObject(object.roleRef), apiGroup: asText(asObject(object.roleRef).apiGroup) || rbacGroup },
  };
}

/** What the server checks in a built-in kind, as far as the operator can meet it. `before` is the stored object of an update. */
export function wrongBuiltIn(kind: Kind, object: JsonObject, before: JsonObject | undefined): Cause[] {
  switch (kind.kind) {
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return wrongBinding(kind, object, before);
    case 'Secret':
      return before && before.type !== object.type
        ? [invalidValue('type', JSON.stringify(object.type), 'field is immutable')]
        : [...wrongKeys(object), ...tooMuch(kind, object)];
    case 'ConfigMap':
      return [...wrongKeys(object), ...tooMuch(kind, object)];
    case 'CustomResourceDefinition':
      return wrongDefinition(object);
    default:
      return [];
  }
}

const contentLimit = 1_048_576;
/** Bytes of what a Secret or ConfigMap carries: base64 counts as what it stands for. */
function tooMuch(kind: Kind, object: JsonObject): Cause[] {
  const length = (field: string, share: number) =>
    Object.values(asObject(object[field])).reduce((sum: number, value) => sum + Math.floor(asText(value).length * share), 0);
  const size = kind.kind === 'Secret' ? length('data', 0.75) : length('data', 1) + length('binaryData', 0.75);
  if (size <= contentLimit) return [];
  const message = `Too long: may not be more than ${contentLimit} bytes`;
  return [{ reason: 'FieldValueTooLong', message, field: kind.kind === 'Secret' ? 'data' : '[]' }];
}

const dataKey = /^[-._a-zA-Z0-9]+$/;
function wrongKeys(object: JsonObject): Cause[] {
  return Object.keys(asObject(object.data))
    .filter((key) => !dataKey.test(key))
    .map((key) =>
      invalidValue(
        `data[${key}]`,
        JSON.stringify(key),
        `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      ),
    );
}

function wrongBinding(kind: Kind, object: JsonObject, before: JsonObject | undefined): Cause[] {
  const role = asObject(object.roleRef);
  if (before && !same(before.roleRef, object.roleRef)) return [invalidValue('roleRef', print(object.roleRef), 'cannot change roleRef')];
  const found: Cause[] = [];
  const kinds = kind.namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (!kinds.includes(asText(role.kind))) found.push(unsupportedValue('roleRef.kind', JSON.stringify(asText(role.kind)), kinds));
  if (asText(role.name) === '') found.push(requiredValue('roleRef.name'));
  asList(object.subjects).forEach((subject, at) => {
    if (!isObject(subject)) return;
    if (asText(subject.name) === '') found.push(requiredValue(`subjects[${at}].name`));
    if (subject.kind === 'ServiceAccount' && asText(subject.namespace) === '') found.push(requiredValue(`subjects[${at}].namespace`));
    if (!['ServiceAccount', 'User', 'Group'].includes(asText(subject.kind))) {
      found.push(unsupportedValue(`subjects[${at}].kind`, JSON.stringify(asText(subject.kind)), ['ServiceAccount', 'User', 'Group']));
    }
  });
  return found;
}

const print = (role: Json | undefined): string => {
  const { apiGroup, kind, name } = asObject(role);
  // The server prints its internal form here, with the names of Go.
  return JSON.stringify({ APIGroup: apiGroup, Kind: kind, Name: name });
};
