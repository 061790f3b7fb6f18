import type { RecordedEvent } from '../../domain/event/index.ts';
import type {
  AuditLogQueries,
  Clock,
  CommandLog,
  CommandQueries,
  Dispatcher,
  EventStore,
  Health,
  Log,
  Metrics,
  ProjectionAdmin,
  Session,
} from '../../domain/ports/index.ts';

/** `reconciler` of `GET /status`, in the wire's keys. */
export interface ReconcilerStatus {
  readonly is_active: boolean;
  readonly last_update?: string;
  readonly results: readonly {
    readonly resource_kind: string;
    readonly resource_name: string;
    readonly resource_namespace: string;
    readonly messages: readonly { readonly message: string }[];
  }[];
}

/** What the routes speak with. All of it may come after the start: until then its routes answer 503 NOT_READY. */
export interface HttpParts {
  readonly dispatcher: Dispatcher;
  readonly health: Health;
  readonly auditLog: AuditLogQueries;
  readonly commandQueries: CommandQueries;
  readonly commandLog: Pick<CommandLog, 'parked' | 'retry' | 'discard'>;
  readonly projections: ProjectionAdmin;
  readonly events: Pick<EventStore, 'log' | 'end' | 'extent'>;
  /** Appends events of an export in their order. Without it `POST /api/v1/events/import` answers 503. */
  readonly importEvents: (events: readonly RecordedEvent[]) => Promise<{ readonly imported: number; readonly known: number }>;
  /** Namespaces of a workspace for the audit log's filter; undefined when there is no such workspace. */
  readonly namespacesOf: (workspace: string) => readonly string[] | undefined;
  readonly status: () => ReconcilerStatus;
  /**
   * Waits, bounded, until the views have seen what was finished before the call, whoever asked for it. A sentence when they have not: the answer
   * may be stale then. Without it views are read as they are.
   */
  readonly fresh: (views: readonly string[]) => Promise<string | undefined>;
}

export interface Tokens {
  /** The configured token, read at each request so that it can change; empty or undefined: there is none. */
  readonly bearer?: () => string | undefined;
  /** TokenReview: whose token this is, undefined when it isn't valid. Throws `ClusterUnavailable`. */
  readonly review?: (token: string) => Promise<{ readonly username: string; readonly groups: readonly string[] } | undefined>;
  /**
   * Groups whose members may call with a token that was reviewed. Every pod of a cluster has a valid token: without this list
   * any of them could run every command. Default: `system:masters`.
   */
  readonly groups?: readonly string[];
}

/** All have defaults. Times in milliseconds, sizes in bytes. */
export interface HttpLimits {
  readonly body: number;
  readonly headers: number;
  /** Requests of one client per second in the long run, and at once. */
  readonly rate: number;
  readonly burst: number;
  /** Server-sent event streams open at once. */
  readonly streams: number;
  /** How long a stream waits for its reader before it ends with a reason. */
  readonly slowReader: number;
  readonly heartbeat: number;
  /** Events looked at for one page of `GET /events`, whatever fits its filter. */
  readonly scan: number;
  readonly connections: number;
  readonly headerTimeout: number;
  readonly requestTimeout: number;
  readonly idleTimeout: number;
  /** How long a decision about a Kubernetes token is remembered. */
  readonly reviewCache: number;
}

export const defaultLimits: HttpLimits = {
  body: 2 * 1024 * 1024,
  headers: 64 * 1024,
  rate: 100,
  burst: 200,
  streams: 64,
  slowReader: 30_000,
  heartbeat: 15_000,
  scan: 200_000,
  connections: 4_096,
  headerTimeout: 10_000,
  requestTimeout: 60_000,
  idleTimeout: 120_000,
  reviewCache: 60_000,
};

export interface HttpApiOptions {
  /** `host:port` or `:port` (all interfaces); port 0 takes a free one. */
  readonly address: string;
  /** What `/healthz` tells. */
  readonly version: { readonly version: string; readonly branch: string; readonly hash: string; readonly buildAt: string };
  readonly tokens: Tokens;
  readonly metrics: Metrics & { text(): Promise<{ readonly contentType: string; readonly body: string }> };
  readonly clock: Clock;
  readonly log: Log;
  /** What the callers have written and read: their queries wait for it. Default: one of this API's own. */
  readonly session?: Session;
  readonly limits?: Partial<HttpLimits>;
  readonly parts?: Partial<HttpParts>;
}
