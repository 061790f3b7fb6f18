import { z } from 'zod';

/** Schema 1 of `ReconcileActed`: what a pass did to the world. Passes that did nothing are not recorded. */
export const reconcileActed = z.object({
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string(),
  generation: z.number(),
  /** Sentences, at most 100: `created rolebinding shop/x`. */
  acted: z.array(z.string()),
  /** Reasons of what the steps found. */
  findings: z.array(z.string()),
});
export type ReconcileActed = z.infer<typeof reconcileActed>;

export const reconcileEvents = { ReconcileActed: reconcileActed } as const;
