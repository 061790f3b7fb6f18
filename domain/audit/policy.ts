import type { Attribution } from '../command/index.ts';
import type { KubernetesObject, ObjectText } from '../ports/index.ts';
import { attributionOf } from './attribution.ts';
import { objectDiff } from './diff.ts';
import { type RedactOptions, redact } from './redact.ts';

export interface AuditPolicyOptions {
  readonly digest: (text: string) => string;
  readonly text: ObjectText;
  /** Values of secret settings as they are now: they may change at run time. */
  readonly secrets: () => readonly string[];
}

/** What the log and the audit log may see of requests, results and objects. */
export function createAuditPolicy({ digest, text, secrets }: AuditPolicyOptions) {
  const options = (): RedactOptions => ({ digest, text, secrets: secrets() });
  return {
    /** A copy without secrets; the same value again when it has none. */
    redact: (value: unknown): unknown => redact(value, options()),
    /** Attribution and diff of what a command did to an object. A diff that can't be made never costs the entry. */
    describe(
      before: KubernetesObject | undefined,
      after: KubernetesObject | undefined,
    ): { readonly attribution?: Attribution; readonly diff?: string } {
      const attribution = attributionOf(before, after);
      const diff = tryDiff(before, after);
      return { ...(attribution ? { attribution } : {}), ...(diff ? { diff } : {}) };
    },
  };

  function tryDiff(before: KubernetesObject | undefined, after: KubernetesObject | undefined): string {
    try {
      return objectDiff(before, after, options());
    } catch {
      return '';
    }
  }
}
