/** Stores a file here: its row, and its bytes in the store of files. */
import type { Readable } from 'node:stream'
import { type BlobStore, type Database, keepMedia, type Media, STORING_MS, storeMedia } from '../../storage/mod.ts'

/**
 * The row is stored first, with an early end: bytes without a row would stay for ever. Returns false when the project was
 * erased meanwhile; then nothing is left.
 */
export async function storeFile(
  blobs: BlobStore,
  database: Database,
  row: Media,
  bytes: () => Readable,
): Promise<boolean> {
  const blob_key = row.media_id
  const storing = { ...row, blob_key, expires_at: new Date(row.created_at.getTime() + STORING_MS) }
  if (!(await storeMedia(database, storing))) return false
  await blobs.put(blob_key, bytes())
  if (await keepMedia(database, row.media_id, row.expires_at)) return true
  await blobs.remove(blob_key)
  return false
}
