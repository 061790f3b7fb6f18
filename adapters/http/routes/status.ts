import { type App, answers } from '../app.ts';
import type { Context } from '../context.ts';
import { reconcilerStatus } from '../schemas/views.ts';

export function statusRoutes(app: App, context: Context): void {
  app.get(
    '/status',
    { schema: { tags: ['operation'], summary: 'What the reconciler found wrong', response: answers(reconcilerStatus) } },
    async () => ({
      reconciler: context.has('status') ? context.part('status')() : { is_active: false, results: [] },
      socketapi: { is_running: context.has('dispatcher') && !context.stopping.aborted },
    }),
  );
}
