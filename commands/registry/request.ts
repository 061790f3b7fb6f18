import type { z } from 'zod';
import { RequestInvalid } from '../../domain/errors.ts';

/** Wire names whose upper-case form in messages is not just the capitalised name (spec of the platform protocol, section 4). */
const messageNames: Readonly<Record<string, string>> = {
  wsConnectionRequest: 'WsConnection',
  silenceId: 'SilenceID',
  ociChartUrl: 'OCIChartUrl',
};

/**
 * A payload as its pattern's schema wants it. Absent and null payloads are an empty request, null fields are absent ones.
 * Throws `RequestInvalid`: a wrong JSON type is told first and alone, missing fields are told together.
 */
export function decodeRequest<Schema extends z.ZodType>(schema: Schema, payload: unknown): z.infer<Schema> {
  const given = payload === undefined || payload === null ? {} : withoutNulls(payload);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { missing, wrong } = sorted(parsed.error.issues, given);
  throw RequestInvalid({ text: wrong[0] ?? missing.join(' | ') });
}

function sorted(issues: readonly z.core.$ZodIssue[], given: unknown): { missing: string[]; wrong: string[] } {
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const issue of issues) {
    const value = at(given, issue.path);
    const absent = value === undefined || ((issue.code === 'too_small' || issue.code === 'invalid_value') && (value === '' || value === 0));
    if (absent) missing.push(`Field '${messageName(issue.path)}' failed validation, Condition: required`);
    else wrong.push(`${['payload', ...issue.path].join('.')}: ${issue.message.replace(/^Invalid input: /, '')}`);
  }
  return { missing, wrong };
}

function messageName(path: readonly PropertyKey[]): string {
  const leaf = String(path.filter((step) => typeof step === 'string').at(-1) ?? 'Payload');
  return messageNames[leaf] ?? leaf.charAt(0).toUpperCase() + leaf.slice(1);
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((here, step) => (typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined), value);
}

/** Null and absent are the same in a request. Array elements keep their place. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, withoutNulls(field)]),
  );
}
