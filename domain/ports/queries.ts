import type { Actor, Position, RecordedEvent, StreamName } from '../event/index.ts';

/** One entry of the audit log in the wire's shape (keys as `audit-log/list` answers them). */
export interface AuditLogEntry {
  readonly requestId?: string;
  readonly pattern: string;
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** False too while there is no outcome: then `error` says so. */
  readonly success: boolean;
  readonly payload?: unknown;
  readonly diff?: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly createdAt: string;
  readonly user: Readonly<Record<string, unknown>>;
  readonly workspace?: string;
  /** Ours: `pending` until there is an outcome, `abandoned` when there will be none. */
  readonly outcome: 'succeeded' | 'failed' | 'pending' | 'abandoned';
  /** Ours: command -> steps -> what changed in the cluster, as event ids and positions in order. */
  readonly chain: readonly {
    readonly id: string;
    readonly type: string;
    readonly position: Position;
    readonly stream: StreamName;
    readonly causationid?: string;
  }[];
}

export interface AuditLogQueries {
  /** The entry of one request; undefined when there is none (any more). */
  one(requestId: string): Promise<AuditLogEntry | undefined>;
  /**
   * Newest first. `namespaces`: only entries of these (an empty list finds nothing); absent: all. `workspace` adds the chat of this workspace to
   * them, whose entries have no namespace; without `namespaces` it finds the chat alone.
   */
  list(query: {
    readonly limit: number;
    readonly offset: number;
    readonly namespaces?: readonly string[];
    readonly workspace?: string;
    readonly search?: string;
  }): Promise<{ readonly entries: readonly AuditLogEntry[]; readonly total: number }>;
}

/** A command as the views know it. */
export interface CommandStatus {
  readonly id: string;
  readonly pattern: string;
  readonly aggregate: string;
  readonly phase: 'accepted' | 'succeeded' | 'failed' | 'abandoned' | 'parked';
  readonly since: string;
  readonly until?: string;
  readonly actor?: Actor;
  readonly workspace?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly position: Position;
}

export interface CommandQueries {
  one(id: string): Promise<CommandStatus | undefined>;
  /** Newest first. */
  list(query: {
    readonly limit: number;
    readonly offset: number;
    readonly phase?: CommandStatus['phase'];
  }): Promise<{ readonly items: readonly CommandStatus[]; readonly total: number }>;
  /** The events of one command and what they led to, in log order. */
  chain(id: string): Promise<readonly RecordedEvent[]>;
}

export interface ProjectionStatus {
  readonly name: string;
  readonly kind: 'stored' | 'resident';
  readonly version: number;
  readonly generation: number;
  readonly position: Position;
  /** Events between its position and the log's end. */
  readonly lag: number;
  readonly state: 'running' | 'standing-by' | 'rebuilding' | 'stopped';
  /** Why it is stopped. */
  readonly reason?: string;
  /** 0 to 1 while it is rebuilt. */
  readonly progress?: number;
  /** Events that did not fit and were passed over, since the start of the process. */
  readonly skipped: number;
}

export interface ProjectionAdmin {
  list(): Promise<readonly ProjectionStatus[]>;
  /** Builds the view anew beside the live one and switches. Resolves when it is live. Throws `ViewNotFound`. */
  rebuild(name: string, how: { readonly signal: AbortSignal; readonly onProgress?: (done: number) => void }): Promise<ProjectionStatus>;
  /** Builds the view into a scratch build and compares it with the live one, row by row. Throws `ViewNotFound`. */
  verify(
    name: string,
    how: { readonly signal: AbortSignal },
  ): Promise<{ readonly equal: boolean; readonly rows: number; readonly differences: readonly string[] }>;
  /** Resolves when the view has seen `position`; rejects with `ViewStale` after `deadline` ms. */
  waitFor(name: string, position: Position, deadline: number): Promise<void>;
}

/** The state of one thing the operator depends on. */
export interface DependencyState {
  readonly name: string;
  readonly state: 'ok' | 'degraded' | 'failed' | 'unknown';
  /** One sentence: what is the matter and what to do. */
  readonly reason?: string;
  /** Whether readiness needs it. */
  readonly required: boolean;
}

export interface Health {
  dependencies(): Promise<readonly DependencyState[]>;
}
