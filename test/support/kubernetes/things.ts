const text = { type: 'string' };
const truth = { type: 'boolean' };
const item = { type: 'object', required: ['name'], properties: { name: text, value: text } };

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10 },
    big: { type: 'integer', format: 'int64', minimum: 0 },
    ratio: { type: 'number', minimum: 0, exclusiveMinimum: true },
    name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    color: { type: 'string', enum: ['red', 'green'], default: 'red' },
    on: truth,
    tags: { type: 'array', minItems: 1, maxItems: 3, items: text },
    empty: { type: 'string', nullable: true },
    when: { type: 'string', format: 'date-time' },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
    map: { type: 'object', additionalProperties: text },
    env: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items: item },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    inner: { type: 'object', properties: { a: { type: 'string', default: 'x' }, b: { type: 'integer' } } },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
    scope: {
      type: 'object',
      properties: { workspaceRef: text, namespaces: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 63 } } },
      'x-kubernetes-validations': [
        {
          rule: '(has(self.workspaceRef) && self.workspaceRef != "") || (has(self.namespaces) && self.namespaces.size() > 0)',
          message: 'scope must reference a workspace or list at least one namespace',
        },
      ],
    },
    fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
  },
};

const condition = { type: 'object', properties: { type: text, status: text } };
const status = { type: 'object', properties: { phase: text, conditions: { type: 'array', items: condition } } };

/** A kind that uses what our own kinds use: every limit, default, list type and rule once. */
export const thingDefinition = (group: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing', shortNames: ['th'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['metadata', 'spec'],
            properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status },
          },
        },
      },
    ],
  },
});

export const thing = (group: string, name: string, fields: object = { spec: { size: 1 } }) => ({
  apiVersion: `${group}/v1`,
  kind: 'Thing',
  metadata: { name },
  ...fields,
});
