import { z } from 'zod';
import { newSealingKey } from '../../adapters/seal/index.ts';
import { ClusterRefused } from '../../domain/errors.ts';
import { secrets } from '../../domain/kinds.ts';
import type { Cluster, StoredObject } from '../../domain/ports/index.ts';

const name = 'mogenius-operator-sealing-key';
const held = z.looseObject({ data: z.looseObject({ key: z.base64() }) });

/** The key that seals secrets of commands, from its Secret in the own namespace; made once for all replicas. */
export async function ensureSealingKey(cluster: Cluster, namespace: string, signal: AbortSignal): Promise<Uint8Array> {
  const found = await cluster.get(secrets, { name, namespace }, { signal });
  if (found) return keyOf(found, namespace);
  try {
    const key = Buffer.from(newSealingKey()).toString('base64');
    return keyOf(
      await cluster.create(
        secrets,
        { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', immutable: true, data: { key } },
        { signal },
      ),
      namespace,
    );
  } catch (error) {
    // Another replica was faster: its key is everybody's.
    const other =
      ClusterRefused.is(error) && error.data.reason === 'AlreadyExists'
        ? await cluster.get(secrets, { name, namespace }, { signal })
        : undefined;
    if (other === undefined) throw error;
    return keyOf(other, namespace);
  }
}

function keyOf(secret: StoredObject, namespace: string): Uint8Array {
  const { data } = held.safeParse(secret);
  const key = Buffer.from(data?.data.key ?? '', 'base64');
  if (key.length !== 32)
    throw new Error(
      `the Secret ${namespace}/${name} holds no key of 32 bytes under "key": delete it, and commands with secrets that wait now are sent again`,
    );
  return key;
}
