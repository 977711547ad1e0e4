/** Removes expired files, and the remains of uploads and exports whose node died. Any node may do it at any time. */
import {
  type BlobStore,
  type Database,
  dropOldFetches,
  expireExports,
  expireMedia,
  removeBlobs,
  removeLeft,
} from '../../storage/mod.ts'

/** An upload's temporary file without a change for this long is abandoned. */
const LEFT_MS = 3_600_000

/** Returns the number of removed files. @throws {Error} at the end, when some could not be removed */
export async function tidyMedia(database: Database, blobs: BlobStore, uploads_directory: string): Promise<number> {
  await removeLeft(uploads_directory, LEFT_MS)
  return expireMedia(database, blobs)
}

/** `directory`: of local files, whose names last for a moment. Nodes of the version before kept them under their names. */
async function tidyExports(database: Database, blobs: BlobStore, directory: string): Promise<void> {
  await removeLeft(directory, LEFT_MS)
  await expireExports(database, blobs)
}

type Places = { uploads_directory: string; exports_directory: string }

/** All of it, whichever part fails. @throws {AggregateError} at the end, with the fault of each part that failed */
export async function tidyFiles(database: Database, blobs: BlobStore, places: Places): Promise<void> {
  const faults: unknown[] = []
  for (const part of [
    () => tidyMedia(database, blobs, places.uploads_directory),
    () => tidyExports(database, blobs, places.exports_directory),
    () => removeBlobs(database, blobs),
    () => dropOldFetches(database),
  ]) {
    await part().catch((error) => faults.push(error))
  }
  if (faults.length > 0) throw new AggregateError(faults, faults.map((fault) => (fault as Error).message).join('; '))
}
