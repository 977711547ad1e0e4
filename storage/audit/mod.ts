export { actingFor, withoutOrigin } from './acting_for.ts'
export { type AuditChange, auditEntry } from './entry.ts'
export { auditAct, writeAudit } from './write_audit.ts'
