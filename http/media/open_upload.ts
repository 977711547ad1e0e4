import type { OpenFile } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { type BlobStore, type Database, findLinkedMedia } from '../../storage/mod.ts'

/** Opens files that we keep, for adapters that send the bytes themselves. Whose they are was checked with the message. */
export function openUpload(database: Database, blobs: BlobStore): OpenFile {
  return async (media_id) => {
    const row = await findLinkedMedia(database, media_id, new Date())
    const found = row?.blob_key ? await blobs.get(row.blob_key) : undefined
    if (!row || !found) throw new Refusal('MEDIA_NOT_FOUND', { message: 'The uploaded file is not there any more.' })
    return { stream: found.stream, filename: row.filename ?? null, mime_type: row.mime_type }
  }
}
