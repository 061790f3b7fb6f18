import type { Frame } from './outbox.ts';

/** A frame is sent so often at most: a peer that never confirms must not get the same frames for ever. */
const tries = 3;
/** Empty pings that are remembered; a peer that answers none is given up long before. */
const mostMarks = 64;

export interface Window {
  readonly full: boolean;
  add(frame: Frame): void;
  /** The text of a ping that should be sent now, because half of the room is taken and nothing is being asked. Counts as sent. */
  question(): string | undefined;
  /** A ping with this text was written behind all that was added. */
  mark(text: string): void;
  /** Its pong came. */
  confirm(text: string): void;
  confirmAll(): void;
  /** Lets go of the oldest without knowing: it won't be sent again. */
  forget(): void;
  /** The connection is gone: gives what has to be sent again, in order. */
  reset(): readonly Frame[];
}

/** What is written and not confirmed, oldest first. */
export function createWindow(limits: { readonly frames: number; readonly characters: number }): Window {
  let sent: Frame[] = [];
  let characters = 0;
  let questions = 0;
  let marks: { readonly text: string; readonly upTo: number }[] = [];
  const sentBefore = new WeakMap<Frame, number>();

  function take(count: number): readonly Frame[] {
    const taken = sent.splice(0, count);
    for (const frame of taken) characters -= frame.text.length;
    marks = marks.map(({ text, upTo }) => ({ text, upTo: Math.max(0, upTo - count) }));
    return taken;
  }

  function release(count: number): void {
    for (const frame of take(count)) frame.delivered?.();
  }

  return {
    get full() {
      return sent.length >= limits.frames || characters >= limits.characters;
    },
    add(frame) {
      sent.push(frame);
      characters += frame.text.length;
    },
    question() {
      const half = sent.length * 2 >= limits.frames || characters * 2 >= limits.characters;
      if (!half || marks.some(({ text }) => text !== '')) return undefined;
      questions++;
      marks.push({ text: String(questions), upTo: sent.length });
      return String(questions);
    },
    mark(text) {
      if (marks.length < mostMarks) marks.push({ text, upTo: sent.length });
    },
    confirm(text) {
      // A peer may answer several pings with one pong. Taking an empty one for the oldest confirms too little, never too much.
      const index = marks.findIndex((mark) => mark.text === text);
      const upTo = marks[index]?.upTo;
      if (upTo === undefined) return;
      marks = marks.slice(index + 1);
      release(upTo);
    },
    confirmAll: () => release(sent.length),
    forget: () => void take(1),
    reset() {
      const again = sent.filter((frame) => {
        const times = (sentBefore.get(frame) ?? 0) + 1;
        sentBefore.set(frame, times);
        return times < tries;
      });
      [sent, marks, characters] = [[], [], 0];
      return again;
    },
  };
}
