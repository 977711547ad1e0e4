/** Exports, for operators. */
import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import type { RightsKind } from '../../entities/data_rights/data_erasure.ts'
import { DataExport, type ExportStatus } from '../../entities/data_rights/data_export.ts'
import type { CountedPage, Window } from '../common/keyset.ts'
import { listRecords } from '../common/record_list.ts'

/** All given conditions must hold. */
export type ExportFilter = {
  kind?: RightsKind | undefined
  status?: ExportStatus | undefined
  subject_id?: string | undefined
  project_id?: string | undefined
  company_id?: string | undefined
}

export async function findExport(database: Database, _id: string): Promise<DataExport | undefined> {
  const [row] = await readRows(database, DataExport, { _id })
  return row
}

/** Newest first. */
export function listExports(
  database: Database,
  filter: ExportFilter,
  window: Window,
): Promise<CountedPage<DataExport>> {
  return listRecords(database, DataExport, filter, window)
}
