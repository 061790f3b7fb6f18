/**
 * What is to be done about an error, decided where it is defined:
 * `answer` it is the caller's to mend; `retry` it passes, try again with backoff; `wait` for something that is named;
 * `stalled` a person or a new generation must come; `bug` ours.
 */
export type Handling = 'answer' | 'retry' | 'wait' | 'stalled' | 'bug';

export interface ErrorTraits {
  /** HTTP status; `statusCode` of a result. 401 is never used: the platform would log its user out. */
  readonly status: number;
  readonly handling: Handling;
  /** What the reader can do about it. Stands in docs/errors.md beside the code. */
  readonly remedy: string;
}

/** An error of the table. Code and data are for programs, the message is for people; nobody parses it. */
export class OperatorError<Data = unknown> extends Error {
  override readonly name = 'OperatorError';
  readonly code: string;
  readonly status: number;
  readonly handling: Handling;
  readonly data: Data;

  constructor(code: string, traits: ErrorTraits, message: string, data: Data, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = traits.status;
    this.handling = traits.handling;
    this.data = data;
  }
}

export interface ErrorDefinition<Data> {
  (data: Data, cause?: unknown): OperatorError<Data>;
  readonly code: string;
  readonly traits: ErrorTraits;
  is(error: unknown): error is OperatorError<Data>;
}

const table = new Map<string, ErrorTraits>();

/** Adds an error to the table. A code stands there once. */
export function defineError<Data>(code: string, traits: ErrorTraits, message: (data: Data) => string): ErrorDefinition<Data> {
  if (table.has(code)) throw new TypeError(`the error ${code} is defined twice`);
  table.set(code, traits);
  const make = (data: Data, cause?: unknown) => new OperatorError<Data>(code, traits, message(data), data, cause);
  const is = (error: unknown): error is OperatorError<Data> => error instanceof OperatorError && error.code === code;
  return Object.assign(make, { code, traits, is });
}

/** The whole table: code -> traits, for the docs and their test. */
export const errorTable: ReadonlyMap<string, ErrorTraits> = table;

const answer = (status: number, remedy: string): ErrorTraits => ({ status, handling: 'answer', remedy });
const retry = (status: number, remedy: string): ErrorTraits => ({ status, handling: 'retry', remedy });
const bug = (remedy: string): ErrorTraits => ({ status: 500, handling: 'bug', remedy });

// --- requests ---
export const RequestInvalid = defineError<{ text: string }>(
  'REQUEST_INVALID',
  answer(400, 'Correct the fields that the message names.'),
  (e) => e.text,
);
export const PatternUnknown = defineError<{ pattern: string }>(
  'PATTERN_UNKNOWN',
  answer(400, 'Ask `describe` for the patterns this release serves.'),
  (e) => `No handler for pattern '${e.pattern}' found`,
);
export const UserRequired = defineError<{ pattern: string }>(
  'USER_REQUIRED',
  answer(403, 'Send `user.email` with the request: this pattern needs to know who asks.'),
  (e) => `${e.pattern} needs a user: user.email is missing`,
);
export const CommandIdReused = defineError<{ id: string }>(
  'COMMAND_ID_REUSED',
  answer(409, 'Use a new id for a new request; the same id is for the same request sent again.'),
  (e) => `the id "${e.id}" was used before for another request`,
);
export const Internal = defineError<{ id: string }>(
  'INTERNAL',
  bug('Look for the id in the log of the operator and report it.'),
  (e) => `internal error while handling "${e.id}"`,
);

