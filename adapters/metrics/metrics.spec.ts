import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.text()).body.split('\n').filter((line) => line.startsWith(name));

test('a name asked for twice is one metric', async () => {
  const metrics = createMetrics();
  metrics.counter('things_total', 'Things.', ['kind']).add(2, { kind: 'a' });
  metrics.counter('things_total', 'Things.', ['kind']).add(undefined, { kind: 'a' });
  expect(await linesOf(metrics, 'things_total')).toEqual(['things_total{kind="a"} 3']);
});

test('a histogram has the buckets that are documented', async () => {
  const metrics = createMetrics();
  metrics.histogram('wait_seconds', 'Waiting.').observe(0.3);
  expect(await linesOf(metrics, 'wait_seconds')).toEqual([
    ...['0.005', '0.01', '0.025', '0.05', '0.1', '0.25'].map((le) => `wait_seconds_bucket{le="${le}"} 0`),
    ...['0.5', '1', '2.5', '5', '10', '+Inf'].map((le) => `wait_seconds_bucket{le="${le}"} 1`),
    'wait_seconds_sum 0.3',
    'wait_seconds_count 1',
  ]);
});

test('labels that callers choose become "other" beyond 200 of them', async () => {
  const metrics = createMetrics();
  const seconds = metrics.counter('calls_total', 'Calls.', ['path']);
  for (let i = 0; i < 1_000; i++) seconds.add(1, { path: `p${i}` });
  seconds.add(1, { path: 'p7' });
  seconds.add(1, { path: 'x'.repeat(129) });
  const lines = await linesOf(metrics, 'calls_total');
  expect(lines).toHaveLength(201);
  expect(lines).toContain('calls_total{path="p7"} 2');
  expect(lines).toContain('calls_total{path="other"} 801');
  expect(await linesOf(metrics, 'mogenius_operator_metric_labels_folded_total')).toEqual([
    'mogenius_operator_metric_labels_folded_total{metric="calls_total"} 801',
  ]);
});

test('what is no number is passed over', async () => {
  const metrics = createMetrics();
  metrics.gauge('depth', 'Depth.').set(4);
  metrics.gauge('depth', 'Depth.').set(Number.NaN);
  metrics.counter('n_total', 'N.').add(-1);
  expect(await linesOf(metrics, 'depth')).toEqual(['depth 4']);
  expect(await linesOf(metrics, 'n_total')).toEqual(['n_total 0']);
});

test('one name as two types is refused', () => {
  const metrics = createMetrics();
  metrics.gauge('size', 'Size.');
  expect(() => metrics.counter('size', 'Size.')).toThrow('the metric size is a gauge() already, not a counter()');
  expect(() => metrics.gauge('size', 'Size.', ['of'])).toThrow('the metric size is a gauge() already, not a gauge(of)');
});

test("Node's own numbers are there, the delay of the event loop too", async () => {
  const { contentType, body } = await createMetrics().text();
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(body).toContain('nodejs_eventloop_lag_p99_seconds ');
  expect(body).toContain('process_resident_memory_bytes ');
});
