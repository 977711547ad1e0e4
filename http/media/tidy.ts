/** Removes expired files, and the remains of uploads and exports whose node died. Any node may do it at any time. */
import {
  type BlobStore,
  type Database,
  expireExports,
  forgetMedia,
  listExpiredMedia,
  removeBlobs,
  removeLeft,
} from '../../storage/mod.ts'

const PAGE = 200
/** An upload's temporary file without a change for this long is abandoned. */
const LEFT_MS = 3_600_000

/** Returns the number of removed files. */
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

/** `directory`: of local files, whose names last for a moment. Nodes of the version before kept them under their names. */
export async function tidyExports(database: Database, blobs: BlobStore, directory: string): Promise<void> {
  await removeLeft(directory, LEFT_MS)
  await expireExports(database, blobs)
  await removeBlobs(database, blobs)
}
