/**
 * Files that nothing refers to any more, and that may still be arriving: the row of an upload was deleted, or the attempt
 * of an export was overtaken, while its `put` was under way. A process that dies then leaves bytes that no row leads to.
 *
 *  B1 The transaction that stops referring to such a key stores the key here.
 *  B2 The tidying removes the bytes of each key, every hour until `until`. By then the `put` has ended.
 *  B3 A key is never used again.
 */

import type { Database } from '../database/database.ts'
import { type Sql, sql } from '../sql/sql.ts'
import type { BlobStore } from './blob_store.ts'
import { removeFiles } from './file_removals.ts'

/** Longer than any `put` goes on: an upload ends with its request, and an export looks every second at its row. */
export const MAX_PUT = sql`interval '1 day'`

const PAGE = 200

/** SQL that stores the keys of a select of one column. */
export function noteRemovals(keys: Sql): Sql {
  return sql`insert into blob_removal (key, until) select key, now() + ${MAX_PUT} from (${keys}) unwanted (key)
    on conflict (key) do update set until = excluded.until`
}

/** Removes the bytes of all keys. Any node may do it at any time. Returns the number of keys that are done. */
export async function removeBlobs(database: Database, blobs: BlobStore): Promise<number> {
  return removeFiles<{ key: string; is_over: boolean }>(blobs, {
    page: PAGE,
    read: (last) =>
      database.execute(
        sql`select key, until <= now() as is_over from blob_removal where key > ${last?.key ?? ''} order by key limit ${PAGE} for update skip locked`,
      ),
    async remove({ key, is_over }) {
      await blobs.remove(key)
      if (is_over) await database.execute(sql`delete from blob_removal where key = ${key} and until <= now()`)
      return is_over
    },
  })
}
