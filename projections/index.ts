export { type AuditLogOptions, auditLog, auditLogName } from './audit-log.ts';
export { type AuditLogQueriesOptions, createAuditLogQueries } from './audit-queries.ts';
export { type CommandQueriesOptions, createCommandQueries } from './command-queries.ts';
export { commandStatus, commandStatusName } from './command-status.ts';
export { createDirectory, directoryName, directoryView } from './directory.ts';
export { type EventTypes, type Projection, projection, type View } from './projection.ts';
export { type Resident, residentView } from './resident.ts';
export { createProjectionRunner, type ProjectionRunner, type ProjectionRunnerOptions, type Skip } from './runner/index.ts';
