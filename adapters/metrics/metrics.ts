import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Labels, Metrics } from '../../domain/ports/index.ts';
import { createBound } from './bounded.ts';

/** The text that Prometheus scrapes. */
export interface Exposition {
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export type MetricsRegistry = Metrics & Exposition;

interface Definition {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  readonly registers: Registry[];
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics of this process in a registry of its own, with Node's own (memory, CPU, event loop delay) under their usual names.
 * Values of a label beyond 200, or longer than 128 characters, become `other` and are counted. What is no finite number is passed over:
 * a measurement must not fail what it measures. Throws when a name is asked for as two types or with two sets of labels.
 */
export function createMetrics(): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const folds = new Counter({
    name: 'mogenius_operator_metric_labels_folded_total',
    help: 'Label values beyond the bound of their metric, told as "other".',
    labelNames: ['metric'],
    registers: [registry],
  });
  const shapes = new Map<string, string>();

  function family<Metric>(type: string, make: (definition: Definition, kept: (labels?: Labels) => Record<string, string>) => Metric) {
    const made = new Map<string, Metric>();
    return (name: string, help: string, labels: readonly string[] = []): Metric => {
      const shape = `${type}(${labels.join(',')})`;
      const former = shapes.get(name);
      if (former !== undefined && former !== shape) throw new TypeError(`the metric ${name} is a ${former} already, not a ${shape}`);
      const found = made.get(name);
      if (found !== undefined) return found;
      shapes.set(name, shape);
      const metric = make(
        { name, help, labelNames: [...labels], registers: [registry] },
        createBound(labels, () => folds.inc({ metric: name })),
      );
      made.set(name, metric);
      return metric;
    };
  }

  return {
    counter: family('counter', (definition, kept) => {
      const metric = new Counter(definition);
      return { add: (by = 1, labels?: Labels) => void (by >= 0 && Number.isFinite(by) && metric.inc(kept(labels), by)) };
    }),
    gauge: family('gauge', (definition, kept) => {
      const metric = new Gauge(definition);
      return { set: (value: number, labels?: Labels) => void (Number.isFinite(value) && metric.set(kept(labels), value)) };
    }),
    histogram: family('histogram', (definition, kept) => {
      const metric = new Histogram({ ...definition, buckets });
      return { observe: (seconds: number, labels?: Labels) => void (Number.isFinite(seconds) && metric.observe(kept(labels), seconds)) };
    }),
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
