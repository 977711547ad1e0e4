/** Audit entries for operators. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { AuditEntry } from '../../entities/access/audit_entry.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import { createdWithin, type TimeRange } from '../common/time_range.ts'

/** All given conditions must hold. */
export type AuditFilter = TimeRange & {
  actor_kind?: string | undefined
  actor_id?: string | undefined
  action?: string | undefined
  target_kind?: string | undefined
  target_id?: string | undefined
  company_id?: string | undefined
  project_id?: string | undefined
}

/** An entry as the operator API shows it. */
export type AuditRecord = ReturnType<typeof toRecord>

/** One page of entries, newest first. The ids of entries grow with time, so pages go by id. */
export async function listAudit(
  database: Database,
  { since, until, ...equal }: AuditFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<AuditRecord>> {
  const conditions = Object.entries(equal).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.id(column)} = ${value}`],
  )
  conditions.push(...createdWithin({ since, until }, { id: '_id' }))
  if (cursor) conditions.push(sql`_id < ${cursor}`)
  const where = conditions.length > 0 ? sql.join(conditions, ' and ') : sql`true`
  const rows = await readEntries(database, sql`where ${where} order by _id desc limit ${limit + 1}`)
  return toPage(rows, limit, ({ _id }) => _id)
}

/** True when an entry has this value, or it is the name of a table. */
export async function hasAudited(
  database: Database,
  column: 'action' | 'target_kind',
  value: string,
): Promise<boolean> {
  if (column === 'target_kind') {
    for (const { tableName } of database.orm.getMetadata().getAll().values()) if (tableName === value) return true
  }
  const [row] = await database.execute(sql`select 1 from audit_entry where ${sql.id(column)} = ${value} limit 1`)
  return row !== undefined
}

export async function findAudit(database: Database, _id: string): Promise<AuditRecord | undefined> {
  const [row] = await readEntries(database, sql`where _id = ${_id}`)
  return row
}

/** Where an entry has no name of a token or user, the present one is shown, but for erased entries. */
async function readEntries(database: Database, rest: Sql): Promise<AuditRecord[]> {
  const name = (kind: string, column: Sql, table: string) =>
    sql`when e.actor_kind = ${kind} then (select n.${column} from ${sql.id(table)} n where n._id = e.actor_id)`
  const rows = await database.execute<Record<string, unknown> & { present_name: string | null }>(sql`
    select ${columnsOf(database, AuditEntry, sql`e`)},
      case when e.actor_name is not null or e.erased_at is not null then null
        ${name('token', sql`name`, 'token')} ${name('user', sql`full_name`, 'user')} end as present_name
    from (select ${columnsOf(database, AuditEntry)} from audit_entry ${rest}) e order by e._id desc`)
  const names = rows.map(({ present_name }) => present_name)
  return toRows(database, AuditEntry, rows).map((row, at) =>
    toRecord({ ...row, actor_name: row.actor_name ?? names[at] }),
  )
}

function toRecord(row: AuditEntry) {
  return {
    _id: row._id,
    created_at: row.created_at,
    actor: { kind: row.actor_kind, id: row.actor_id ?? null, name: row.actor_name ?? null },
    address: row.address ?? null,
    request_id: row.request_id ?? null,
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id ?? null },
    company_id: row.company_id ?? null,
    project_id: row.project_id ?? null,
    before: row.before ?? null,
    after: row.after ?? null,
    erased_at: row.erased_at ?? null,
  }
}
