/**
 * The row of an export while it is being written. Each attempt has a number: an attempt that another node has overtaken,
 * or that an erasure has voided, changes nothing any more.
 */
import type { BlobStore } from '../../blobs/blob_store.ts'
import type { Database } from '../../database.ts'
import { literal } from '../../write_set.ts'

/** Days for which a file is kept. */
const KEPT_DAYS = 7

/** Another attempt has begun, or the export has ended. */
export class ExportMoved extends Error {}

/** Begins an attempt. Returns its number. @throws {ExportMoved} */
export async function beginAttempt(database: Database, _id: string): Promise<number> {
  const [row] = await database.execute<{ attempt: number }>(
    `update data_export set attempt = attempt + 1, counts = '{}', step = 'reading', updated_at = now()
    where _id = ? and status = 'running' returning attempt`,
    [_id],
  )
  if (!row) throw new ExportMoved()
  return row.attempt
}

type Attempt = { _id: string; attempt: number }

/** Stores the progress. @throws {ExportMoved} */
export async function noteProgress(
  database: Database,
  { _id, attempt }: Attempt,
  { step, counts }: { step: string; counts: Record<string, number> },
): Promise<void> {
  await change(
    database,
    { _id, attempt },
    `step = ${literal(step)}, counts = ${literal(JSON.stringify(counts))}::jsonb, updated_at = now()`,
  )
}

/** Ends the attempt with its file. @throws {ExportMoved}, and the file must be removed */
export async function finishExport(
  database: Database,
  attempt: Attempt,
  file: { blob_key: string; size: number; sha256: string; taken_at: string },
): Promise<void> {
  const { blob_key, size, sha256, taken_at } = file
  await change(
    database,
    attempt,
    `status = 'done', step = null, blob_key = ${literal(blob_key)}, file_size = ${size}, sha256 = ${literal(sha256)},
    snapshot_at = ${literal(taken_at)}, ended_at = now(), updated_at = now(),
    expires_at = now() + interval '${KEPT_DAYS} days'`,
  )
}

/** Ends an export that cannot be written. */
export async function failExport(database: Database, attempt: Attempt, error: string): Promise<void> {
  await change(
    database,
    attempt,
    `status = 'failed', step = null, error = ${literal(error.slice(0, 1000))}, ended_at = now(), updated_at = now()`,
  )
}

async function change(database: Database, { _id, attempt }: Attempt, set: string): Promise<void> {
  const rows = await database.execute(
    `update data_export set ${set} where _id = ${literal(_id)} and attempt = ${attempt} and status = 'running' returning 1`,
  )
  if (rows.length === 0) throw new ExportMoved()
}

/** Removes the files of expired exports. Any node may do it at any time. Returns their number. */
export async function expireExports(database: Database, blobs: BlobStore): Promise<number> {
  const expired = await database.execute<{ _id: string; blob_key: string }>(
    'select _id, blob_key from data_export where blob_key is not null and expires_at <= now() order by expires_at limit 200',
  )
  for (const { _id, blob_key } of expired) {
    // Bytes first: without the row they would never be found.
    await blobs.remove(blob_key)
    await database.execute(
      `update data_export set status = 'expired', blob_key = null, updated_at = now() where _id = ? and blob_key = ?`,
      [_id, blob_key],
    )
  }
  return expired.length
}
