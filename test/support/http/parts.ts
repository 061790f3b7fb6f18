import type { HttpParts } from '../../../adapters/http/index.ts';
import { ViewNotFound } from '../../../domain/errors.ts';
import type { AuditLogEntry, CommandStatus, ParkedCommand, ProjectionStatus, Request, Result } from '../../../domain/ports/index.ts';

export const status: CommandStatus = {
  id: 'c1',
  pattern: 'create/workspace',
  aggregate: 'workspaces/shop',
  phase: 'succeeded',
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-01T00:00:01.000Z',
  actor: { source: 'http' },
  position: '1001-0',
};

export const entry: AuditLogEntry = {
  requestId: 'c1',
  pattern: 'create/workspace',
  kind: 'Workspace',
  apiVersion: 'mogenius.com/v1alpha1',
  namespace: 'mogenius',
  name: 'shop',
  success: true,
  payload: { name: 'shop' },
  diff: '+name: shop',
  createdAt: '2026-01-01T00:00:00.000Z',
  user: { email: 'ann@example.com' },
  outcome: 'succeeded',
  chain: [{ id: 'c1/accepted/1', type: 'CommandAccepted', position: '1001-0', stream: 'command/c1' }],
};

export const projection: ProjectionStatus = {
  name: 'audit-log',
  kind: 'stored',
  version: 1,
  generation: 2,
  position: '1001-0',
  lag: 0,
  state: 'running',
  skipped: 0,
};

export const parked: ParkedCommand = {
  command: 'c9',
  aggregate: 'workspaces/shop',
  pattern: 'create/workspace',
  reason: 'too many attempts',
  attempts: 5,
  since: '2026-01-01T00:00:00.000Z',
};

/** Answers as the pipeline would, without one: enough to see what the API makes of it. */
export async function dispatch({ pattern, payload, id }: Pick<Request, 'pattern' | 'payload' | 'id'>): Promise<Result> {
  switch (pattern) {
    case 'get/workspaces':
      return { status: 'success', data: ['shop', 'blog', 'wiki'].map((name) => ({ name, creationTimestamp: null, resources: null })) };
    case 'get/users':
    case 'get/grants':
      return { status: 'success', data: [] };
    case 'get/workspace':
      return { status: 'success', data: { name: 'shop', creationTimestamp: null, resources: null } };
    case 'create/workspace':
    case 'update/workspace':
    case 'delete/workspace':
      return { status: 'success', message: 'Resource created successfully', data: '' };
    case 'describe':
      return { status: 'success', data: { id, payload: payload ?? null } };
    case 'missing':
      return { status: 'error', message: 'not found', statusCode: 404, data: null };
    case 'away':
      return { status: 'error', message: "the event log can't be reached: connection refused", statusCode: 503, data: null };
    default:
      return { status: 'error', message: `No handler for pattern '${pattern}' found`, unknownPattern: true };
  }
}

export function doubles(events: HttpParts['events']): HttpParts {
  const mustExist = (name: string) => {
    if (name !== projection.name) throw ViewNotFound({ view: name });
  };
  return {
    events,
    dispatcher: {
      dispatch,
      patterns: () => ({ 'get/workspaces': { requestSchema: { typeInfo: { type: 'struct' } } }, describe: { requestSchema: {} } }),
    },
    health: { dependencies: async () => [{ name: 'valkey', state: 'ok', required: true }] },
    auditLog: {
      one: async (id) => (id === entry.requestId ? entry : undefined),
      list: async () => ({ entries: [entry], total: 1 }),
    },
    commandQueries: {
      one: async (id) => (id === status.id ? status : undefined),
      list: async () => ({ items: [status], total: 1 }),
      chain: async (id) => {
        const chain = [];
        for await (const batch of events.log('0-0')) chain.push(...batch.filter(({ commandid }) => commandid === id));
        return chain;
      },
    },
    fresh: async () => undefined,
    commandLog: {
      parked: async () => ({ items: [parked], total: 1 }),
      retry: async (id) => (id === parked.command ? 'queued' : 'unknown'),
      discard: async (id) => (id === parked.command ? 'discarded' : 'unknown'),
    },
    projections: {
      list: async () => [projection],
      async rebuild(name, { onProgress }) {
        mustExist(name);
        await new Promise((resolve) => setImmediate(resolve));
        onProgress?.(2);
        return projection;
      },
      async verify(name) {
        mustExist(name);
        return { equal: true, rows: 3, differences: [] };
      },
      waitFor: async () => undefined,
    },
    importEvents: async (given) => ({ imported: given.length, known: 0 }),
    namespacesOf: (workspace) => (workspace === 'shop' ? ['shop-prod'] : undefined),
    status: () => ({ is_active: true, results: [] }),
  };
}
