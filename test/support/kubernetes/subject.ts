import { randomBytes } from 'node:crypto';
import type { Peer, Reply, Sending } from './peer.ts';
import type { Target } from './targets.ts';
import { thingDefinition } from './things.ts';
import { tidy } from './tidy.ts';
import type { Events } from './watch-lines.ts';

/** One server under test, with a namespace and a kind of this file alone. Volatile values in its answers are replaced by their names. */
export class Subject {
  readonly target: Target;
  readonly namespace: string;
  /** The group of the kind `Thing`. */
  readonly group: string;
  private peer: Peer | undefined;
  private shut: () => Promise<void> = async () => {};

  constructor(target: Target) {
    this.target = target;
    this.namespace = `contract-${randomBytes(4).toString('hex')}`;
    this.group = `${this.namespace}.example.com`;
  }

  async open(): Promise<void> {
    const { peer, close } = await this.target.open();
    this.peer = peer;
    this.shut = close;
    await this.call('POST', '/api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } } });
    await this.call('POST', this.definitions, { body: thingDefinition(this.group) });
    await this.until(() => this.established());
  }

  async close(): Promise<void> {
    await this.call('DELETE', `${this.definitions}/things.${this.group}`);
    await this.call('DELETE', `/api/v1/namespaces/${this.namespace}`);
    await this.shut();
  }

  readonly definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

  /** A path below `/api/v1/namespaces/<own>`. */
  core(path: string): string {
    return `/api/v1/namespaces/${this.namespace}/${path}`;
  }
  /** A path of the own kind. */
  things(path = ''): string {
    return `/apis/${this.group}/v1/namespaces/${this.namespace}/things${path}`;
  }

  get server(): string {
    return this.connected.server;
  }

  private get connected(): Peer {
    if (!this.peer) throw new Error('the subject is not open');
    return this.peer;
  }

  call(method: string, path: string, sending?: Sending): Promise<Reply> {
    return this.connected.call(method, path, sending);
  }

  /** Status and tidied body of a call: what the two servers must agree on. */
  async answer(method: string, path: string, sending?: Sending): Promise<unknown> {
    const { status, body } = await this.call(method, path, sending);
    return { status, body: this.tidy(body) };
  }

  tidy(value: unknown): unknown {
    return tidy(value, { group: this.group, namespace: this.namespace });
  }

  watch(path: string): Promise<Events> {
    return this.connected.watch(path);
  }

  /** Asks again until the answer is yes: by watching nothing but the clock of the server, since not all of it can be watched. */
  async until(settled: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      if (await settled()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the server did not come there within half a minute');
  }

  private async established(): Promise<boolean> {
    return (await this.call('GET', this.things())).status === 200;
  }
}
