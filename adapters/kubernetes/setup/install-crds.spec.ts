import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClusterRefused } from '../../../domain/errors.ts';
import { workspaces } from '../../../domain/kinds.ts';
import type { Cluster, StoredObject } from '../../../domain/ports/index.ts';
import { captureLog } from '../../../test/support/captured-log/index.ts';
import { createFakeClock } from '../../../test/support/fake-clock/index.ts';
import { installCrds } from './install-crds.ts';
import { loadCrds } from './load-crds.ts';

const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'workspaces.mogenius.com' } };
const stored = (conditions: object[]): StoredObject => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u', resourceVersion: '1', creationTimestamp: 'x' },
  status: { conditions },
});
const refused = (status: number, reason: string) => ClusterRefused({ status, reason, message: reason });

/** A server on which each call is answered by the next entry of its list; the last one stays. */
function server(script: { apply?: unknown[]; get: object[][]; list?: unknown[] }) {
  const calls: string[] = [];
  const next = <T>(list: T[]): T | undefined => (list.length > 1 ? list.shift() : list[0]);
  const answer = (error: unknown) => {
    if (error !== undefined) throw error;
  };
  const cluster: Pick<Cluster, 'apply' | 'get' | 'list'> = {
    async apply(_, __, how) {
      calls.push(`apply force=${how?.force}`);
      answer(next(script.apply ?? []));
      return stored([]);
    },
    async get() {
      calls.push('get');
      return stored(next(script.get) ?? []);
    },
    async list() {
      calls.push('list');
      answer(next(script.list ?? []));
      return { items: [], resourceVersion: '1' };
    },
  };
  return { calls, cluster };
}

async function install(cluster: Pick<Cluster, 'apply' | 'get' | 'list'>, steps = 10): Promise<unknown> {
  const clock = createFakeClock();
  const signal = new AbortController().signal;
  let outcome: unknown = 'waiting';
  installCrds(cluster, [{ object, kind: workspaces }], { signal, clock, log: captureLog() }).then(
    () => {
      outcome = 'installed';
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  for (let step = 0; step < steps; step += 1) await clock.advance(100);
  return outcome;
}

const established = { type: 'Established', status: 'True' };

describe('installing', () => {
  test('waits until it is Established and served', async () => {
    const { calls, cluster } = server({ get: [[], [established]], list: [refused(404, 'NotFound'), undefined] });
    expect(await install(cluster)).toBe('installed');
    expect(calls).toEqual(['apply force=true', 'get', 'get', 'list', 'get', 'list']);
  });

  test('two replicas at once: a conflict is tried again, a few times', async () => {
    const once = server({ apply: [refused(409, 'Conflict'), undefined], get: [[established]] });
    expect(await install(once.cluster)).toBe('installed');
    const always = server({ apply: [refused(409, 'Conflict')], get: [[established]] });
    expect(await install(always.cluster)).toMatchObject({ code: 'CLUSTER_REFUSED' });
    expect(always.calls).toHaveLength(5);
  });

  test('names that belong to somebody else are said at once', async () => {
    const { cluster } = server({ get: [[{ type: 'NamesAccepted', status: 'False', message: 'plural is taken' }]] });
    expect(await install(cluster)).toMatchObject({ status: 409, message: 'plural is taken' });
  });

  test('what never comes is waited for until the signal', async () => {
    expect(await install(server({ get: [[]] }).cluster)).toBe('waiting');
  });
});

describe('reading the files', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'crds-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('a file that is none is named', async () => {
    await expect(loadCrds(join(folder, 'absent'))).rejects.toMatchObject({ code: 'CRDS_UNREADABLE' });
    await expect(loadCrds(folder)).rejects.toThrow('it holds no YAML file');
    writeFileSync(join(folder, 'a.yaml'), 'kind: Other\n');
    await expect(loadCrds(folder)).rejects.toThrow(join(folder, 'a.yaml'));
    writeFileSync(join(folder, 'a.yaml'), 'a: [\n');
    await expect(loadCrds(folder)).rejects.toMatchObject({ code: 'CRDS_UNREADABLE' });
  });
});
