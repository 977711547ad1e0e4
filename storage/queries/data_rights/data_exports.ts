/** Exports, for operators. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import type { RightsKind } from '../../entities/data_erasure.ts'
import { DataExport, type ExportStatus } from '../../entities/data_export.ts'
import { type Sql, sql } from '../../sql/sql.ts'

/** All given conditions must hold. */
export type ExportFilter = {
  kind?: RightsKind | undefined
  status?: ExportStatus | undefined
  subject_id?: string | undefined
  project_id?: string | undefined
  company_id?: string | undefined
}

export async function findExport(database: Database, _id: string): Promise<DataExport | undefined> {
  const { data } = await select(database, sql`_id = ${_id}`, { limit: 1, offset: 0 })
  return data[0]
}

/** Newest first. */
export function listExports(
  database: Database,
  filter: ExportFilter,
  page: { limit: number; offset: number },
): Promise<{ data: DataExport[]; total: number }> {
  const conditions = Object.entries(filter).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.id(column)} = ${value}`],
  )
  return select(database, conditions.length > 0 ? sql.join(conditions, ' and ') : sql`true`, page)
}

async function select(
  database: Database,
  where: Sql,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ data: DataExport[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    database.execute(
      sql`select ${columnsOf(database, DataExport)} from data_export where ${where}
      order by _id desc limit ${limit} offset ${offset}`,
    ),
    database.execute<{ total: number }>(sql`select count(*)::int as total from data_export where ${where}`),
  ])
  return { data: toRows(database, DataExport, rows), total: count!.total }
}
