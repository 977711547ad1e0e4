import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { HistoryImport } from '../../entities/messages/history_import.ts'
import { HistoryPart } from '../../entities/messages/history_part.ts'
import { sql } from '../../sql/sql.ts'

/** Parts that are stored in one turn, and their characters, unless the first one has more. */
const MAX_PARTS = 50
const MAX_SIZE = 500_000

/** The parts of an import that are next, with about `most` messages and names. */
export async function nextHistoryParts(database: Database, import_id: string, most: number): Promise<HistoryPart[]> {
  const columns = columnsOf(database, HistoryPart)
  const rows = await database.execute<Record<string, unknown>>(sql`
    select ${columns} from (
      select ${columns}, sum(size) over (order by _id) - size as size_before, sum(count) over (order by _id) - count as count_before
      from (
        select ${columns} from history_part where import_id = ${import_id} order by _id limit ${MAX_PARTS}
      ) first
    ) part
    where size_before = 0 or (size_before < ${MAX_SIZE} and count_before < ${most}) order by _id`)
  return toRows(database, HistoryPart, rows)
}

/** The imports of a project with parts that wait. */
export async function readWaitingImports(database: Database, project_id: string): Promise<HistoryImport[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, HistoryImport)} from history_import
    where project_id = ${project_id} and waiting_count > 0 order by _id`)
  return toRows(database, HistoryImport, rows)
}

/** The import of the present pairing of a channel, else the last one. */
export async function findHistoryImport(database: Database, channel_id: string): Promise<HistoryImport | undefined> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, HistoryImport)} from history_import
    where channel_id = ${channel_id} order by _id desc limit 1`)
  return toRows<HistoryImport>(database, HistoryImport, rows)[0]
}
