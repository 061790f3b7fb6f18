import type { Clock, ObjectSource } from '../../../domain/ports/index.ts';
import { apiVersionOf } from '../../../domain/ports/index.ts';
import type { ClusterAccess } from '../access/index.ts';
import { createTransport, type TransportOptions } from '../transport.ts';
import { follow } from './follow.ts';
import { listWatch } from './list-watch.ts';

export interface ObjectSourceOptions extends TransportOptions {
  readonly clock: Clock;
  /** Milliseconds of silence after which a watch is made anew. Default 150,000. */
  readonly silence?: number;
}

/** The port, and the end of its connections: to be called when all signals have aborted. */
export type ConnectedObjectSource = ObjectSource & { close(): Promise<void> };

/** Reflectors over connections of their own: lists of thousands don't take the sockets of commands. */
export function createObjectSource(access: ClusterAccess, options: ObjectSourceOptions): ConnectedObjectSource {
  const { clock, silence = 150_000 } = options;
  const log = options.log.component('reflector');
  const transport = createTransport(access, { connections: 8, ...options, log });
  return {
    follow(kind, { namespace, signal, handle }) {
      const name = `${apiVersionOf(kind)} ${kind.plural}${namespace === undefined ? '' : ` in ${namespace}`}`;
      return follow({ name, source: listWatch(transport, kind, namespace), clock, log, silence, signal, handle });
    },
    close: () => transport.close(),
  };
}
