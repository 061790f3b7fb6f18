export { createDispatcherDouble, type DispatcherDouble, echo } from './dispatcher.ts';
export { type CountedMetrics, createCountedMetrics } from './metrics.ts';
export { identity, type Pair, startPair } from './pair.ts';
export { until } from './until.ts';
