import { existsSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createSandbox } from '../../../adapters/sandbox/index.ts';
import { type Peer, peerOf } from './peer.ts';

export interface Target {
  readonly name: string;
  readonly real: boolean;
  /** Why it can't be tested here, or false. */
  readonly missing: string | false;
  open(): Promise<{ readonly peer: Peer; readonly close: () => Promise<void> }>;
}

/** The first file of KUBECONFIG that is there. */
function kubeconfig(): string | undefined {
  return (process.env.KUBECONFIG ?? '').split(delimiter).find((file) => file !== '' && existsSync(file));
}

export const sandbox: Target = {
  name: 'sandbox',
  real: false,
  missing: false,
  async open() {
    const server = createSandbox({ clock: systemClock });
    await server.start(AbortSignal.timeout(30_000));
    const peer = peerOf(server.kubeconfig());
    return {
      peer,
      async close() {
        await peer.close();
        await server.stop({ deadline: 1_000 });
      },
    };
  },
};

export const realServer: Target = {
  name: 'real API server',
  real: true,
  missing: kubeconfig() === undefined ? 'KUBECONFIG names no file: there is no API server to compare with' : false,
  async open() {
    const peer = peerOf(readFileSync(kubeconfig() ?? '', 'utf8'));
    return { peer, close: () => peer.close() };
  },
};
