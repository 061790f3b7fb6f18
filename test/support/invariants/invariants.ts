import { expect, vi } from 'vitest';
import { z } from 'zod';
import { outcomeTypes } from '../../../domain/command/index.ts';
import { grants, users, workspaces } from '../../../domain/kinds.ts';
import { type Cluster, commandAnnotation } from '../../../domain/ports/index.ts';
import type { Operator } from '../operator/index.ts';
import { allEvents, type LoggedEvent } from './log.ts';

export interface Checked {
  readonly operator: Operator;
  readonly cluster: Cluster;
  readonly namespace: string;
  /** Objects, by `<kind in small letters>/<name>`, that somebody else changed as well: the last command does not tell how they are. */
  readonly foreign?: ReadonlySet<string>;
  /** Commands that are known to have no outcome. */
  readonly open?: ReadonlySet<string>;
}

const views = ['audit-log', 'command-status', 'directory'] as const;
const kinds = [workspaces, users, grants];
const accepted = z.object({ pattern: z.string(), aggregate: z.string() });
const sighting = z.object({ uid: z.string(), resourceVersion: z.string(), kind: z.string(), name: z.string() });
const patience = { timeout: 30_000, interval: 50 };

/** What must be true after anything that happened: effects = accepted commands, exactly one outcome each, all views equal to a rebuild from the log. */
export async function checkInvariants(checked: Checked): Promise<readonly LoggedEvent[]> {
  const events = await whenFinished(checked);
  checkNumbers(events);
  checkOutcomes(events, checked);
  await checkEffects(events, checked);
  await checkViews(checked);
  return events;
}

/** The log, once each accepted command has its outcome. */
function whenFinished({ operator, open }: Checked): Promise<readonly LoggedEvent[]> {
  return vi.waitFor(async () => {
    const events = await allEvents(operator);
    const ended = new Set(events.filter(({ type }) => outcomeTypes.has(type)).map(({ commandid }) => commandid));
    const left = of(events, 'CommandAccepted').flatMap(({ commandid = '' }) =>
      ended.has(commandid) || open?.has(commandid) ? [] : [commandid],
    );
    expect(left, 'commands without an outcome').toEqual([]);
    return events;
  }, patience);
}

/** No event is there twice, and no stream has a gap. */
function checkNumbers(events: readonly LoggedEvent[]): void {
  const ids = events.map(({ id }) => id);
  expect(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    'events that are there twice',
  ).toEqual([]);
  const versions = new Map<string, number>();
  for (const { subject, version } of events) {
    expect(version, `the version after ${versions.get(subject) ?? 0} of ${subject}`).toBe((versions.get(subject) ?? 0) + 1);
    versions.set(subject, version);
  }
}

/** One acceptance and one outcome for each command, and outcomes of one aggregate in the order of acceptance. */
function checkOutcomes(events: readonly LoggedEvent[], { open }: Checked): void {
  const aggregates = new Map<string, string>();
  const waiting = new Map<string, string[]>();
  const ended = new Set<string>();
  for (const { type, commandid = '', data } of events) {
    if (type === 'CommandAccepted') {
      expect(aggregates.has(commandid), `${commandid} was accepted before`).toBe(false);
      const { aggregate } = accepted.parse(data);
      aggregates.set(commandid, aggregate);
      if (!open?.has(commandid)) waiting.set(aggregate, [...(waiting.get(aggregate) ?? []), commandid]);
    } else if (outcomeTypes.has(type)) {
      expect(ended.has(commandid), `${commandid} has an outcome already`).toBe(false);
      ended.add(commandid);
      expect(waiting.get(aggregates.get(commandid) ?? '')?.shift(), `the next outcome of ${aggregates.get(commandid)}`).toBe(commandid);
    }
  }
}

/** What is in the cluster is what the last successful command of each object left there, and carries its mark. */
async function checkEffects(events: readonly LoggedEvent[], { cluster, namespace, foreign }: Checked): Promise<void> {
  const accepts = new Map(of(events, 'CommandAccepted').map(({ commandid = '', data }) => [commandid, accepted.parse(data)]));
  const wanted: Record<string, string> = {};
  for (const { commandid = '' } of of(events, 'CommandSucceeded')) {
    const { pattern = '', aggregate = '' } = accepts.get(commandid) ?? {};
    if (pattern.startsWith('delete/')) delete wanted[aggregate];
    else if (/^(create|update)\//.test(pattern)) wanted[aggregate] = commandid;
  }
  const found: Record<string, string> = {};
  for (const kind of kinds) {
    for (let next: string | undefined; ; ) {
      const page = await cluster.list(kind, { namespace, ...(next === undefined ? {} : { continue: next }) });
      for (const { metadata } of page.items)
        found[`${kind.kind.toLowerCase()}/${metadata.name}`] = metadata.annotations?.[commandAnnotation] ?? '';
      next = page.continue;
      if (next === undefined) break;
    }
  }
  const ours = (all: Record<string, string>) => Object.fromEntries(Object.entries(all).filter(([name]) => !foreign?.has(name)));
  expect(ours(found), 'objects in the cluster, by the command that made them so').toEqual(ours(wanted));

  const seen = new Set(events.filter(({ subject }) => subject.startsWith('object/')).map(({ commandid }) => commandid));
  const unseen = Object.entries(ours(wanted)).filter(([, command]) => !seen.has(command));
  expect(unseen, 'effects that the log does not show').toEqual([]);
}

/** What the log tells of our objects last is what the API server holds: nothing was missed, and nothing is believed that is gone. */
export async function checkObserved({ operator, cluster, namespace }: Checked): Promise<void> {
  await vi.waitFor(async () => {
    const told: Record<string, string> = {};
    for (const { type, subject, data } of await allEvents(operator)) {
      if (!subject.startsWith('object/mogenius.com/')) continue;
      const { uid, resourceVersion, kind, name } = sighting.parse(data);
      if (type === 'ObjectVanished') delete told[`${kind}/${name}`];
      else told[`${kind}/${name}`] = `${uid} ${resourceVersion}`;
    }
    const found: Record<string, string> = {};
    for (const kind of kinds) {
      const { items } = await cluster.list(kind, { namespace });
      for (const { metadata } of items) found[`${kind.kind}/${metadata.name}`] = `${metadata.uid} ${metadata.resourceVersion}`;
    }
    expect(told, 'objects as the log tells of them last').toEqual(found);
  }, patience);
}

async function checkViews({ operator }: Checked): Promise<void> {
  for (const view of views) {
    const { body } = await operator.post(`/api/v1/projections/${view}/verify`, {});
    expect(body, `${view} against a rebuild from the log`).toMatchObject({ equal: true, differences: [] });
  }
}

const of = (events: readonly LoggedEvent[], wanted: string): readonly LoggedEvent[] => events.filter(({ type }) => type === wanted);
