import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import Fastify from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { MethodNotAllowed, RateLimited, RouteUnknown, ShuttingDown } from '../../domain/errors.ts';
import { createGuard } from './access/index.ts';
import type { App } from './app.ts';
import { answerBroken } from './broken.ts';
import type { Context } from './context.ts';
import { sendError, tabled } from './errors.ts';
import { parseJson } from './json.ts';
import { createMethodTable } from './methods.ts';
import { observe } from './observe.ts';
import { openApi } from './openapi.ts';
import { auditLogRoutes } from './routes/audit-log.ts';
import { commandRoutes } from './routes/commands.ts';
import { eventRoutes } from './routes/events.ts';
import { openRoutes } from './routes/open.ts';
import { parkedRoutes } from './routes/parked.ts';
import { projectionRoutes } from './routes/projections.ts';
import { resourceRoutes } from './routes/resources.ts';
import { socketApiRoute } from './routes/socket-api.ts';
import { specRoutes } from './routes/spec.ts';
import { statusRoutes } from './routes/status.ts';

const security = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** The whole API, not yet listening. */
export async function buildServer(context: Context): Promise<App> {
  const { limits } = context;
  const app: App = Fastify({
    logger: false,
    bodyLimit: limits.body,
    keepAliveTimeout: limits.idleTimeout,
    requestTimeout: limits.requestTimeout,
    http: { maxHeaderSize: limits.headers, headersTimeout: limits.headerTimeout },
    // Refused in our own shape below.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 4_096 },
    frameworkErrors: (error, request, reply) => void sendError(reply, tabled(error, request.id, limits.body)),
    clientErrorHandler: answerBroken,
  }).withTypeProvider<ZodTypeProvider>();
  app.server.maxConnections = limits.connections;
  app.setValidatorCompiler(validatorCompiler);
  // Answers are what ports gave, which the types hold; the schemas are for the documentation, and a test holds both together.
  app.setSerializerCompiler(() => JSON.stringify);
  parseJson(app);

  const methods = createMethodTable();
  app.addHook('onRoute', (route) => methods.add(route));
  app.addHook('onRequest', async ({ url }, reply) => {
    reply.headers(security);
    if (!context.stopping.aborted) return;
    reply.header('connection', 'close');
    if (!url.startsWith('/healthz') && !url.startsWith('/readyz') && !url.startsWith('/metrics')) throw ShuttingDown({});
  });
  observe(app, context);

  await app.register(rateLimit, {
    global: true,
    max: limits.burst,
    timeWindow: Math.ceil((limits.burst / limits.rate) * 1_000),
    cache: 10_000,
    addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
    errorResponseBuilder: (_, { ttl }) => RateLimited({ seconds: Math.ceil(ttl / 1_000) }),
  });
  await app.register(swagger, openApi(context.version.version));

  app.setErrorHandler((error: Error, request, reply) => {
    const known = tabled(error, request.id, limits.body);
    if (known.status >= 500 && known.handling === 'bug')
      context.log.error('a request failed', {
        id: request.id,
        method: request.method,
        route: request.routeOptions.url,
        error: known.cause ?? known,
      });
    return sendError(reply, known);
  });
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request, reply) => {
    const [path = ''] = request.url.split('?');
    const allowed = methods.allowed(path);
    if (allowed === undefined) return sendError(reply, RouteUnknown({ path: path.slice(0, 200) }));
    return sendError(reply.header('allow', allowed.join(', ')), MethodNotAllowed({ method: request.method, allowed }));
  });

  openRoutes(app, context);
  const guard = createGuard(context.tokens, limits, context.clock);
  await app.register(async (guarded: App) => {
    guarded.addHook('onRequest', async (request) => {
      request.caller = await guard(request.raw);
    });
    statusRoutes(guarded, context);
    specRoutes(guarded, context);
    await guarded.register(async (inner: App) => socketApiRoute(inner, context));
    await guarded.register(
      async (api: App) => {
        for (const routes of [commandRoutes, auditLogRoutes, eventRoutes, resourceRoutes, projectionRoutes, parkedRoutes])
          routes(api, context);
      },
      { prefix: '/api/v1' },
    );
  });
  await app.ready();
  return app;
}
