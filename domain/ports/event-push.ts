/** What is told to the platform without being asked. `payload` and `user` have the wire's keys. */
export interface PlatformEvent {
  /** `ClusterEvent`, `AuditLogEvent`, `K8sNotificationDto`, ... */
  readonly pattern: string;
  readonly payload: unknown;
  readonly user?: {
    readonly firstName?: string;
    readonly lastName?: string;
    readonly email?: string;
    readonly source?: string;
    readonly apiKey?: { readonly id?: string; readonly name?: string };
    readonly isMcpRequest?: boolean;
  };
  readonly workspace?: string;
}

export interface PushedFrom<Event extends PlatformEvent> {
  /** Name of the stream, for metrics. */
  readonly stream: string;
  /** Adds `seq` (from 1, without a gap) and `bootId` to each payload. */
  readonly numbered?: boolean;
  readonly signal: AbortSignal;
  /** The platform's side has read this event and all before it. A place to move a checkpoint. */
  delivered?(event: Event): void;
}

/**
 * The way up. Each stream is ordered; streams do not wait for each other. After a lost connection some of what was sent last may come twice,
 * with the same id and `seq`: nothing that was sent is lost in between.
 */
export interface EventPush {
  /**
   * Takes a snapshot of the event and returns at once. While the platform is slow or away the newest 1,000 of a stream wait, the oldest is dropped
   * and counted. Of events with the same `key` only the newest waits, in the place of the first. `numbered` as in `PushedFrom`: drops leave a gap in `seq`.
   */
  push(event: PlatformEvent, how: { readonly stream: string; readonly key?: string; readonly numbered?: boolean }): void;
  /**
   * Sends what the source gives, in order, and asks it for the next only when there is room: nothing is dropped, the source waits instead
   * (a reader of the log keeps its place). Resolves when the source ends or the signal aborts; rejects with what the source throws.
   */
  pushFrom<Event extends PlatformEvent>(source: AsyncIterable<Event>, how: PushedFrom<Event>): Promise<void>;
}
