import { ClusterUnavailable, OperatorError } from '../../domain/errors.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Milliseconds left. */
  left(): number;
  /** The error to throw for what went wrong. The caller's own abort stays what the caller gave as its reason. */
  explain(error: unknown, read: boolean): unknown;
  clear(): void;
}

/** A signal that aborts after `ms` or with the caller's. Built by hand: `AbortSignal.any` and `timeout` cost more than the rest of a request's overhead. */
export function deadlineOf(ms: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const until = performance.now() + ms;
  const timer = setTimeout(() => controller.abort(), ms);
  const forward = () => controller.abort(caller?.reason);
  if (caller?.aborted) forward();
  else caller?.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    left: () => Math.max(0, until - performance.now()),
    explain(error, read) {
      if (caller?.aborted) return caller.reason;
      if (error instanceof OperatorError) return error;
      const reason = controller.signal.aborted ? `no answer within ${ms / 1000} s` : describe(error);
      const unknown = read || neverSent(error) ? '' : '; it is not known whether the change was made';
      return ClusterUnavailable({ reason: reason + unknown }, error);
    },
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', forward);
    },
  };
}

const code = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '');

/** Failures of making a connection: no byte of the request has left. */
const neverSent = (error: unknown): boolean =>
  ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(code(error));

/** Several addresses tried in vain come as one error without a message of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (error instanceof Error) return error.message || code(error) || error.name;
  return 'the connection failed';
}
