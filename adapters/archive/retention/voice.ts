import type { OperatorError } from '../../../domain/errors.ts';
import type { Position } from '../../../domain/event/index.ts';
import type { Segment } from '../../../domain/ports/index.ts';
import type { RetentionOptions } from './options.ts';
import type { Bounds } from './trimming.ts';

/** What the retention tells: each finding once when it begins and once when it ends, never at every pass. */
export interface Voice {
  archived(segment: Segment): void;
  trimmed(events: number): void;
  hole(after: Position): void;
  lost(position: Position): void;
  bounds(bounds: Bounds, stuck: string | undefined): void;
  failed(error: OperatorError): void;
  worked(): void;
}

export function createVoice({ log: parent, metrics, archive }: Pick<RetentionOptions, 'log' | 'metrics' | 'archive'>): Voice {
  const log = parent.component('retention');
  const segments = metrics.counter('mogenius_operator_archived_segments_total', 'Segments of the log that were archived and read back.');
  const events = metrics.counter('mogenius_operator_archived_events_total', 'Events that were archived and read back.');
  const removed = metrics.counter('mogenius_operator_trimmed_events_total', 'Events that left the log for the archive.');
  const bytes = metrics.gauge('mogenius_operator_event_log_bytes', 'Bytes that the log takes in its store.');
  const bound = metrics.gauge('mogenius_operator_event_log_bound_bytes', 'Bytes that the log may take.');
  const isStuck = metrics.gauge('mogenius_operator_event_log_stuck', '1 while the log is past its bound and can not be trimmed.');
  const losses = metrics.counter('mogenius_operator_event_log_losses_total', 'Times the log had lost what the archive holds.');
  let stuckFor: string | undefined;
  let failing: string | undefined;

  return {
    archived(segment) {
      segments.add(1);
      events.add(segment.events);
      log.info(`segment ${segment.number} archived ${archive?.name ?? ''}`, {
        first: segment.first,
        last: segment.last,
        events: segment.events,
        bytes: segment.bytes,
      });
    },
    trimmed(count) {
      if (count === 0) return;
      removed.add(count);
      log.info(`${count} archived events left the log`);
    },
    hole: (after) => log.warn('events left the log before this archive began: its history has a hole', { before: after }),
    lost(position) {
      losses.add(1);
      log.error(
        'the log lost its end: the last archived event is no longer in it. A failover of the store lost writes; the archive keeps them.',
        {
          position,
        },
      );
    },
    bounds(now, stuck) {
      bytes.set(now.bytes);
      bound.set(now.bound);
      isStuck.set(stuck === undefined ? 0 : 1);
      if (stuck !== undefined && stuck !== stuckFor)
        log.warn('the log is past its bound and can not be trimmed', { reason: stuck, bytes: now.bytes, bound: now.bound });
      if (stuck === undefined && stuckFor !== undefined)
        log.info('the log is within its bound again', { bytes: now.bytes, bound: now.bound });
      stuckFor = stuck;
    },
    failed(error) {
      if (error.message === failing) return;
      failing = error.message;
      const cause = error.cause instanceof Error ? error.cause.message : undefined;
      log.error(`the log is neither archived nor trimmed: ${error.message}`, {
        code: error.code,
        ...(cause === undefined ? {} : { cause }),
      });
    },
    worked() {
      if (failing !== undefined) log.info('the log is archived again');
      failing = undefined;
    },
  };
}
