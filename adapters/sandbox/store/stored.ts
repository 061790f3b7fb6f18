import type { JsonObject } from '../model/json.ts';

/** An object as it lies in the store. Never changed: a write makes another one. */
export type Stored = JsonObject & { readonly metadata: JsonObject };

const printed = new WeakMap<object, string>();

/** The object as JSON; printed once, however many watches want it. */
export function print(object: Stored): string {
  let text = printed.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    printed.set(object, text);
  }
  return text;
}
