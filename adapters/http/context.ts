import { NotReady } from '../../domain/errors.ts';
import { origin } from '../../domain/event/index.ts';
import type { Session } from '../../domain/ports/index.ts';
import { defaultLimits, type HttpApiOptions, type HttpLimits, type HttpParts } from './options.ts';

/** What all routes share. */
export interface Context extends Omit<HttpApiOptions, 'limits' | 'session' | 'parts'> {
  readonly limits: HttpLimits;
  readonly session: Session;
  /** Throws `NotReady` while the part is not there. */
  part<Name extends keyof HttpParts>(name: Name): HttpParts[Name];
  has(name: keyof HttpParts): boolean;
  provide(parts: Partial<HttpParts>): void;
  /** Aborts when the API stops: streams end, readiness goes off. */
  readonly stopping: AbortSignal;
}

const names: Readonly<Record<keyof HttpParts, string>> = {
  dispatcher: 'the command pipeline',
  health: 'the state of what the operator depends on',
  auditLog: 'the audit log',
  commandQueries: 'the view of the commands',
  commandLog: 'the command log',
  projections: 'the projections',
  events: 'the event log',
  importEvents: 'importing events',
  namespacesOf: 'the list of workspaces',
  status: 'the reconciler',
  fresh: 'the freshness of views',
};

export function createContext(options: HttpApiOptions, stopping: AbortSignal): Context {
  const { limits, session, parts, ...rest } = options;
  let held: Partial<HttpParts> = { ...parts };
  return {
    ...rest,
    limits: { ...defaultLimits, ...limits },
    session: session ?? { position: origin },
    stopping,
    part(name) {
      const found = held[name];
      if (found === undefined) throw NotReady({ what: names[name] });
      return found;
    },
    has: (name) => held[name] !== undefined,
    provide(more) {
      held = { ...held, ...more };
    },
  };
}
