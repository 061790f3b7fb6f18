import { asList } from './reply.ts';
import { type Argument, asStoreError } from './wire.ts';

type Call = (name: string, args: readonly Argument[]) => Promise<unknown>;

interface Waiting {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Below what makes another caller wait noticeably: half a millisecond of the server's time, and few enough bytes to read at once. Smaller than
 * what is usually under way, so that this process makes the next one ready while the server works on this one.
 */
const atOnce = { calls: 32, characters: 256_000 };

/** Sends the calls of one tick as one, in their order. `send` gets of each its name, the number of its arguments, and these. */
export function createTogether(send: (args: readonly Argument[]) => Promise<unknown>, alone: Call): Call {
  let waiting: Waiting[] = [];
  let characters = 0;

  const flush = () => {
    const calls = waiting;
    waiting = [];
    characters = 0;
    const [first, second] = calls;
    if (!first) return;
    if (!second) {
      alone(first.name, first.args).then(first.resolve, first.reject);
      return;
    }
    const args: Argument[] = [];
    for (const call of calls) args.push(call.name, call.args.length, ...call.args);
    send(args).then(
      (reply) => answer(calls, reply),
      (error) => {
        for (const call of calls) call.reject(error);
      },
    );
  };

  return (name, args) =>
    new Promise((resolve, reject) => {
      // After all that this tick's answers set off, so that whoever goes on at once travels along.
      if (waiting.length === 0) process.nextTick(flush);
      waiting.push({ name, args, resolve, reject });
      for (const one of args) characters += typeof one === 'string' ? one.length : 8;
      if (waiting.length >= atOnce.calls || characters >= atOnce.characters) flush();
    });
}

function answer(calls: readonly Waiting[], reply: unknown): void {
  let replies: readonly unknown[];
  try {
    replies = asList(reply);
  } catch (error) {
    for (const call of calls) call.reject(error);
    return;
  }
  for (const [i, call] of calls.entries()) {
    const own = replies[i];
    if (own instanceof Error) call.reject(asStoreError(own));
    else call.resolve(own);
  }
}
