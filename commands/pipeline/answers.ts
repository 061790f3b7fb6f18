import { commandFailed, commandSucceeded } from '../../domain/command/index.ts';
import { CommandDiscarded, DeadlineExceeded, EventUnknown } from '../../domain/errors.ts';
import type { RecordedEvent } from '../../domain/event/index.ts';
import type { Result, Sealer } from '../../domain/ports/index.ts';
import { failure, type Pattern, success } from '../registry/index.ts';

/** The answer that an outcome in the log stands for: the same for the first caller and for every repeat. */
export function answerFrom(
  event: RecordedEvent,
  pattern: Pattern,
  how: { readonly id: string; readonly sealer: Sealer; readonly sealed?: Uint8Array },
): Result {
  switch (event.type) {
    case 'CommandSucceeded': {
      const { result, resultSealed } = commandSucceeded.parse(event.data);
      const whole = resultSealed && how.sealed ? JSON.parse(how.sealer.open(how.sealed, how.id)) : result;
      return success(pattern.response, whole);
    }
    case 'CommandFailed':
      return failure(pattern.response, commandFailed.parse(event.data).error);
    case 'CommandAbandoned':
      return failure(pattern.response, DeadlineExceeded({ pattern: pattern.pattern, deadline: 'its deadline' }));
    case 'CommandDiscarded':
      return failure(pattern.response, CommandDiscarded({ id: how.id }));
    default:
      return failure(pattern.response, EventUnknown({ type: event.type, schema: event.schema }));
  }
}
