import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectChange, StoredObject } from '../../../domain/ports/index.ts';
import { Known, newer } from './known.ts';

const object = (name: string, resourceVersion: string, uid = `uid-${name}`): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid, resourceVersion, creationTimestamp: '2026-01-01T00:00:00Z' },
});

const brief = (changes: readonly ObjectChange[]) =>
  changes.map((change) => `${change.type} ${change.object.metadata.uid}@${change.object.metadata.resourceVersion}`);

function listedOnce(...items: StoredObject[]): Known {
  const known = new Known();
  known.page(items);
  known.listed('10');
  return known;
}

describe('a list', () => {
  test('the first one appears as initial, a later one does not', () => {
    const known = new Known();
    expect(known.page([object('a', '1')])).toEqual([{ type: 'appeared', object: object('a', '1'), initial: true }]);
    expect(known.listed('5')).toEqual([]);
    expect(known.page([object('a', '1'), object('b', '7')])).toEqual([{ type: 'appeared', object: object('b', '7'), initial: false }]);
  });

  test('what was known and is not listed has vanished', () => {
    const known = listedOnce(object('a', '1'), object('b', '2'));
    expect(brief(known.page([object('b', '2')]))).toEqual([]);
    expect(known.listed('20')).toEqual([{ type: 'vanished', object: object('a', '1') }]);
    expect(known.size).toBe(1);
  });

  test('deleted and made again in the gap is vanished, then appeared', () => {
    const known = listedOnce(object('a', '1', 'old'));
    expect(brief(known.page([object('a', '12', 'new')]))).toEqual(['vanished old@1', 'appeared new@12']);
  });

  test('a list that breaks off takes nothing away', () => {
    const known = listedOnce(object('a', '1'), object('b', '2'));
    known.page([object('a', '1')]);
    known.relist();
    known.page([object('a', '1'), object('b', '2')]);
    expect(known.listed('30')).toEqual([]);
  });
});

describe('a watch', () => {
  test('a change carries what was known before', () => {
    const known = listedOnce(object('a', '1'));
    expect(known.watched({ type: 'MODIFIED', object: object('a', '11') })).toEqual([
      { type: 'changed', object: object('a', '11'), before: object('a', '1') },
    ]);
  });

  test('a deletion carries its own version', () => {
    const known = listedOnce(object('a', '1'));
    expect(known.watched({ type: 'DELETED', object: object('a', '15') })).toEqual([
      { type: 'vanished', object: object('a', '15'), resourceVersion: '15' },
    ]);
  });

  test('what a resumed watch repeats is passed over', () => {
    const known = listedOnce(object('a', '1'));
    known.watched({ type: 'MODIFIED', object: object('a', '11') });
    known.watched({ type: 'MODIFIED', object: object('a', '12') });
    known.resumed('10');
    expect(known.watched({ type: 'MODIFIED', object: object('a', '11') })).toEqual([]);
    expect(known.watched({ type: 'MODIFIED', object: object('a', '12') })).toEqual([]);
    expect(brief(known.watched({ type: 'MODIFIED', object: object('a', '13') }))).toEqual(['changed uid-a@13']);
  });

  test('a server whose versions do not rise loses no event', () => {
    const known = listedOnce(object('a', '1'));
    known.resumed('10');
    expect(brief(known.watched({ type: 'MODIFIED', object: object('a', '5') }))).toEqual(['changed uid-a@5']);
    expect(brief(known.watched({ type: 'MODIFIED', object: object('a', '4') }))).toEqual(['changed uid-a@4']);
  });

  test('after a list with lower numbers (a restored etcd) events count again', () => {
    const known = listedOnce(object('a', '1'));
    known.watched({ type: 'MODIFIED', object: object('a', '900') });
    known.page([object('a', '3')]);
    known.listed('4');
    expect(brief(known.watched({ type: 'MODIFIED', object: object('a', '5') }))).toEqual(['changed uid-a@5']);
  });
});

test('versions compare as numbers of any length, and as nothing when they are none', () => {
  expect(newer('10', '9')).toBe(true);
  expect(newer('9', '10')).toBe(false);
  expect(newer('7', '7')).toBe(false);
  expect(newer('90071992547409931', '90071992547409930')).toBe(true);
  expect(newer('abc', '1')).toBeUndefined();
});

test('changes folded over nothing give what the server has, whatever was seen of it', () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), act: fc.constantFrom('put', 'remake', 'delete', 'miss', 'relist') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const server = new Map<string, StoredObject>();
      const copy = new Map<string, StoredObject>();
      const known = new Known();
      const fold = (changes: readonly ObjectChange[]) => {
        for (const change of changes) {
          const { name } = change.object.metadata;
          if (change.type === 'vanished') expect(copy.delete(name)).toBe(true);
          else {
            expect(copy.has(name)).toBe(change.type === 'changed');
            copy.set(name, change.object);
          }
        }
      };
      let version = 1;
      let missed = false;
      const relist = () => {
        fold(known.page([...server.values()]));
        fold(known.listed(String(version)));
        missed = false;
      };
      relist();
      for (const { name, act } of steps) {
        version += 1;
        const now = object(
          name,
          String(version),
          act === 'remake' ? `uid-${name}-${version}` : (server.get(name)?.metadata.uid ?? `uid-${version}`),
        );
        if (act === 'relist') relist();
        else if (act === 'delete' && server.delete(name)) {
          if (!missed) fold(known.watched({ type: 'DELETED', object: now }));
        } else if (act === 'put' || act === 'remake') {
          const type = server.has(name) ? 'MODIFIED' : 'ADDED';
          server.set(name, now);
          if (!missed) fold(known.watched({ type, object: now }));
        } else if (act === 'miss') missed = true;
      }
      relist();
      expect(copy).toEqual(server);
      expect(known.size).toBe(server.size);
    }),
    { seed: 7, numRuns: 300 },
  );
});
