import { z } from 'zod';
import { CommandNotFound, ObjectNotFound } from '../../../domain/errors.ts';
import { type App, answers } from '../app.ts';
import type { Context } from '../context.ts';
import { freshly } from '../fresh.ts';
import { commandId } from '../schemas/command.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { auditLogEntry } from '../schemas/views.ts';

const name = z.string().min(1).max(253);

export function auditLogRoutes(app: App, context: Context): void {
  const preHandler = freshly(context, 'audit-log');
  app.get(
    '/audit-log',
    {
      preHandler,
      schema: {
        tags: ['audit log'],
        summary: 'Who did what, newest first',
        querystring: pageQuery.extend({
          workspace: name.optional().describe('Only entries of this workspace and its namespaces.'),
          search: z.string().min(1).max(512).optional().describe('Only entries that hold the text.'),
        }),
        response: answers(pageOf(auditLogEntry)),
      },
    },
    async ({ query: { workspace, search, ...page } }) => {
      const { entries, total } = await context.part('auditLog').list({
        ...page,
        ...(workspace === undefined ? {} : scopeOf(workspace)),
        ...(search === undefined ? {} : { search }),
      });
      return { items: entries, total };
    },
  );

  app.get(
    '/audit-log/:id',
    {
      preHandler,
      schema: {
        tags: ['audit log'],
        summary: 'What became of one request',
        params: z.strictObject({ id: commandId }),
        response: answers(auditLogEntry),
      },
    },
    async ({ params: { id } }) => {
      const found = await context.part('auditLog').one(id);
      if (found === undefined) throw CommandNotFound({ id });
      return found;
    },
  );

  function scopeOf(workspace: string) {
    const namespaces = context.part('namespacesOf')(workspace);
    if (namespaces === undefined) throw ObjectNotFound({ kind: 'workspaces.mogenius.com', name: workspace });
    return { workspace, namespaces };
  }
}
