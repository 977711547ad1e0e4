import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { type EntityRef, tableOf } from '../database/write_set.ts'
import { writeAudit } from './write_audit.ts'

type Fields = Record<string, unknown>

/**
 * A copy of a record's columns, to be compared with the record after its change. Null for no record.
 */
export function snapshot<Row extends object>(
  database: Database,
  entity: EntityRef<Row>,
  row: Row | null | undefined,
): Fields | null {
  if (!row || !database.origin) return null
  const columns = tableOf(database.orm, entity).types.keys()
  const fields = [...columns].map((column) => [column, (row as Fields)[column] ?? null])
  return JSON.parse(JSON.stringify(Object.fromEntries(fields)))
}

/** Writes the audit entry for the change of a record with these snapshots, in the transaction of `em`. */
export async function auditRecord(
  database: Database,
  em: EntityManager,
  entity: EntityRef,
  { before = null, after = null }: { before?: Fields | null; after?: Fields | null },
): Promise<void> {
  const fields = after ?? before
  if (!fields) return
  const target_kind = tableOf(database.orm, entity).name
  const target_id = (fields._id ?? fields.id) as string
  const own = { [`${target_kind}_id`]: target_id }
  const { company_id, project_id } = { ...fields, ...own } as Record<string, string | undefined>
  await writeAudit(database, em, { target_kind, target_id, company_id, project_id, before, after })
}
