import { ConfigurationInvalid } from '../errors.ts';
import type { Declaration, Parsed } from './declaration.ts';
import { declarations, type Key, keys, type Values } from './declarations.ts';

/** What stands in print where a secret was. */
export const redacted = '***[REDACTED]***';

/** Former values of secrets that are remembered, so that late log lines don't show them. */
const remembered = 256;

export interface Problem {
  readonly key: Key;
  readonly text: string;
}

/** One setting as it is printed; secrets are masked in `value`. */
export interface Setting {
  readonly key: Key;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly default?: string;
  readonly checked: boolean;
  readonly secret: boolean;
  /** Undefined when there is no value. */
  readonly value?: string;
  /** Where the value is from: the environment name, `default`, or `set` for a change at run time. */
  readonly from?: string;
}

export type Change = (change: { readonly key: Key; readonly value: string; readonly secret: boolean }) => void;

/** The settings of the process. Reading is synchronous; a change is seen whole by the next read. */
export interface Configuration {
  /** The value by its declared type. Throws `ConfigurationInvalid` when there is none or it isn't valid: run `problems()` first. */
  get<K extends Key>(key: K): Values[K];
  /** The same, undefined when there is no value. */
  find<K extends Key>(key: K): Values[K] | undefined;
  /** True when a platform is configured: one of the two server URLs is set and not empty. */
  linked(): boolean;
  /** Changes a value at run time. Throws `ConfigurationInvalid` before anything changed; calls back only when the text is another. */
  set(key: Key, text: string): void;
  /** Calls back after `set`, for the keys named or, with an empty list, for all. Returns what ends it. */
  onChange(keys: readonly Key[], change: Change): () => void;
  /** Everything that keeps the operator from running with this configuration. Empty: it is complete. */
  problems(): readonly Problem[];
  /** All settings sorted by key, secrets masked. */
  masked(): readonly Setting[];
  /** Every text that must not be printed, former ones included. The same array until something changes. */
  secrets(): readonly string[];
}

interface Held {
  readonly text: string;
  readonly from: string;
}

/** Reads the settings from an environment: the key itself, then its aliases, then the default. Nothing is refused here; `problems()` tells. */
export function createConfiguration(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder, for defaults that are paths. */
  readonly folder: string;
}): Configuration {
  const held = new Map<Key, Held>();
  const listeners = new Set<{ readonly keys: ReadonlySet<Key>; readonly change: Change }>();
  for (const key of keys) {
    const found = load(key, options);
    if (found) held.set(key, found);
  }
  let secrets = secretsOf(held, []);

  const parse = <K extends Key>(key: K, text: string): Parsed<Values[K]> => declarations[key].parse(text, key);
  const linked = () => [held.get('MO_API_SERVER'), held.get('MO_EVENT_SERVER')].some((server) => (server?.text ?? '') !== '');

  function find<K extends Key>(key: K): Values[K] | undefined {
    const text = held.get(key)?.text;
    if (text === undefined) return undefined;
    const parsed = parse(key, text);
    if ('reason' in parsed) throw ConfigurationInvalid({ text: refusal(key, parsed.reason) });
    return parsed.value;
  }

  function problem<K extends Key>(key: K): string | undefined {
    const declaration: Declaration<Values[K]> = declarations[key];
    const text = held.get(key)?.text;
    if (text === undefined) {
      const needed = declaration.needed === 'always' || (declaration.needed === 'linked' && linked());
      return needed ? `Value for Key '${key}' is not initialized.` : undefined;
    }
    const parsed = parse(key, text);
    if ('reason' in parsed) return refusal(key, parsed.reason);
    const reason = linked() ? declaration.linkedCheck?.(parsed.value, key) : undefined;
    return reason === undefined ? undefined : refusal(key, reason);
  }

  return {
    find,
    linked,
    get<K extends Key>(key: K): Values[K] {
      const value = find(key);
      if (value === undefined) throw ConfigurationInvalid({ text: `uninitialized config value '${key}' cant be accessed` });
      return value;
    },
    set(key, text) {
      const parsed = parse(key, text);
      if ('reason' in parsed) throw ConfigurationInvalid({ text: refusal(key, parsed.reason) });
      if (held.get(key)?.text === text) return;
      held.set(key, { text, from: 'set' });
      secrets = secretsOf(held, secrets);
      const failures: unknown[] = [];
      for (const listener of [...listeners]) {
        if (listener.keys.size > 0 && !listener.keys.has(key)) continue;
        try {
          listener.change({ key, value: text, secret: declarations[key].secret });
        } catch (error) {
          failures.push(error); // one listener's failure must not keep the news from the others
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, `a change of ${key} was not taken over everywhere`);
    },
    onChange(named, change) {
      const listener = { keys: new Set(named), change };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    problems: () =>
      keys.flatMap((key) => {
        const found = problem(key);
        return found === undefined ? [] : [{ key, text: erased(found, hiddenIn(key, held.get(key)?.text ?? '')) }];
      }),
    masked: () => keys.map((key) => setting(key, held.get(key), options.folder)),
    secrets: () => secrets,
  };
}

const refusal = (key: Key, reason: string) => `Validation for Key '${key}' failed: ${reason}`;

function load(key: Key, { env, folder }: { env: Readonly<Record<string, string | undefined>>; folder: string }): Held | undefined {
  for (const name of [key, ...declarations[key].aliases]) {
    const text = env[name];
    if (text !== undefined) return { text, from: name };
  }
  const text = defaultOf(key, folder);
  return text === undefined ? undefined : { text, from: 'default' };
}

function defaultOf(key: Key, folder: string): string | undefined {
  const { fallback } = declarations[key];
  return typeof fallback === 'function' ? fallback(folder) : fallback;
}

function hiddenIn(key: Key, text: string): readonly string[] {
  const { hidden, secret } = declarations[key];
  return (hidden?.(text) ?? (secret ? [text] : [])).filter((part) => part !== '');
}

function secretsOf(held: ReadonlyMap<Key, Held>, former: readonly string[]): readonly string[] {
  const current = keys.flatMap((key) => hiddenIn(key, held.get(key)?.text ?? ''));
  const past = former.filter((text) => !current.includes(text)).slice(0, remembered);
  return Object.freeze([...new Set(current), ...past]);
}

function setting(key: Key, found: Held | undefined, folder: string): Setting {
  const { description, aliases, checked, secret } = declarations[key];
  const fallback = defaultOf(key, folder);
  return {
    key,
    description,
    aliases,
    ...(fallback === undefined ? {} : { default: fallback }),
    checked,
    secret,
    ...(found === undefined ? {} : { value: erased(found.text, hiddenIn(key, found.text)), from: found.from }),
  };
}

function erased(text: string, hidden: readonly string[]): string {
  // Longest first: a short secret must not cut a longer one in pieces that then stay.
  return [...hidden].sort((a, b) => b.length - a.length).reduce((rest, part) => rest.replaceAll(part, redacted), text);
}
