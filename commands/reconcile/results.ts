import type { ObjectRef } from '../../domain/ports/index.ts';
import type { StepResult } from './step.ts';

/** `reconciler` of `GET /status`: only objects with something to say are listed, warnings begin with `WARNING: `. */
export interface ReconcilerStatus {
  readonly is_active: boolean;
  readonly last_update?: string;
  readonly results: readonly {
    readonly resource_kind: string;
    readonly resource_name: string;
    readonly resource_namespace: string;
    readonly messages: readonly { readonly message: string }[];
  }[];
}

/** Objects told of in `GET /status` at once. */
const most = 1_000;

export interface Results {
  active(is: boolean): void;
  set(kind: string, ref: ObjectRef, found: ReadonlyMap<string, StepResult>): void;
  fail(kind: string, ref: ObjectRef, message: string): void;
  drop(kind: string, ref: ObjectRef): void;
  status(): ReconcilerStatus;
}

export function createResults(now: () => number): Results {
  const results = new Map<string, ReconcilerStatus['results'][number]>();
  let isActive = false;
  let updated: string | undefined;
  const put = (kind: string, ref: ObjectRef, messages: readonly string[]) => {
    const at = `${kind}/${ref.namespace ?? ''}/${ref.name}`;
    updated = new Date(now()).toISOString();
    results.delete(at);
    if (messages.length === 0) return;
    if (results.size >= most) results.delete(results.keys().next().value ?? '');
    results.set(at, {
      resource_kind: kind,
      resource_name: ref.name,
      resource_namespace: ref.namespace ?? '',
      messages: messages.map((message) => ({ message })),
    });
  };
  return {
    active(is) {
      isActive = is;
      if (!is) results.clear();
    },
    set: (kind, ref, found) => put(kind, ref, [...found.values()].flatMap(said)),
    fail: (kind, ref, message) => put(kind, ref, [message]),
    drop: (kind, ref) => put(kind, ref, []),
    status: () => ({ is_active: isActive, ...(updated === undefined ? {} : { last_update: updated }), results: [...results.values()] }),
  };
}

function said(result: StepResult): string[] {
  if (result.type === 'nothing' || result.type === 'done') return [];
  return [result.type === 'wrong' || result.type === 'stalled' ? result.message : `WARNING: ${result.message}`];
}
