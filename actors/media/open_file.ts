import type { Readable } from 'node:stream'
import { type BlobStore, type Database, findLinkedMedia, newDate } from '../../storage/mod.ts'
import { refuse } from '../refuse.ts'

type OpenedFile = { stream: Readable; filename: string | null; mime_type: string }

/**
 * Opens files of the blob store, for adapters that send bytes. The project's permission was checked when the message
 * was accepted. Rejects with `Refusal` MEDIA_NOT_FOUND when the file has expired since.
 */
export function openUploaded(database: Database, blobs: BlobStore): (media_id: string) => Promise<OpenedFile> {
  return async (media_id) => {
    const row = await findLinkedMedia(database, media_id, newDate())
    const found = row?.blob_key ? await blobs.get(row.blob_key) : undefined
    if (!row || !found) throw refuse('MEDIA_NOT_FOUND', { media_id })
    return { stream: found.stream, filename: row.filename ?? null, mime_type: row.mime_type }
  }
}
