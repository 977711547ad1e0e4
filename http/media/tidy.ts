/** Removes expired files, and the remains of uploads whose node died. */
import { type BlobStore, type Database, forgetMedia, listExpiredMedia, removeLeft } from '../../storage/mod.ts'

const PAGE = 200
/** An upload's temporary file without a change for this long is abandoned. */
const LEFT_MS = 3_600_000

/** Any node may run it at any time. Returns the number of removed files. */
export async function tidyMedia(database: Database, blobs: BlobStore, uploads_directory: string): Promise<number> {
  await removeLeft(uploads_directory, LEFT_MS)
  for (let count = 0; ; ) {
    const expired = await listExpiredMedia(database, PAGE)
    for (const { media_id, blob_key } of expired) {
      // Bytes first: without the row they would never be found.
      if (blob_key) await blobs.remove(blob_key)
      await forgetMedia(database, media_id)
      count++
    }
    if (expired.length < PAGE) return count
  }
}
