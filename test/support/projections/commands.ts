import type { NewEvent, RecordedEvent } from '../../../domain/event/index.ts';
import type { Append } from '../../../domain/ports/index.ts';

export interface CommandFacts {
  readonly id: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly pattern?: string;
  readonly receivedAt?: string;
  readonly workspace?: string;
  readonly audited?: boolean;
  readonly payload?: unknown;
}

export const anna = {
  source: 'platform',
  firstName: 'Anna',
  lastName: 'Lee',
  email: 'anna@example.org',
  origin: 'app',
  apiKey: { id: 'k1', name: 'ci' },
} as const;

/** A command's events as the pipeline appends them. */
export function accepted(facts: CommandFacts): Append {
  const { id, name = 'shop', namespace = 'mogenius', pattern = 'create/workspace', receivedAt = '2026-12-01T10:00:00.000Z' } = facts;
  return appendOf(id, 'accepted', {
    type: 'CommandAccepted',
    schema: 1,
    time: receivedAt,
    data: {
      pattern,
      aggregate: `workspace/${name}`,
      payload: facts.payload ?? { name, displayName: 'The shop' },
      ...(facts.workspace === undefined ? {} : { workspace: facts.workspace }),
      receivedAt,
      deadline: '2026-12-01T10:00:30.000Z',
      digest: 'd1',
      audited: facts.audited ?? true,
      attribution: {
        kind: 'Workspace',
        apiVersion: 'mogenius.com/v1alpha1',
        ...(namespace === '' ? {} : { namespace }),
        ...(name === '' ? {} : { name }),
      },
    },
    commandid: id,
    correlationid: id,
    actor: anna,
  });
}

export const stepped = (id: string, n: number): Append =>
  outcome(id, `step/${n}`, 'CommandStepped', { n, name: 'target', data: { uid: 'u1' } });

export const succeeded = (id: string, more: Readonly<Record<string, unknown>> = {}): Append =>
  outcome(id, 'outcome', 'CommandSucceeded', { result: 'Resource created successfully', ...more });

export const failed = (id: string, message = 'workspaces "shop" already exists'): Append =>
  outcome(id, 'outcome', 'CommandFailed', { error: { code: 'CLUSTER_REFUSED', message, status: 409 } });

export const parked = (id: string, reason: string): Append => outcome(id, 'parked/1', 'CommandParked', { reason, attempts: 5 });
export const retried = (id: string): Append => outcome(id, 'retried/1', 'CommandRetried', {});
export const discarded = (id: string, by: string): Append => outcome(id, 'outcome', 'CommandDiscarded', { by });

export function appeared(id: string, name = 'shop', resourceVersion = '7', type = 'ObjectAppeared'): Append {
  const identity = {
    apiVersion: 'mogenius.com/v1alpha1',
    kind: 'Workspace',
    plural: 'workspaces',
    namespace: 'mogenius',
    name,
    uid: `uid-${name}`,
    resourceVersion,
  };
  return {
    stream: `object/mogenius.com/workspaces/mogenius/${name}`,
    expected: 'any',
    id: `uid-${name}/${type}/${resourceVersion}`,
    events: [
      {
        type,
        schema: 1,
        time: '2026-12-01T10:00:00.005Z',
        data: {
          ...identity,
          object: {
            apiVersion: identity.apiVersion,
            kind: identity.kind,
            metadata: {
              name,
              namespace: 'mogenius',
              uid: identity.uid,
              resourceVersion,
              creationTimestamp: '2026-12-01T10:00:00Z',
              annotations: { 'mogenius.com/command': id },
            },
            spec: { name: 'The shop', resources: [] },
          },
        },
        commandid: id,
        causationid: `${id}/accepted/1`,
        correlationid: id,
      },
    ],
  };
}

function outcome(id: string, suffix: string, type: string, data: Readonly<Record<string, unknown>>): Append {
  return appendOf(id, suffix, {
    type,
    schema: 1,
    time: '2026-12-01T10:00:00.010Z',
    data,
    commandid: id,
    causationid: `${id}/accepted/1`,
    correlationid: id,
    actor: anna,
  });
}

const appendOf = (id: string, suffix: string, event: NewEvent): Append => ({
  stream: `command/${id}`,
  expected: 'any',
  id: `${id}/${suffix}`,
  events: [event],
});

/** The recorded events of appends, numbered from a first position on: for folds without a store. */
export function recorded(appends: readonly Append[], from = 1_796_119_200_000): readonly RecordedEvent[] {
  return appends.flatMap(({ stream, id, events }, i) =>
    events.map((event, n) => ({
      ...event,
      id: `${id}/${n + 1}`,
      source: '/clusters/test',
      stream,
      version: i + 1,
      position: `${from + i}-${n}` as const,
    })),
  );
}
