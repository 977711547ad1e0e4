import type { BlobStore } from './blob_store.ts'

/** After so many failures one after another, the store is asked whether it answers at all. */
const MANY_IN_A_ROW = 20
/** A key that no file has. */
const NOTHING = 'nothing'

type Walk<Row> = {
  /**
   * The next rows behind `last`, in an order that removals do not change; fewer than `page` when there are no more. Rows that
   * another session holds are passed over: each would cost the time that a statement waits for a lock.
   */
  read(last: Row | undefined): Promise<Row[]>
  page: number
  /** Removes the bytes, then what leads to them. Resolves to false when the row is not done yet. */
  remove(row: Row): Promise<boolean>
}

/**
 * Removes files one after the other. One that cannot be removed stays for the next pass and holds none of the others up;
 * a store that does not answer ends the pass.
 * Resolves to the number that is done.
 *
 * @throws {Error} at the end, when some could not be removed
 */
export async function removeFiles<Row>(blobs: BlobStore, { read, page, remove }: Walk<Row>): Promise<number> {
  let [done, failed, in_a_row] = [0, 0, 0]
  let first: Error | undefined
  for (let last: Row | undefined; ; ) {
    const rows = await read(last)
    for (const row of rows) {
      try {
        if (await remove(row)) done++
        in_a_row = 0
      } catch (error) {
        first ??= error as Error
        failed++
        if (++in_a_row % MANY_IN_A_ROW > 0) continue
        await blobs.remove(NOTHING).catch(() => {
          throw unfinished(failed, first!)
        })
      }
    }
    if (rows.length < page) break
    last = rows.at(-1)
  }
  if (first) throw unfinished(failed, first)
  return done
}

function unfinished(failed: number, first: Error): Error {
  return new Error(`${failed} ${failed === 1 ? 'file' : 'files'} could not be removed: ${first.message}`, {
    cause: first,
  })
}
