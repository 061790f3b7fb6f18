import type { Labels, Metrics } from '../../../domain/ports/index.ts';

/** Numbers that the test reads: `name{a=x}` -> value. */
export interface CountedMetrics extends Metrics {
  readonly values: ReadonlyMap<string, number>;
}

export function createCountedMetrics(): CountedMetrics {
  const values = new Map<string, number>();
  const key = (name: string, labels: Labels = {}) =>
    `${name}{${Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .join(',')}}`;
  const add = (name: string, by: number, labels?: Labels) => void values.set(key(name, labels), (values.get(key(name, labels)) ?? 0) + by);
  return {
    values,
    counter: (name) => ({ add: (by = 1, labels) => add(name, by, labels) }),
    gauge: (name) => ({ set: (value, labels) => void values.set(key(name, labels), value) }),
    histogram: (name) => ({ observe: (_seconds, labels) => add(name, 1, labels) }),
  };
}
