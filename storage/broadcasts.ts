/**
 * The recipients of a bulk send, before it begins. The node that took the request stores them in a transaction of its
 * own: up to 10 MiB in a commit lane would delay the turns of all others. The project creates the broadcast itself
 * afterwards; slices without a broadcast are dropped after a day.
 */
import type { Database } from './database/database.ts'
import type { SliceRecipient } from './entities/broadcasts/broadcast_slice.ts'
import { type Sql, sql } from './sql/sql.ts'

/** Recipients in a slice, which is taken up in one turn. */
export const SLICE = 100

const ABANDONED_S = 24 * 3600

export async function storeSlices(
  database: Database,
  broadcast_id: string,
  recipients: readonly SliceRecipient[],
): Promise<void> {
  const rows: Sql[] = []
  for (let first = 0; first < recipients.length; first += SLICE) {
    const slice = recipients.slice(first, first + SLICE)
    rows.push(sql`(${broadcast_id}, ${first}, ${slice.length}, ${JSON.stringify(slice)})`)
  }
  await database.execute(
    sql`insert into broadcast_slice (broadcast_id, first, size, recipients) values ${sql.join(rows, ',')}`,
  )
}

/** Drops the slices of a bulk send that the project did not create. */
export async function dropUnusedSlices(database: Database, broadcast_id: string): Promise<void> {
  await database.execute(sql`delete from broadcast_slice s where broadcast_id = ${broadcast_id}
    and not exists (select from broadcast b where b.id = s.broadcast_id)`)
}

/** Drops the slices of bulk sends whose node died before the broadcasts were created. */
export async function dropSlicesLeft(database: Database): Promise<void> {
  const before = sql`'brd_' || lpad(to_hex(extract(epoch from now())::bigint - ${ABANDONED_S}), 8, '0')`
  await database.execute(sql`delete from broadcast_slice s where broadcast_id < ${before}
    and not exists (select from broadcast b where b.id = s.broadcast_id)`)
}
