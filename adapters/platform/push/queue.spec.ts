import { expect, it } from 'vitest';
import { createStreamQueue } from './queue.ts';

const event = (text: string) => ({ text, label: 'e' });
const drain = (queue: ReturnType<typeof createStreamQueue>) => {
  const texts: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) texts.push(next.text);
  return texts;
};

it('keeps the newest', () => {
  const queue = createStreamQueue({ events: 3, characters: 100 });
  expect(['a', 'b', 'c', 'd', 'e'].map((text) => queue.add(event(text)))).toEqual([0, 0, 0, 1, 1]);
  expect(drain(queue)).toEqual(['c', 'd', 'e']);
});

it('counts what it holds in characters too, and keeps at least one', () => {
  const queue = createStreamQueue({ events: 100, characters: 10 });
  expect(['aaaa', 'bbbb', 'cccc', 'd'.repeat(50)].map((text) => queue.add(event(text)))).toEqual([0, 0, 1, 2]);
  expect(drain(queue)).toEqual(['d'.repeat(50)]);
  expect(['aaaa', 'bbbb'].map((text) => queue.add(event(text)))).toEqual([0, 0]);
});

it('a newer event of a key takes the place of the one that waits', () => {
  const queue = createStreamQueue({ events: 3, characters: 100 });
  queue.add(event('a1'), 'a');
  queue.add(event('b1'), 'b');
  expect(queue.add(event('a2'), 'a')).toBe(0);
  expect(queue.length).toBe(2);
  expect(drain(queue)).toEqual(['a2', 'b1']);
  queue.add(event('a3'), 'a');
  expect(drain(queue)).toEqual(['a3']);
});