// --- the pipeline ---
export const DeadlineExceeded = defineError<{ pattern: string; deadline: string }>(
  'DEADLINE_EXCEEDED',
  answer(504, 'The outcome is not known here yet: look the command up by its id, or send the same id again.'),
  (e) => `${e.pattern} did not finish within ${e.deadline}`,
);
export const CommandCancelled = defineError<{ id: string }>(
  'COMMAND_CANCELLED',
  answer(408, 'Send it again with a new id if it is still wanted.'),
  (e) => `the command "${e.id}" was cancelled`,
);
export const CommandDiscarded = defineError<{ id: string }>(
  'COMMAND_DISCARDED',
  answer(409, 'A person discarded the parked command. Send it with a new id if it is still wanted.'),
  (e) => `the command "${e.id}" was discarded`,
);
export const CommandParked = defineError<{ id: string; reason: string }>(
  'COMMAND_PARKED',
  answer(503, 'Mend the cause, then retry or discard the parked command.'),
  (e) => `the command "${e.id}" was parked: ${e.reason}`,
);
export const CommandNotFound = defineError<{ id: string }>(
  'COMMAND_NOT_FOUND',
  answer(404, 'Check the id; commands are kept as long as the log.'),
  (e) => `no command has the id "${e.id}"`,
);
export const QueueFull = defineError<object>(
  'QUEUE_FULL',
  retry(429, 'Wait until commands are finished, then send it again.'),
  () => 'too many commands are waiting',
);
export const ShuttingDown = defineError<object>(
  'SHUTTING_DOWN',
  retry(503, 'Send it again: another replica or the restarted one answers.'),
  () => 'the operator is shutting down',
);

export const SealBroken = defineError<{ id: string }>(
  'SEAL_BROKEN',
  {
    status: 500,
    handling: 'stalled',
    remedy: 'The sealing key changed or the sealed request was altered: send the command again with a new id.',
  },
  (e) => `the sealed part of "${e.id}" can't be opened`,
);
export const SealExpired = defineError<{ id: string }>(
  'SEAL_EXPIRED',
  answer(409, 'Secrets are kept only until the deadline and its grace: send the command again with a new id.'),
  (e) => `the sealed part of "${e.id}" is no longer kept`,
);

// --- configuration ---
export const ConfigurationInvalid = defineError<{ text: string }>(
  'CONFIGURATION_INVALID',
  { status: 500, handling: 'stalled', remedy: 'Correct the setting that the message names; `mogenius-operator config` shows all of them.' },
  (e) => e.text,
);

// --- the event log ---
export const StoreUnavailable = defineError<{ reason: string }>(
  'STORE_UNAVAILABLE',
  retry(503, 'Check that Valkey runs and MO_VALKEY_ADDR leads there; then send the same id again.'),
  (e) => `the event log can't be reached: ${e.reason}`,
);
export const StoreFull = defineError<object>(
  'STORE_FULL',
  retry(503, 'Raise maxmemory of Valkey, or lower the retention of the log.'),
  () => 'the event log is full: Valkey is at maxmemory',
);
export const StoreUnsuitable = defineError<{ reason: string; remedy: string }>(
  'STORE_UNSUITABLE',
  { status: 503, handling: 'stalled', remedy: 'Change the setting of Valkey that the message names, then start again.' },
  (e) => `Valkey can't hold the event log: ${e.reason}. ${e.remedy}`,
);
export const StreamNotIndexed = defineError<{ stream: string }>(
  'STREAM_NOT_INDEXED',
  bug('Read the views instead: streams of commands have no index.'),
  (e) => `the stream ${e.stream} keeps no index of its own`,
);
export const PositionTrimmed = defineError<{ position: string; first: string }>(
  'POSITION_TRIMMED',
  answer(410, 'Start at the position that the message names, or rebuild what was read.'),
  (e) => `events after ${e.position} were removed; history begins at ${e.first}`,
);
export const PositionInvalid = defineError<{ text: string }>(
  'POSITION_INVALID',
  answer(400, 'A position looks like 1719000000000-0.'),
  (e) => `"${e.text}" is no position`,
);
export const EventUnknown = defineError<{ type: string; schema: number }>(
  'EVENT_UNKNOWN',
  { status: 500, handling: 'stalled', remedy: 'The event was written by a newer release: start that release or a later one.' },
  (e) => `an event ${e.type} of schema ${e.schema} is not known to this release`,
);

