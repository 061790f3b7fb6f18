import { z } from 'zod';
import { leases } from '../../../domain/kinds.ts';
import type { KubernetesObject, ObjectRef, StoredObject } from '../../../domain/ports/index.ts';
import { apiVersionOf } from '../../../domain/ports/index.ts';

const specSchema = z.object({
  holderIdentity: z.string().nullish(),
  leaseDurationSeconds: z.number().int().nullish(),
  acquireTime: z.string().nullish(),
  renewTime: z.string().nullish(),
  leaseTransitions: z.number().int().nullish(),
});

/** What a Lease says. A field that is missing or odd reads as nobody holding it. */
export interface LeaseRecord {
  readonly holder: string;
  readonly transitions: number;
  readonly durationMs: number | undefined;
  readonly acquireTime: string | undefined;
}

export function readLease(object: StoredObject): LeaseRecord {
  const { data } = specSchema.safeParse(object.spec ?? {});
  return {
    holder: data?.holderIdentity ?? '',
    transitions: data?.leaseTransitions ?? 0,
    durationMs: data?.leaseDurationSeconds ? data.leaseDurationSeconds * 1000 : undefined,
    acquireTime: data?.acquireTime ?? undefined,
  };
}

/** A Lease held by `holder`, or by nobody. With `from` it replaces that one and nothing newer. */
export function leaseObject(
  ref: ObjectRef,
  record: { holder: string; term: number; durationMs: number; acquireTime: string; renewTime: string },
  from?: StoredObject,
): KubernetesObject {
  return {
    ...(from ?? { apiVersion: apiVersionOf(leases), kind: leases.kind }),
    metadata: from?.metadata ?? { ...ref },
    spec: {
      ...(typeof from?.spec === 'object' ? from.spec : {}),
      holderIdentity: record.holder,
      leaseDurationSeconds: Math.max(1, Math.round(record.durationMs / 1000)),
      acquireTime: record.acquireTime,
      renewTime: record.renewTime,
      leaseTransitions: record.term,
    },
  };
}

/** Leases tell the time to the microsecond. */
export const microTime = (epochMs: number): string => new Date(epochMs).toISOString().replace('Z', '000Z');
