/** Exports, for operators. */
import type { Database } from '../database.ts'
import type { RightsKind } from '../entities/data_erasure.ts'
import { DataExport, type ExportStatus } from '../entities/data_export.ts'
import { columnsOf, toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'

/** All given conditions must hold. */
export type ExportFilter = {
  kind?: RightsKind | undefined
  status?: ExportStatus | undefined
  subject_id?: string | undefined
  project_id?: string | undefined
  company_id?: string | undefined
}

export async function findExport(database: Database, _id: string): Promise<DataExport | undefined> {
  const { data } = await select(database, `_id = ${literal(_id)}`, { limit: 1, offset: 0 })
  return data[0]
}

/** Newest first. */
export function listExports(
  database: Database,
  filter: ExportFilter,
  page: { limit: number; offset: number },
): Promise<{ data: DataExport[]; total: number }> {
  const conditions = Object.entries(filter).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${literal(value)}`],
  )
  return select(database, conditions.join(' and ') || 'true', page)
}

async function select(
  database: Database,
  where: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ data: DataExport[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    database.execute(
      `select ${columnsOf(database, DataExport)} from data_export where ${where}
      order by _id desc limit ${limit} offset ${offset}`,
    ),
    database.execute<{ total: number }>(`select count(*)::int as total from data_export where ${where}`),
  ])
  return { data: toRows(database, DataExport, rows), total: count!.total }
}
