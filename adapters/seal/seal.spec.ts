import { expect, test } from 'vitest';
import { createSealer, newSealingKey } from './seal.ts';

const key = Buffer.alloc(32, 7);
const sealer = createSealer(key);

test('what was sealed opens again, in its own context only', () => {
  const sealed = sealer.seal('geheim ✓', 'c1');
  expect(sealer.open(sealed, 'c1')).toBe('geheim ✓');
  expect(() => sealer.open(sealed, 'c2')).toThrow('the sealed part of "c2" can\'t be opened');
});

test('another key, a changed byte and a cut text do not open', () => {
  const sealed = sealer.seal('geheim', 'c1');
  expect(() => createSealer(newSealingKey()).open(sealed, 'c1')).toThrow("can't be opened");
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealer.open(changed, 'c1')).toThrow("can't be opened");
    expect(() => sealer.open(sealed.subarray(0, at), 'c1')).toThrow("can't be opened");
  }
});

test('the same text is sealed differently each time and holds nothing of it', () => {
  const [a, b] = [sealer.seal('CANARY', 'c'), sealer.seal('CANARY', 'c')];
  expect(Buffer.from(a).equals(Buffer.from(b))).toBe(false);
  expect(Buffer.from(a).includes('CANARY')).toBe(false);
});

test('a digest tells change and depends on the key', () => {
  expect(sealer.digest('a')).toBe(createSealer(key).digest('a'));
  expect(sealer.digest('a')).not.toBe(sealer.digest('b'));
  expect(createSealer(newSealingKey()).digest('a')).not.toBe(sealer.digest('a'));
});

test('a key of another length is refused', () => {
  expect(() => createSealer(new Uint8Array(16))).toThrow('the sealing key has 16 bytes, it needs 32');
});
