/** Stores a file here: its row, and its bytes in the store of files. */
import type { Readable } from 'node:stream'
import type { Database } from '../database/database.ts'
import type { Media } from '../entities/messages/media.ts'
import type { BlobStore } from './blob_store.ts'
import { keepMedia, STORING_MS, storeMedia } from './media.ts'

/**
 * The row is stored first, with an early end: bytes without a row would stay for ever. Returns false when the project was
 * erased meanwhile, or another attempt has begun; then nothing is left.
 *
 * @param row with its `blob_key`
 * @param attempt as in `storeMedia`
 */
export async function storeFile(
  blobs: BlobStore,
  database: Database,
  row: Media & { blob_key: string },
  bytes: () => Readable,
  attempt?: number,
): Promise<boolean> {
  const { blob_key } = row
  const storing = { ...row, expires_at: new Date(row.created_at.getTime() + STORING_MS) }
  if (!(await storeMedia(database, storing, attempt))) return false
  await blobs.put(blob_key, bytes())
  if (await keepMedia(database, row.media_id, row.expires_at, blob_key)) return true
  await blobs.remove(blob_key)
  return false
}
