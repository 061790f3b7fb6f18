import { ClusterRefused } from '../../domain/errors.ts';
import type { Cluster, KubernetesObject, ObjectRef, ResourceKind, StoredObject, Write } from '../../domain/ports/index.ts';
import { commandAnnotation } from '../../domain/ports/index.ts';
import type { ClusterAccess } from './access/index.ts';
import { discover } from './discovery.ts';
import { page, parseJson, requireObject, storedObject } from './objects.ts';
import { collectionPath, objectPath, query } from './paths.ts';
import { refusal } from './refusal.ts';
import { reviewToken, serverVersion } from './reviews.ts';
import { createTransport, type HttpRequest, type TransportOptions } from './transport.ts';

export interface ClusterOptions extends TransportOptions {
  /** Whose fields these are: the name of the operator's own Deployment. */
  readonly fieldManager: string;
}

/** The port, and the end of its connections. */
export type ConnectedCluster = Cluster & { close(): Promise<void> };

/** The Kubernetes API over kept-alive HTTP/1.1 connections. Connects nothing until it is asked something. */
export function createCluster(access: ClusterAccess, options: ClusterOptions): ConnectedCluster {
  const transport = createTransport(access, options);
  const { fieldManager } = options;

  async function ask(request: HttpRequest): Promise<unknown> {
    const answer = await transport.request(request);
    if (answer.status < 200 || answer.status > 299) throw refusal(answer);
    return parseJson(answer.text);
  }

  async function write(kind: ResourceKind, method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown, type: string, how: Sent) {
    const params = query({ fieldManager, dryRun: how.dryRun ? 'All' : undefined, force: how.force });
    const request = { method, path: path + params, body: JSON.stringify(body), contentType: type, signal: how.signal };
    return requireObject(await ask(request), kind);
  }

  return {
    async get(kind, ref, how = {}) {
      const answer = await transport.request({ method: 'GET', path: objectPath(kind, ref), signal: how.signal });
      if (answer.status === 200) return requireObject(parseJson(answer.text), kind);
      const refused = refusal(answer);
      if (ClusterRefused.is(refused) && refused.data.status === 404 && refused.data.reason === 'NotFound' && isAbout(answer.text, ref))
        return undefined;
      throw refused;
    },
    async list(kind, how = {}) {
      const { namespace, labelSelector, fieldSelector, limit = 500 } = how;
      const params = query({ labelSelector, fieldSelector, limit, continue: how.continue });
      return page(await ask({ method: 'GET', path: collectionPath(kind, namespace) + params, signal: how.signal }), kind);
    },
    create(kind, object, how = {}) {
      const whole = objectPath(kind, object.metadata, how.subresource);
      const path = how.subresource ? whole : collectionPath(kind, object.metadata.namespace);
      return write(kind, 'POST', path, annotated(object, how), 'application/json', how);
    },
    replace(kind, object, how = {}) {
      return write(kind, 'PUT', objectPath(kind, object.metadata, how.subresource), annotated(object, how), 'application/json', how);
    },
    merge(kind, ref, patch, how = {}) {
      return write(kind, 'PATCH', objectPath(kind, ref, how.subresource), annotated(patch, how), 'application/merge-patch+json', how);
    },
    apply(kind, object, how = {}) {
      const path = objectPath(kind, object.metadata, how.subresource);
      return write(kind, 'PATCH', path, annotated(object, how), 'application/apply-patch+yaml', how);
    },
    async delete(kind, ref, how = {}) {
      const preconditions = how.uid || how.resourceVersion ? { uid: how.uid, resourceVersion: how.resourceVersion } : undefined;
      const body = {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions,
        propagationPolicy: how.propagation,
        dryRun: how.dryRun ? ['All'] : undefined,
      };
      const path = objectPath(kind, ref);
      const answer = await ask({ method: 'DELETE', path, body: JSON.stringify(body), contentType: 'application/json', signal: how.signal });
      // What is gone at once is answered with a Status, what waits for its finalizers (or was only now taken away) with the object.
      const object = storedObject(answer, kind);
      return object !== undefined && object.kind === kind.kind ? stillThere(object) : undefined;
    },
    discover: (how = {}) => discover(transport, how.signal),
    version: (how = {}) => serverVersion(ask, how.signal),
    reviewToken: (token, how = {}) => reviewToken(ask, token, how.signal),
    close: () => transport.close(),
  };
}

type Sent = Write & { readonly force?: boolean };

/** A 404 about a whole resource (its definition isn't there yet) must not read as "this object does not exist". */
const isAbout = (answer: string, ref: ObjectRef): boolean => {
  const status = parseJson(answer);
  const details = typeof status === 'object' && status !== null && 'details' in status ? status.details : undefined;
  return typeof details === 'object' && details !== null && 'name' in details && details.name === ref.name;
};

/** With the command's id, so that a second execution after a crash finds the first one. Status can't hold it. */
function annotated(body: KubernetesObject | Readonly<Record<string, unknown>>, how: Write): unknown {
  if (how.command === undefined || how.subresource === 'status') return body;
  const metadata = isFields(body.metadata) ? body.metadata : {};
  const annotations = isFields(metadata.annotations) ? metadata.annotations : {};
  return { ...body, metadata: { ...metadata, annotations: { ...annotations, [commandAnnotation]: how.command } } };
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const stillThere = (object: StoredObject): StoredObject | undefined => (object.metadata.deletionTimestamp ? object : undefined);
