import { z } from 'zod';
import type { KubernetesObject } from '../ports/index.ts';

export const grantSpec = z.looseObject({
  grantee: z.string().optional(),
  targetType: z.string().optional(),
  targetName: z.string().optional(),
  role: z.string().optional(),
});
export type GrantSpec = z.infer<typeof grantSpec>;

export interface GrantRequest {
  readonly name: string;
  readonly grantee: string;
  readonly targetType: string;
  readonly targetName: string;
  readonly role: string;
}

export function newGrant({ name, ...spec }: GrantRequest, namespace: string): KubernetesObject {
  return { apiVersion: 'mogenius.com/v1alpha1', kind: 'Grant', metadata: { name, namespace }, spec, status: {} };
}

/** Every field of a grant is required, so an update replaces them all. */
export function updatedSpec(current: GrantSpec, { name: _, ...fields }: GrantRequest): GrantSpec {
  return { ...current, ...fields };
}