// --- the archive ---
export const ArchiveUnavailable = defineError<{ archive: string; reason: string }>(
  'ARCHIVE_UNAVAILABLE',
  retry(503, 'Check that the folder of MO_ARCHIVE_PATH can be written, or that the EventStoreDB of MO_EVENTSTOREDB_URL answers.'),
  (e) => `the archive ${e.archive} can't be used: ${e.reason}`,
);
export const SegmentDamaged = defineError<{ segment: string; reason: string }>(
  'SEGMENT_DAMAGED',
  {
    status: 500,
    handling: 'stalled',
    remedy: 'Put the segment that the message names back from a copy. The log is not trimmed until then.',
  },
  (e) => `the archived segment ${e.segment} is damaged: ${e.reason}`,
);
export const ExportInvalid = defineError<{ line: number; reason: string }>(
  'EXPORT_INVALID',
  answer(400, 'Export the events again: the file is cut off, changed, or none of `events export`.'),
  (e) => `line ${e.line} of the export: ${e.reason}`,
);

// --- views ---
export const ViewStale = defineError<{ view: string }>(
  'VIEW_STALE',
  retry(503, 'The view lags behind what was just written: ask again.'),
  (e) => `the view ${e.view} has not caught up yet`,
);
export const ViewNotFound = defineError<{ view: string }>(
  'VIEW_NOT_FOUND',
  answer(404, 'List the projections for their names.'),
  (e) => `no projection is called "${e.view}"`,
);

// --- Kubernetes ---
/** A refusal of the API server. Status and reason are its own; the message is what it said. */
export const ClusterRefused = Object.assign(
  (data: { status: number; reason: string; message: string }, cause?: unknown) =>
    new OperatorError(
      'CLUSTER_REFUSED',
      { ...clusterTraits, status: clusterStatus(data), handling: data.status === 429 || data.status >= 500 ? 'retry' : 'answer' },
      data.message,
      data,
      cause,
    ),
  {
    is: (error: unknown): error is OperatorError<{ status: number; reason: string; message: string }> =>
      error instanceof OperatorError && error.code === 'CLUSTER_REFUSED',
  },
);
const clusterTraits: ErrorTraits = answer(
  400,
  'The API server refused it; its sentence says why. The status is the one it gave, but 401 becomes 403.',
);
table.set('CLUSTER_REFUSED', clusterTraits);

export const ClusterUnavailable = defineError<{ reason: string }>(
  'CLUSTER_UNAVAILABLE',
  retry(503, 'Check that the API server answers and the kubeconfig leads there.'),
  (e) => `the Kubernetes API can't be reached: ${e.reason}`,
);
export const ClusterConfigMissing = defineError<{ looked: readonly string[] }>(
  'CLUSTER_CONFIG_MISSING',
  { status: 503, handling: 'stalled', remedy: 'Run inside a cluster, or set KUBECONFIG to a file that leads to one.' },
  (e) => `no usable Kubernetes configuration; looked at ${e.looked.join(', ')}`,
);
export const CrdsUnreadable = defineError<{ file: string; reason: string }>(
  'CRDS_UNREADABLE',
  bug('The custom resource definitions belong to the program: install it anew, or correct the file that the message names.'),
  (e) => `custom resource definitions can't be read from ${e.file}: ${e.reason}`,
);
export const ObjectNotFound = defineError<{ kind: string; name: string }>(
  'OBJECT_NOT_FOUND',
  answer(404, 'Check the name; the list pattern of the kind shows what there is.'),
  (e) => `${e.kind} "${e.name}" not found`,
);

