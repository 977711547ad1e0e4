/** What is left of files whose time is over, and of uploads whose node died. */
import { type BlobStore, type Database, forgetMedia, listExpiredMedia, removeLeft } from '../../storage/mod.ts'

const PAGE = 200
/** No upload is silent that long. */
const LEFT_MS = 3_600_000

/** Any node may do it at any time. Returns how many files went. */
export async function tidyMedia(database: Database, blobs: BlobStore, uploads_directory: string): Promise<number> {
  await removeLeft(uploads_directory, LEFT_MS)
  for (let count = 0; ; ) {
    const expired = await listExpiredMedia(database, PAGE)
    for (const { media_id, blob_key } of expired) {
      // The bytes first: without the row nobody would know of them.
      if (blob_key) await blobs.remove(blob_key)
      await forgetMedia(database, media_id)
      count++
    }
    if (expired.length < PAGE) return count
  }
}
