import { z } from 'zod';
import { errorBody } from '../errors.ts';
import { commandAnswer } from './command.ts';
import { cloudEvent } from './event.ts';
import { auditLogEntry, commandStatus, parkedCommand, projectionStatus, readiness, verified } from './views.ts';

const named = {
  Error: errorBody,
  CommandAnswer: commandAnswer,
  CommandStatus: commandStatus,
  CloudEvent: cloudEvent,
  AuditLogEntry: auditLogEntry,
  ProjectionStatus: projectionStatus,
  Verified: verified,
  ParkedCommand: parkedCommand,
  Readiness: readiness,
};

/** Gives schemas a name in the OpenAPI document, so that they don't stand in it many times. */
export function nameComponents(): void {
  for (const [id, schema] of Object.entries(named)) z.globalRegistry.add(schema, { id });
}
