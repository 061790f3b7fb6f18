import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Closes those without a request under way, and each other one when its last answer is out. */
  drain(): void;
  /** Requests that are not answered yet. */
  busy(): number;
}

/**
 * Which connections have a request under way, instead of Node's own count. That one takes an answer for done as soon as it is written,
 * though its reader has not got it: a stop would cut it in the middle. And it takes a connection that never asked anything for busy: a
 * stop would wait for it until the header timeout.
 */
export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, number>();
  let draining = false;
  server.on('connection', (socket) => {
    // The listener closes a moment after the stop began.
    if (draining) return void socket.destroy();
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const count = (by: number) => {
      const before = open.get(socket);
      if (before !== undefined) open.set(socket, before + by);
    };
    count(1);
    response.once('close', () => {
      count(-1);
      if (draining && open.get(socket) === 0) socket.destroySoon();
    });
  });
  // `close` calls it.
  server.closeIdleConnections = () => {
    for (const [socket, requests] of open) if (requests === 0) socket.destroy();
  };
  return {
    drain() {
      draining = true;
      server.closeIdleConnections();
    },
    busy: () => [...open.values()].reduce((sum, requests) => sum + requests, 0),
  };
}
