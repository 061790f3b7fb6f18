import { describe, expect, it } from 'vitest';
import { createOutbox, type Outbox } from './outbox.ts';

const limits = { queue: 3, queueCharacters: 100, frames: 4, characters: 1000 };

function connect(outbox: Outbox, how: { deaf?: boolean } = {}) {
  const written: string[] = [];
  const asked: string[] = [];
  outbox.attach({
    write: (text) => void written.push(text),
    buffered: () => 0,
    ask: (text) => void asked.push(text),
    deaf: () => how.deaf ?? false,
  });
  return { written, asked };
}

const put = (outbox: Outbox, ...texts: string[]) => texts.map((text) => outbox.put({ text, label: text }));
const settled = async (puts: readonly Promise<boolean>[]) => {
  let done = 0;
  for (const one of puts) void one.then(() => done++);
  await new Promise((resolve) => setImmediate(resolve));
  return done;
};

describe('the outbox', () => {
  it('takes three without a connection; the fourth sender waits', async () => {
    const outbox = createOutbox(limits);
    expect(await settled(put(outbox, 'a', 'b', 'c', 'd'))).toBe(3);
    const { written } = connect(outbox);
    expect(written).toEqual(['a', 'b', 'c', 'd']);
  });

  it('asks at half of the window and writes on when it is confirmed', () => {
    const outbox = createOutbox(limits);
    const { written, asked } = connect(outbox);
    put(outbox, 'a', 'b', 'c', 'd', 'e', 'f');
    expect(written).toEqual(['a', 'b', 'c', 'd']);
    expect(asked).toEqual(['1']);
    outbox.ponged('1');
    expect(written).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(asked).toEqual(['1', '2']);
  });

  it('sends what nobody confirmed again, first and in order', () => {
    const outbox = createOutbox(limits);
    const first = connect(outbox);
    put(outbox, 'a', 'b', 'c', 'd', 'e');
    outbox.ponged('1');
    expect(first.written).toEqual(['a', 'b', 'c', 'd', 'e']);
    outbox.detach();
    put(outbox, 'f');
    expect(connect(outbox).written).toEqual(['c', 'd', 'e', 'f']);
  });

  it('does so three times and no more', () => {
    const outbox = createOutbox(limits);
    put(outbox, 'a');
    const seen: (readonly string[])[] = [];
    for (let n = 0; n < 4; n++) {
      seen.push(connect(outbox).written);
      outbox.detach();
    }
    expect(seen).toEqual([['a'], ['a'], ['a'], []]);
  });

  it('takes an empty pong for the oldest empty ping, and one with text for its own', () => {
    const outbox = createOutbox(limits);
    const delivered: string[] = [];
    connect(outbox);
    const track = (text: string) => void outbox.put({ text, label: text, delivered: () => void delivered.push(text) });
    track('a');
    outbox.pinged();
    track('b');
    outbox.pinged();
    track('c');
    outbox.ponged('');
    expect(delivered).toEqual(['a']);
    outbox.ponged('unknown');
    expect(delivered).toEqual(['a']);
    outbox.ponged('');
    expect(delivered).toEqual(['a', 'b']);
    outbox.allDelivered();
    expect(delivered).toEqual(['a', 'b', 'c']);
  });

  it('lets go of the oldest instead of waiting for a pong that cannot be heard', () => {
    const outbox = createOutbox(limits);
    const { written } = connect(outbox, { deaf: true });
    put(outbox, 'a', 'b', 'c', 'd', 'e', 'f');
    expect(written).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    outbox.detach();
    expect(connect(outbox).written).toEqual(['c', 'd', 'e', 'f']);
  });

  it('names what it still had when it is closed, and takes nothing more', async () => {
    const outbox = createOutbox(limits);
    const waiting = put(outbox, 'a', 'b', 'c', 'd');
    expect(outbox.close()).toEqual(['a', 'b', 'c', 'd']);
    expect(await waiting[3]).toBe(false);
    expect(await outbox.put({ text: 'e', label: 'e' })).toBe(false);
  });
});
