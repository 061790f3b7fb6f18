import type { Parsed } from './declaration.ts';

const milliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a Go duration: numbers with the units ns, us, ms, s, m, h one after another (`1h30m`, `1.5h`, `0`). */
export function durationOf(text: string): Parsed<number> {
  const found = /^([+-]?)(.*)$/s.exec(text);
  const [, sign = '', rest = ''] = found ?? [];
  if (rest === '0') return { value: 0 };
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest))
    return { reason: /^[\d.]+$/.test(rest) ? `"${text}" has no unit` : `"${text}" is no duration` };
  let sum = 0;
  for (const [, number = '0', unit = ''] of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    sum += Number(number) * (milliseconds[unit] ?? 0);
  return { value: sign === '-' ? -sum : sum };
}
