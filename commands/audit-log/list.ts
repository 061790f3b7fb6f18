import { z } from 'zod';
import { ObjectNotFound, RequestInvalid } from '../../domain/errors.ts';
import { workspaces } from '../../domain/kinds.ts';
import { namespacesOf } from '../../domain/workspace/index.ts';
import { optional, query } from '../registry/index.ts';

const entry = z.looseObject({ pattern: z.string(), success: z.boolean(), createdAt: z.string(), user: z.record(z.string(), z.unknown()) });

/** The longest page; a negative limit asks for a hundred. */
const longest = 10_000;

export const listAuditLog = query({
  pattern: 'audit-log/list',
  reads: ['directory', 'audit-log'],
  request: z.object({ limit: z.int().optional(), offset: z.int().optional(), workspaceName: optional(), search: optional() }),
  response: z.object({ status: z.string(), message: z.string(), data: z.object({ data: z.array(entry).nullable(), totalCount: z.int() }) }),
  async answer({ limit, offset = 0, workspaceName, search }, { auditLog, directory, ownNamespace }) {
    if (!limit) throw RequestInvalid({ text: "Field 'Limit' failed validation, Condition: required" });
    const { entries, total } = await auditLog.list({
      limit: limit < 0 ? 100 : Math.min(limit, longest),
      offset: Math.max(0, offset),
      ...(workspaceName ? scopeOf(workspaceName) : {}),
      ...(search ? { search } : {}),
    });
    return {
      status: 'success',
      message: 'audit log retrieved successfully',
      data: { data: entries.map((one) => ({ ...one })), totalCount: total },
    };

    function scopeOf(name: string) {
      const object = directory.get(workspaces, { name, namespace: ownNamespace });
      if (object === undefined) throw ObjectNotFound({ kind: 'workspaces.mogenius.com', name });
      return { namespaces: namespacesOf(object), workspace: name };
    }
  },
});
