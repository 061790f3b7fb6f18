import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { ClusterRefused } from '../../../domain/errors.ts';
import { secrets } from '../../../domain/kinds.ts';
import type { Cluster, StoredObject } from '../../../domain/ports/index.ts';

export interface ClusterSecretValues {
  readonly namespace: string;
  /** Default: the namespace. */
  readonly name?: string;
  /** From the configuration. Undefined keeps what the Secret holds: without a platform there is none. */
  readonly apiKey?: string;
  readonly clusterName: string;
  /** MO_CLUSTER_MFA_ID: taken when the Secret has none yet. */
  readonly mfaId?: string;
  readonly signal?: AbortSignal;
}

export interface ClusterIdentity {
  /** The cluster's stable id. */
  readonly mfaId: string;
  readonly apiKey: string;
  readonly clusterName: string;
  /** 0 when the Secret was new: what older releases left in Valkey is to be migrated once. */
  readonly dataModelVersion: 0 | 1;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const idLength = 21;
const tries = 5;

const dataSchema = z.record(z.string(), z.string()).nullish();
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/**
 * The Secret that holds who this cluster is. Only a 404 counts as absent: after any other failed read a new id would make another cluster
 * of this one. Foreign keys and labels stay. Of two processes that start at once one writes, the other reads what that one wrote.
 */
export async function ensureClusterSecret(
  cluster: Pick<Cluster, 'get' | 'create' | 'replace'>,
  values: ClusterSecretValues,
): Promise<ClusterIdentity> {
  const { namespace, name = namespace, signal } = values;
  for (let attempt = 1; ; attempt += 1) {
    const current = await cluster.get(secrets, { name, namespace }, { signal });
    const held = current === undefined ? {} : decode(current);
    const wanted = want(held, values);
    try {
      if (current === undefined) {
        const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', data: encodeAll(wanted) };
        await cluster.create(secrets, object, { signal });
      } else if (Object.entries(wanted).some(([key, value]) => held[key] !== value)) {
        const data = { ...dataSchema.parse(current.data), ...encodeAll(wanted) };
        await cluster.replace(secrets, { ...current, data }, { signal });
      }
      return {
        mfaId: wanted['cluster-mfa-id'],
        apiKey: wanted['api-key'],
        clusterName: wanted['cluster-name'],
        dataModelVersion: wanted['redis-data-model-version'] === '0' ? 0 : 1,
      };
    } catch (error) {
      if (!ClusterRefused.is(error) || error.data.status !== 409 || attempt >= tries) throw error;
    }
  }
}

function want(held: Readonly<Record<string, string>>, values: ClusterSecretValues) {
  return {
    'cluster-mfa-id': held['cluster-mfa-id'] || values.mfaId || newId(),
    'api-key': values.apiKey ?? held['api-key'] ?? '',
    'cluster-name': values.clusterName,
    'redis-data-model-version': held['redis-data-model-version'] ? '1' : '0',
  };
}

function newId(): string {
  return Array.from({ length: idLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function decode(secret: StoredObject): Record<string, string> {
  const data = dataSchema.parse(secret.data) ?? {};
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}

const encodeAll = (data: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, encode(value)]));
