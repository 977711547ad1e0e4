import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Database } from '../database.ts'
import { AuditEntry } from '../entities/mod.ts'
import { type AuditChange, auditEntry } from './entry.ts'

/**
 * Writes an audit entry for the caller of `database` (`actingFor`) in the transaction of `em`, so that the change and
 * its entry are committed together. Writes nothing without a caller, and when the record did not change.
 */
export async function writeAudit(database: Database, em: SqlEntityManager, change: AuditChange): Promise<void> {
  const entry = database.origin && auditEntry(database.origin, change)
  if (entry) await em.insert(AuditEntry, entry)
}
