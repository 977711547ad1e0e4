import { writeAudit } from '../audit/write_audit.ts'
import type { BlobStore } from '../blobs/blob_store.ts'
import type { Database } from '../database.ts'
import { DataExport } from '../entities/mod.ts'
import { ChangeRefused } from './change_refused.ts'

/**
 * Removes the file of an export, or ends an export under way. Its record stays.
 * @throws {ChangeRefused} NOT_FOUND when there is no such export, or its file is gone already
 */
export async function removeExport(database: Database, blobs: BlobStore, _id: string): Promise<void> {
  const found = await database.em().findOne(DataExport, { _id })
  if (!found || (found.status !== 'running' && !found.blob_key)) throw new ChangeRefused('NOT_FOUND')
  if (found.blob_key) await blobs.remove(found.blob_key)
  await database.em().transactional(async (em) => {
    await em.execute(
      `update data_export set status = 'expired', blob_key = null, step = null, ended_at = coalesce(ended_at, now()),
        updated_at = now() where _id = ?`,
      [_id],
    )
    const { company_id, project_id, kind, subject_id } = found
    const before = { kind, subject_id, status: found.status }
    await writeAudit(database, em, { target_kind: 'data_export', target_id: _id, company_id, project_id, before })
  })
}
