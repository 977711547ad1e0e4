import { writeAudit } from '../audit/write_audit.ts'
import type { BlobStore } from '../blobs/blob_store.ts'
import { exportKey, voidExports } from '../data_rights/export/job.ts'
import type { Database } from '../database/database.ts'
import type { DataExport } from '../entities/mod.ts'
import { sql } from '../sql/sql.ts'
import { ChangeRefused } from './change_refused.ts'

type Voided = Pick<DataExport, '_id' | 'attempt' | 'status' | 'company_id' | 'project_id' | 'kind' | 'subject_id'>

/**
 * Removes the file of an export, or ends an export under way. Its record stays. The row changes first: an attempt that
 * ends at the same moment either is done before, and its file is removed, or finds its export over.
 * @throws {ChangeRefused} NOT_FOUND when there is no such export, or its file is gone already
 */
export async function removeExport(database: Database, blobs: BlobStore, _id: string): Promise<void> {
  const voided = await database.em().transactional(async (em) => {
    const [found] = await em.execute<Voided[]>(voidExports(sql`_id = ${_id}`, { stop: true }))
    if (!found) throw new ChangeRefused('NOT_FOUND')
    const { company_id, project_id, kind, subject_id, status } = found
    const before = { kind, subject_id, status }
    await writeAudit(database, em, { target_kind: 'data_export', target_id: _id, company_id, project_id, before })
    return found
  })
  await blobs.remove(exportKey(voided))
}
