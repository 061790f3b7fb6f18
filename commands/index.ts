import { auditLogPatterns } from './audit-log/index.ts';
import { grantPatterns } from './grants/index.ts';
import { describe, type Version } from './operator/index.ts';
import { createRegistry, type Registry } from './registry/index.ts';
import { userPatterns } from './users/index.ts';
import { workspacePatterns } from './workspaces/index.ts';

export type { Version } from './operator/index.ts';
export * from './pipeline/index.ts';
export type { Ports, Registry } from './registry/index.ts';

/** Every pattern this release serves. */
export function createPatterns(build: Version): Registry {
  const registry: Registry = createRegistry([
    describe(build, () => registry.describe()),
    ...workspacePatterns,
    ...userPatterns,
    ...grantPatterns,
    ...auditLogPatterns,
  ]);
  return registry;
}
