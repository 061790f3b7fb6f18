import { z } from 'zod';
import type { KubernetesObject } from '../ports/index.ts';

/** An RBAC subject. */
export const subject = z.object({ kind: z.string(), apiGroup: z.string().optional(), name: z.string(), namespace: z.string().optional() });
export type Subject = z.infer<typeof subject>;

export const userSpec = z.looseObject({
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  email: z.string().optional(),
  subject: subject.optional(),
});
export type UserSpec = z.infer<typeof userSpec>;

export interface UserRequest {
  readonly name: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly subject?: Subject;
}

export function newUser(request: UserRequest, namespace: string): KubernetesObject {
  return {
    apiVersion: 'mogenius.com/v1alpha1',
    kind: 'User',
    metadata: { name: request.name, namespace },
    spec: specOf(request),
    status: {},
  };
}

/** The spec after an update: what is absent is kept, `""` clears. */
export function updatedSpec(current: UserSpec, request: UserRequest): UserSpec {
  return { ...current, ...specOf(request) };
}

const specOf = ({ name: _, ...fields }: UserRequest): UserSpec =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
