export { removeBlobs } from './blob_removals.ts'
export type { BlobStore, ByteRange } from './blob_store.ts'
export { removeLeft } from './file_blobs.ts'
export {
  countKeptFiles,
  expireMedia,
  forgetMedia,
  keepMedia,
  removeMedia,
  STORING_MS,
  storeMedia,
  withdrawMedia,
} from './media.ts'
export { openBlobs } from './open_blobs.ts'
export { storeFile } from './store_file.ts'
export { findThumbnail, keepThumbnail } from './thumbnails.ts'
export { checkWritable } from './writable.ts'
