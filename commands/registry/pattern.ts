import type { z } from 'zod';
import type { Attribution } from '../../domain/command/index.ts';
import type { Actor } from '../../domain/event/index.ts';
import type { AuditLogQueries, Clock, Cluster, Directory, Log, Observation, StoredObject } from '../../domain/ports/index.ts';

/** What handlers and queries may use of the world. */
export interface Ports {
  readonly cluster: Cluster;
  readonly directory: Directory;
  readonly auditLog: AuditLogQueries;
  readonly clock: Clock;
  readonly log: Log;
  /** `MO_OWN_NAMESPACE`. */
  readonly ownNamespace: string;
}

/** The command a handler works for. */
export interface CommandContext extends Ports {
  readonly command: { readonly id: string; readonly attempt: number };
  readonly actor: Actor;
  readonly workspace?: string;
  /** Aborts at the deadline, when the command is cancelled, and when the claim was lost to another replica. */
  readonly signal: AbortSignal;
  /** What earlier attempts recorded under this name. */
  recorded(name: string): Readonly<Record<string, unknown>> | undefined;
  /** Records something before the effect it belongs to. Throws when the claim was lost: then the effect must not be caused. */
  record(name: string, data: Readonly<Record<string, unknown>>): Promise<void>;
}

/** What a handler did. */
export interface Effect<Data> {
  readonly result: Data;
  /** The object before and after, for the audit entry: attribution and diff come from them. */
  readonly before?: StoredObject;
  readonly after?: StoredObject;
  /** What was seen of objects; appended with the outcome, so that who asked reads their own write. */
  readonly observations?: readonly Observation[];
}

interface Common<Request extends z.ZodType, Response extends z.ZodType> {
  readonly pattern: string;
  readonly request: Request;
  readonly response: Response;
  readonly needsUser?: boolean;
}

export interface CommandPattern<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType>
  extends Common<Request, Response> {
  readonly type: 'command';
  /** ms from acceptance. */
  readonly deadline: number;
  /** Which object the audit entry is about, before there is an object; `false` keeps it out of the audit log. */
  readonly audit: false | ((request: z.infer<Request>, ports: Pick<Ports, 'ownNamespace'>) => Attribution);
  /** Commands of one aggregate are handled one after the other. */
  readonly aggregate: (request: z.infer<Request>) => string;
  handle(request: z.infer<Request>, context: CommandContext): Promise<Effect<z.infer<Response>>>;
}

export interface QueryPattern<Request extends z.ZodType = z.ZodType, Response extends z.ZodType = z.ZodType>
  extends Common<Request, Response> {
  readonly type: 'query';
  /** The views it reads: it waits, bounded, until they have seen what was written before. Default: the directory. */
  readonly reads?: readonly string[];
  answer(request: z.infer<Request>, context: Ports & { readonly signal: AbortSignal }): Promise<z.infer<Response>> | z.infer<Response>;
}

export type Pattern = CommandPattern | QueryPattern;

/** Declares a command: validation, types, `describe`, the audit entry and the docs come from this one place. */
export const command = <Request extends z.ZodType, Response extends z.ZodType>(
  pattern: Omit<CommandPattern<Request, Response>, 'type'>,
): CommandPattern<Request, Response> => ({ type: 'command', ...pattern });

/** Declares a query. It is answered from views and never changes anything. */
export const query = <Request extends z.ZodType, Response extends z.ZodType>(
  pattern: Omit<QueryPattern<Request, Response>, 'type'>,
): QueryPattern<Request, Response> => ({
  type: 'query',
  ...pattern,
});
