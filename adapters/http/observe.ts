import type { App } from './app.ts';
import type { Context } from './context.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts and logs requests by their route: never the path, a body or a header, which hold names and secrets of people. */
export function observe(app: App, { metrics, log }: Context): void {
  const seconds = metrics.histogram('mogenius_operator_http_request_duration_seconds', 'Time from request to answer, by route.', [
    'route',
    'method',
    'status',
  ]);
  app.addHook('onResponse', async (request, reply) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const method = methods.has(request.method) ? request.method : 'other';
    const { statusCode: status, elapsedTime } = reply;
    seconds.observe(elapsedTime / 1_000, { route, method, status: String(status) });
    log.debug('answered', { route, method, status, ms: Math.round(elapsedTime) });
  });
}
