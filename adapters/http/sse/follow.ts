import { OperatorError } from '../../../domain/errors.ts';
import { comparePositions, origin, type Position, type RecordedEvent } from '../../../domain/event/index.ts';
import { toCloudEvent } from '../../../domain/history/index.ts';
import type { Clock, EventStore } from '../../../domain/ports/index.ts';
import { bodyOf } from '../errors.ts';
import { justBefore } from '../log.ts';
import type { Listener } from './bell.ts';
import type { SsePort } from './reply.ts';

export interface Follow {
  readonly events: Pick<EventStore, 'log' | 'extent'>;
  readonly after: Position;
  /** Whether `after` is where this reader stood before: then its event must be there. */
  readonly resumed: boolean;
  readonly fits: (event: RecordedEvent) => boolean;
  readonly bell: Listener;
  readonly heartbeat: number;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
}

/** Events read at once: what one stream holds in memory. */
const batch = 100;

/** Sends what the log has and will have until the reader goes away or the API stops. */
export async function followLog(port: SsePort, { events, bell, clock, stopping, ...how }: Follow): Promise<void> {
  const over = AbortSignal.any([port.gone, stopping]);
  let at = how.after;
  const beats = beat();
  try {
    if (how.resumed && (await isLost(events, at)))
      await port.send({
        event: 'gap',
        data: { position: at, message: 'the event you read last is no longer in the log: a failover lost the newest events' },
      });
    while (!over.aborted) {
      for await (const some of events.log(at, { batch })) {
        for (const event of some) {
          if (how.fits(event)) await port.send({ id: event.position, data: toCloudEvent(event) });
          if (over.aborted) break;
          at = event.position;
        }
        if (over.aborted) break;
      }
      await bell.after(at, over);
    }
    port.end({ reason: 'stopping', message: 'the operator is stopping: connect again' });
  } catch (error) {
    port.end({ reason: 'failed', message: 'the log could not be read', ...(error instanceof OperatorError ? bodyOf(error) : {}) });
    if (!(error instanceof OperatorError)) throw error;
  } finally {
    bell.leave();
    await beats;
  }

  async function beat(): Promise<void> {
    while (!over.aborted) {
      await clock.sleep(how.heartbeat, over).catch(() => undefined);
      if (!over.aborted) port.heartbeat(at === origin ? undefined : at);
    }
  }
}

/** An event that was read once and is neither there nor trimmed was lost. Positions alone don't show it: new ones are soon past the lost. */
async function isLost(events: Follow['events'], position: Position): Promise<boolean> {
  if (position === origin) return false;
  const { first } = await events.extent();
  if (comparePositions(position, first) < 0) return false;
  for await (const [event] of events.log(justBefore(position), { batch: 1 })) return event?.position !== position;
  return true;
}
