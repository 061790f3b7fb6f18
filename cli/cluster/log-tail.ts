import type { Position, RecordedEvent } from '../../domain/event/index.ts';
import type { Clock, DependencyState, Log, Module } from '../../domain/ports/index.ts';
import type { Storage } from './storage.ts';

export interface LogTailOptions {
  readonly storage: Pick<Storage, 'session' | 'has'>;
  /** Makes up for it: what was kept in memory knows of events that are not in the log any more. */
  readonly onLost: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface LogTail extends Module {
  /** Told of every event that the log's reader sees. */
  seen(event: RecordedEvent): void;
  /** What was lost since this process runs; nothing when nothing was. */
  states(): readonly DependencyState[];
}

const interval = 250;

/**
 * Notices that the log lost its end: a replica was promoted that had not got everything, or the machine of Valkey lost power before the disk had
 * it. Positions do not show it, new ones are soon past the lost ones; so after each new connection the event that was read last is looked for.
 */
export function createLogTail({ storage, onLost, clock, log }: LogTailOptions): LogTail {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let checked: unknown;
  let last: RecordedEvent | undefined;
  let lost: { readonly after: Position; readonly at: string } | undefined;

  async function look(): Promise<void> {
    const session = storage.session();
    if (session === undefined || session === checked) return;
    if (last && (await storage.has(last.position, last.id)) === 'absent') {
      lost = { after: last.position, at: new Date(clock.now()).toISOString() };
      log.error('Valkey lost the newest events of the log; what they told is read anew from the cluster', { read: last.position });
      await onLost();
      last = undefined;
    }
    checked = session;
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      await clock.sleep(interval, stopping.signal).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        await look();
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1) log.warn('whether the log is whole can not be told yet', { error });
      }
    }
  }

  return {
    name: 'log-tail',
    seen(event) {
      // What comes over a new connection must not cover what is yet to be looked for.
      if (storage.session() === checked) last = event;
    },
    states: () =>
      lost === undefined
        ? []
        : [
            {
              name: 'log',
              state: 'degraded',
              required: false,
              reason: `Valkey lost events at or before ${lost.after}, noticed ${lost.at}: commands of that time may be without a trace. MO_EVENT_DURABILITY=fsync prevents it on one server.`,
            },
          ],
    async start() {
      checked = storage.session();
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
      return { dropped: [] };
    },
  };
}