// --- the HTTP API ---
export const NotReady = defineError<{ what: string }>(
  'NOT_READY',
  retry(503, 'The operator is starting: `/readyz` says what it waits for; then ask again.'),
  (e) => `${e.what} is not there yet`,
);
export const AccessDenied = defineError<{ reason: string }>(
  'ACCESS_DENIED',
  answer(
    403,
    'Send `Authorization: Bearer <token>` with MO_HTTP_TOKEN or a Kubernetes token that may call; or call from the same machine by its name localhost, bodies as application/json.',
  ),
  (e) => e.reason,
);
export const RouteUnknown = defineError<{ path: string }>(
  'ROUTE_UNKNOWN',
  answer(404, '`/api-doc` lists the routes.'),
  (e) => `nothing is served at ${e.path}`,
);
export const MethodNotAllowed = defineError<{ method: string; allowed: readonly string[] }>(
  'METHOD_NOT_ALLOWED',
  answer(405, 'Use one of the methods that `Allow` names.'),
  (e) => `${e.method} is not served here, only ${e.allowed.join(', ')}`,
);
export const BodyTooLarge = defineError<{ bytes: number }>(
  'BODY_TOO_LARGE',
  answer(413, 'Send less in one request.'),
  (e) => `the body is larger than ${e.bytes} bytes`,
);
export const MediaTypeUnsupported = defineError<object>(
  'MEDIA_TYPE_UNSUPPORTED',
  answer(415, 'Send the body with `Content-Type: application/json`.'),
  () => 'the body is no application/json',
);
export const RateLimited = defineError<{ seconds: number }>(
  'RATE_LIMITED',
  retry(429, 'Ask again after the seconds that `Retry-After` names.'),
  (e) => `too many requests: ask again in ${e.seconds} s`,
);
export const StreamsExhausted = defineError<{ most: number }>(
  'STREAMS_EXHAUSTED',
  retry(503, 'Close streams that nobody reads, or page through `/api/v1/events`.'),
  (e) => `${e.most} streams are open already`,
);
export const EventNotFound = defineError<{ position: string }>(
  'EVENT_NOT_FOUND',
  answer(404, 'List events to see which positions there are.'),
  (e) => `no event stands at ${e.position}`,
);
export const ParkedNotFound = defineError<{ id: string }>(
  'PARKED_NOT_FOUND',
  answer(404, 'List the parked commands; this one was retried or discarded before, or never parked.'),
  (e) => `no parked command has the id "${e.id}"`,
);
export const HttpAddressUnusable = defineError<{ address: string; reason: string }>(
  'HTTP_ADDRESS_UNUSABLE',
  { status: 500, handling: 'stalled', remedy: 'Set MO_HTTP_ADDR to an address and port that are free, or stop what listens there.' },
  (e) => `the HTTP API can't listen on ${e.address}: ${e.reason}`,
);

/** A request that was carried out and failed. The status is the one of its result; the message is the handler's. */
export const RequestFailed = (data: { status: number; message: string }) =>
  new OperatorError('REQUEST_FAILED', { ...failedTraits, status: data.status }, data.message, data);
const failedTraits: ErrorTraits = answer(
  400,
  'The message says why. For a command `/api/v1/commands/<id>/chain` shows what it did. The status is the one of the result.',
);
table.set('REQUEST_FAILED', failedTraits);

/** Reasons come before codes: a ServerTimeout carries 500 and means 504. */
function clusterStatus({ status, reason }: { status: number; reason: string }): number {
  switch (reason) {
    case 'NotFound':
      return 404;
    case 'AlreadyExists':
    case 'Conflict':
      return 409;
    case 'Forbidden':
    case 'Unauthorized':
      return 403;
    case 'Invalid':
    case 'BadRequest':
    case 'NotAcceptable':
    case 'UnsupportedMediaType':
      return 400;
    case 'Timeout':
    case 'ServerTimeout':
      return 504;
    case 'TooManyRequests':
      return 429;
    case 'ServiceUnavailable':
      return 503;
    default:
      return status === 401 ? 403 : status >= 400 && status <= 599 ? status : 400;
  }
}

/** Any thrown value as an error of the table: what is none of ours is a bug with an id to look for. */
export function asOperatorError(error: unknown, id: string): OperatorError {
  return error instanceof OperatorError ? error : Internal({ id }, error);
}
