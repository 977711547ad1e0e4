/**
 * The row of an export while it is being written.
 *
 *  X1 Each attempt has a number, and its file has a key of its own. An attempt that another node has overtaken, or that
 *     an erasure has voided, changes nothing any more.
 *  X2 A row refers to the file of a done export, and to that of the present attempt of a running one. The statement that
 *     ends either reference stores the key in `blob_removal`, so a file is found whenever its writer dies.
 */
import { noteRemovals } from '../../blobs/blob_removals.ts'
import type { BlobStore } from '../../blobs/blob_store.ts'
import { removeFiles } from '../../blobs/file_removals.ts'
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'

/** Days for which a file is kept. */
const KEPT_DAYS = 7

const EXPIRED = 200

/** Another attempt has begun, or the export has ended. */
export class ExportMoved extends Error {}

export type ExportAttempt = { _id: string; attempt: number }

/** The key of an attempt's file (X1). */
export function exportKey({ _id, attempt }: ExportAttempt): string {
  return `export_${_id}_${attempt}`
}

/** The same in SQL, of a row of `data_export`. */
const KEY = sql`'export_' || _id || '_' || attempt`

/**
 * Begins an attempt. Returns its number. The file of the one before is to be removed.
 * @throws {ExportMoved}
 */
export async function beginAttempt(database: Database, _id: string): Promise<number> {
  const [row] = await database.execute<{ attempt: number }>(sql`with begun as (
      update data_export set attempt = attempt + 1, counts = '{}', step = 'reading', updated_at = now()
      where _id = ${_id} and status = 'running' returning _id, attempt
    ), removed as (${noteRemovals(sql`select 'export_' || _id || '_' || (attempt - 1) from begun where attempt > 1`)})
    select attempt from begun`)
  if (!row) throw new ExportMoved()
  return row.attempt
}

/** Stores the progress. @throws {ExportMoved} */
export async function noteProgress(
  database: Database,
  attempt: ExportAttempt,
  { step, counts }: { step: string; counts: Record<string, number> },
): Promise<void> {
  await change(database, attempt, sql`step = ${step}, counts = ${JSON.stringify(counts)}::jsonb, updated_at = now()`)
}

/** Ends the attempt with its file. @throws {ExportMoved}, and the file must be removed */
export async function finishExport(
  database: Database,
  attempt: ExportAttempt,
  { size, sha256, taken_at }: { size: number; sha256: string; taken_at: string },
): Promise<void> {
  await change(
    database,
    attempt,
    sql`status = 'done', step = null, blob_key = ${KEY}, file_size = ${size}, sha256 = ${sha256},
    snapshot_at = ${taken_at}, ended_at = now(), updated_at = now(),
    expires_at = now() + ${KEPT_DAYS} * interval '1 day'`,
  )
}

/** Ends an export that cannot be written. @throws {ExportMoved} */
export async function failExport(database: Database, attempt: ExportAttempt, error: string): Promise<void> {
  const rows = await database.execute(
    sql`with failed as (
      update data_export set status = 'failed', step = null, error = ${error.slice(0, 1000)},
        ended_at = now(), updated_at = now()
      where ${isPresent(attempt)} returning _id, attempt
    ), removed as (${noteRemovals(sql`select ${KEY} from failed where attempt > 0`)})
    select 1 from failed`,
  )
  if (rows.length === 0) throw new ExportMoved()
}

async function change(database: Database, attempt: ExportAttempt, set: Sql): Promise<void> {
  const rows = await database.execute(sql`update data_export set ${set} where ${isPresent(attempt)} returning 1`)
  if (rows.length === 0) throw new ExportMoved()
}

function isPresent({ _id, attempt }: ExportAttempt): Sql {
  return sql`_id = ${_id} and attempt = ${attempt} and status = 'running'`
}

/**
 * SQL that ends the references of exports to their files: a done one expires, a running one has to begin anew, or expires
 * with `stop`. Returns the rows with the `status` they had.
 */
export function voidExports(where: Sql, { stop }: { stop: boolean }): Sql {
  const ending = stop
    ? sql`status = 'expired', step = null, ended_at = coalesce(e.ended_at, now())`
    : sql`status = case e.status when 'running' then 'running' else 'expired' end`
  return sql`
    with found as materialized (
      select _id, attempt, status, company_id, project_id, kind, subject_id from data_export
      where (status = 'running' or blob_key is not null) and ${where} order by _id for update
    ), removed as (${noteRemovals(sql`select ${KEY} from found where attempt > 0`)}),
    voided as (
      update data_export e set blob_key = null, attempt = e.attempt + 1, updated_at = now(), ${ending}
      from found where e._id = found._id
    )
    select * from found order by _id`
}

/** Removes the files of expired exports. Any node may do it at any time. Returns their number. */
export async function expireExports(database: Database, blobs: BlobStore): Promise<number> {
  return removeFiles<{ _id: string; blob_key: string; expires_at: string }>(blobs, {
    page: EXPIRED,
    read: (last) =>
      database.execute(sql`
        select _id, blob_key, expires_at::text as expires_at from data_export
        where blob_key is not null and expires_at <= now()
          ${last ? sql`and (expires_at, _id) > (${last.expires_at}, ${last._id})` : sql``}
        order by expires_at, _id limit ${EXPIRED} for update skip locked`),
    async remove({ _id, blob_key }) {
      // Bytes first: without the row they would never be found.
      await blobs.remove(blob_key)
      await database.execute(
        sql`update data_export set status = 'expired', blob_key = null, updated_at = now() where _id = ${_id} and blob_key = ${blob_key}`,
      )
      return true
    },
  })
}
