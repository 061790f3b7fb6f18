import { asList, asText } from '../reply.ts';
import type { Argument } from '../wire.ts';
import { openBundles } from './bundle.ts';

/** Runs a reading function. What is large must not stand before an append: it goes over the connection for that. */
export type Ask = (name: string, args: readonly Argument[]) => Promise<unknown>;

/** One row of an answer of `view_rows`. */
export function toRow(answer: unknown, parts?: readonly string[]): Readonly<Record<string, string>> | undefined {
  return answer === null ? undefined : openBundles(asList(answer).map(asText), parts);
}
