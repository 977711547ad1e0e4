/** Stores an uploaded document until it is converted. */
import { createReadStream } from 'node:fs'
import { Refusal } from '../../../runtime/mod.ts'
import { type BlobStore, type Database, newDate, objectId, STORING_MS, storeMedia } from '../../../storage/mod.ts'
import type { FileRoom } from '../../media/file_room.ts'
import type { SpooledFile } from '../../media/upload_form.ts'
import type { Outcome } from '../../server/changes/operation.ts'

export type DocumentStores = { blobs: BlobStore; room: FileRoom }

export type DocumentUpload = { parent_id?: string; name?: string; language?: string; file: SpooledFile }

/**
 * Stores the row first, with an early end: bytes without a row would stay for ever. The project keeps the file for longer
 * in the turn that begins the import.
 */
export async function storeDocument(
  { blobs, room }: DocumentStores,
  { database, company_id, project_id }: { database: Database; company_id: string; project_id: string },
  { file, ...fields }: DocumentUpload,
): Promise<Outcome> {
  const { path, file_size, sha256, charset, filename } = file
  await room.take(project_id, file_size)
  const media_id = objectId()
  const created_at = newDate()
  const is_stored = await storeMedia(database, {
    media_id,
    company_id,
    project_id,
    channel_id: null,
    provider_media_id: null,
    received_media_id: null,
    is_sent_on: null,
    mime_type: 'application/octet-stream',
    file_size,
    sha256,
    filename,
    blob_key: media_id,
    created_at,
    expires_at: new Date(created_at.getTime() + STORING_MS),
  })
  if (!is_stored) throw new Refusal('UNAUTHENTICATED')
  await blobs.put(media_id, createReadStream(path, { highWaterMark: 256 * 1024 }))
  const stored = { media_id, file_size, sha256, charset }
  const change = { type: 'import_knowledge_file' as const, filename: filename ?? 'document', file: stored, ...fields }
  return { changes: [change], answer: { status: 202, record: true } }
}
