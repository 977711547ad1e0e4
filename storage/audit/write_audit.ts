import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { tableOf } from '../database/write_set.ts'
import { AuditEntry } from '../entities/mod.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { type AuditChange, auditEntry } from './entry.ts'

/**
 * Writes an audit entry for the caller of `database` (`actingFor`) in the transaction of `em`, so that the change and
 * its entry are committed together. Writes nothing without a caller, and when the record did not change.
 */
export async function writeAudit(database: Database, em: EntityManager, change: AuditChange): Promise<void> {
  const entry = database.origin && auditEntry(database.origin, change)
  if (entry) await em.insert(AuditEntry, entry)
}

/** Writes the entry of an act that changes no record of ours. */
export function auditAct(database: Database, change: AuditChange): Promise<void> {
  return database.em().transactional((em) => writeAudit(database, em, change))
}

/**
 * The entry as a part of another statement (`with … as (…)`), for changes of one statement: it is inserted for each row
 * of `from`. `columns`: expressions in place of columns of the entry.
 */
export function auditClause(database: Database, entry: AuditEntry, from: Sql, columns: Record<string, Sql>) {
  const names = [...tableOf(database.orm, AuditEntry).types.keys()]
  const values = names.map((name) => columns[name] ?? sql`entry.${sql.id(name)}`)
  return sql`insert into audit_entry (${sql.join(names.map(sql.id), ', ')}) select ${sql.join(values, ', ')}
    from json_populate_record(null::audit_entry, ${JSON.stringify(entry)}) as entry, ${from}`
}
