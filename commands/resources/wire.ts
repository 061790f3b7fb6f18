import { z } from 'zod';
import { apiVersionOf, commandAnnotation, type ResourceKind, type StoredObject } from '../../domain/ports/index.ts';

/** A custom resource on the wire. The annotation that names our command is a mark of ours, not the user's: it stays out. */
export const customResource = z.looseObject({
  kind: z.string(),
  apiVersion: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  spec: z.record(z.string(), z.unknown()),
  status: z.record(z.string(), z.unknown()),
});

export function toWire(kind: ResourceKind, object: StoredObject): z.infer<typeof customResource> {
  const { annotations = {}, managedFields: _, ...metadata } = object.metadata;
  const kept = Object.entries(annotations).filter(([name]) => name !== commandAnnotation);
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: { ...metadata, ...(kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {}) },
    spec: fields.parse(object.spec ?? {}),
    status: fields.parse(object.status ?? {}),
  };
}

const fields = z.record(z.string(), z.unknown());
