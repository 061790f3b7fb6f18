import { durationOf } from './duration.ts';

/** A value read from its text, or why it can't be. */
export type Parsed<Value> = { readonly value: Value } | { readonly reason: string };

/** One setting, declared once: everything that is known about it. */
export interface Declaration<Value> {
  readonly type: 'string' | 'int' | 'bool' | 'duration' | 'choice' | 'list';
  /** Other environment names, tried in order after the key itself. */
  readonly aliases: readonly string[];
  /** A function of the working folder where the default is a path in it. Absent: there is none. */
  readonly fallback?: string | ((folder: string) => string);
  readonly secret: boolean;
  readonly description: string;
  /** When a value has to be there: with a platform ("linked"), always, or never. */
  readonly needed: 'never' | 'linked' | 'always';
  /** True when more than the type is checked; printed with the configuration. */
  readonly checked: boolean;
  /** What may stand there, where only a few words may. */
  readonly values?: readonly string[];
  parse(text: string, key: string): Parsed<Value>;
  /** What must hold as well when there is a platform; answers the reason why it doesn't. */
  linkedCheck?(value: Value, key: string): string | undefined;
  /** The parts of the value that must never be printed. Absent: the whole of a secret, nothing of the others. */
  readonly hidden?: (text: string) => readonly string[];
}

export interface About<Value> {
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly fallback?: Declaration<Value>['fallback'];
  readonly secret?: boolean;
  readonly needed?: Declaration<Value>['needed'];
  readonly linkedCheck?: Declaration<Value>['linkedCheck'];
  readonly hidden?: Declaration<Value>['hidden'];
}

/** Answers the reason why a value is refused, undefined when it is fine. */
export type Check<Value> = (value: Value, key: string) => string | undefined;

function declare<Value>(
  type: Declaration<Value>['type'],
  about: About<Value>,
  checked: boolean,
  parse: (text: string, key: string) => Parsed<Value>,
): Declaration<Value> {
  return { aliases: [], secret: false, needed: 'never', ...about, type, checked: checked || about.linkedCheck !== undefined, parse };
}

export function text(about: About<string>, check?: Check<string>): Declaration<string> {
  return declare('string', about, check !== undefined, (given, key) => verdict(given, check?.(given, key)));
}

/** A whole number, base 10. What a 64-bit number holds is accepted; above 2^53 the nearest safe number is used. */
export function whole(about: About<number>, own?: { readonly check: Check<number>; readonly named: true }): Declaration<number> {
  return declare('int', about, own !== undefined, (given, key) => {
    const parsed = wholeNumber(given);
    // Keys with a check of their own name themselves in the text, the others are refused by type.
    if ('reason' in parsed)
      return { reason: own ? `'${key}' needs to be an integer: ${parsed.reason}` : `value is not a valid integer: ${parsed.reason}` };
    return verdict(parsed.value, own?.check(parsed.value, key));
  });
}

export function bool(about: About<boolean>): Declaration<boolean> {
  return declare<boolean>('bool', about, false, (given) => {
    const value = booleanOf(given);
    return value === undefined
      ? { reason: `value is not a valid boolean: "${given}" is none of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False` }
      : { value };
  });
}

/** Milliseconds, from a Go duration that is above zero. */
export function duration(about: About<number>, example: string): Declaration<number> {
  return declare('duration', about, true, (given, key) => {
    const parsed = durationOf(given);
    if ('reason' in parsed) return { reason: `'${key}' needs to be a Go duration (e.g. ${example}): ${parsed.reason}` };
    return verdict(parsed.value, parsed.value > 0 ? undefined : `'${key}' needs to be positive`);
  });
}

export function choice<const Value extends string>(
  about: About<Value>,
  values: readonly Value[],
  refuse: (given: string, key: string) => string,
): Declaration<Value> {
  const parse = (given: string, key: string): Parsed<Value> => {
    const value = values.find((known) => known === given);
    return value === undefined ? { reason: refuse(given, key) } : { value };
  };
  return { ...declare('choice', about, true, parse), values };
}

/** A comma list; items are trimmed and empty ones dropped. */
export function list(about: About<readonly string[]>): Declaration<readonly string[]> {
  return declare<readonly string[]>('list', about, false, (given) => ({
    value: given
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  }));
}

/** The one reading of a boolean; undefined when it is none. */
export function booleanOf(given: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(given)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(given)) return false;
  return undefined;
}

function wholeNumber(given: string): Parsed<number> {
  if (!/^[+-]?\d+$/.test(given)) return { reason: `"${given}" is not a whole number` };
  const exact = BigInt(given.replace(/^\+/, ''));
  if (exact !== BigInt.asIntN(64, exact)) return { reason: `"${given}" is out of range` };
  return { value: Math.min(Math.max(Number(exact), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER) };
}

function verdict<Value>(value: Value, reason: string | undefined): Parsed<Value> {
  return reason === undefined ? { value } : { reason };
}
