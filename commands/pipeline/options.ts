import type { Attribution } from '../../domain/command/index.ts';
import type { Position } from '../../domain/event/index.ts';
import type { CommandLog, Metrics, Sealer, StoredObject } from '../../domain/ports/index.ts';
import type { Ports, Registry } from '../registry/index.ts';

/** Places of the pipeline at which a test stops the process, in the order a command passes them. */
export const pipelinePoints = [
  'received',
  'before-accept',
  'accepted',
  'claimed',
  'decided',
  'before-record',
  'recorded',
  'before-effect',
  'after-effect',
  'before-finish',
  'finished',
  'before-reply',
  'replied',
] as const;
export type PipelinePoint = (typeof pipelinePoints)[number];

/** What the audit log may see, and what it says of an object. */
export interface AuditPolicy {
  /** A copy in which no secret is left. The same value again when there was none. */
  redact(value: unknown): unknown;
  /** Attribution and diff of what a command did to an object; the diff is redacted. */
  describe(
    before: StoredObject | undefined,
    after: StoredObject | undefined,
  ): { readonly attribution?: Attribution; readonly diff?: string };
}

export interface PipelineOptions {
  readonly registry: Registry;
  readonly commandLog: CommandLog;
  readonly sealer: Sealer;
  readonly audit: AuditPolicy;
  readonly ports: Ports;
  readonly metrics: Metrics;
  /** Resolves when the view has seen the position; rejects after `deadline` ms. */
  readonly waitFor: (view: string, position: Position, deadline: number) => Promise<void>;
  /** This process among the replicas. */
  readonly owner: string;
  /** Commands handled at once. */
  readonly concurrency: number;
  /** ms a claim lasts without being renewed. */
  readonly lease: number;
  /** Claims after which a command is parked. */
  readonly maxAttempts: number;
  /** Called at each point a command passes; a test may end the process there. */
  readonly probe?: (point: PipelinePoint, command: string) => void | Promise<void>;
}

/** How long a second attempt looks for what the first one did, once the deadline is over, in ms. */
export const afterDeadline = 10_000;
/** How long a query may take, and how long it waits for its view, in ms. */
export const queryDeadline = 60_000;
export const freshnessDeadline = 2_000;
