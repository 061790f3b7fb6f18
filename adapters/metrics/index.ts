export { createMetrics, type Exposition, type MetricsRegistry } from './metrics.ts';
