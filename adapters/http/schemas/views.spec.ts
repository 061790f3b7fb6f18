import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { AuditLogEntry, CommandStatus, DependencyState, ParkedCommand, ProjectionStatus } from '../../../domain/ports/index.ts';
import { entry, parked, projection, status } from '../../../test/support/http/parts.ts';
import type { ReconcilerStatus } from '../options.ts';
import { auditLogEntry, commandStatus, parkedCommand, projectionStatus, type readiness, type reconcilerStatus } from './views.ts';

/** Compiles only while both know the same keys. */
type SameKeys<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : never) : never;

test('what the ports give is what is documented, key by key', () => {
  const same: [
    SameKeys<CommandStatus, z.infer<typeof commandStatus>>,
    SameKeys<AuditLogEntry, z.infer<typeof auditLogEntry>>,
    SameKeys<ProjectionStatus, z.infer<typeof projectionStatus>>,
    SameKeys<ParkedCommand, z.infer<typeof parkedCommand>>,
    SameKeys<DependencyState, z.infer<typeof readiness>['dependencies'][number]>,
    SameKeys<ReconcilerStatus, z.infer<typeof reconcilerStatus>['reconciler']>,
  ] = [true, true, true, true, true, true];
  expect(same).not.toContain(false);
  expect(commandStatus.strict().parse(status)).toEqual(status);
  expect(auditLogEntry.strict().parse(entry)).toEqual(entry);
  expect(projectionStatus.strict().parse(projection)).toEqual(projection);
  expect(parkedCommand.strict().parse(parked)).toEqual(parked);
});
