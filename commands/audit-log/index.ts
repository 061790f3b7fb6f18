import { listAuditLog } from './list.ts';

export const auditLogPatterns = [listAuditLog];
