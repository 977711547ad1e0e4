/**
 * Indexes the words of messages asynchronously: an index on `message` itself would make every insert more expensive,
 * while this indexes them by the thousand. Messages that are not indexed yet are searched directly (`searchMessages`).
 */

import type { Database } from './database/database.ts'
import { advisoryLock } from './sql/advisory_locks.ts'
import { sql } from './sql/sql.ts'
import { objectIdAt } from './values/ids.ts'
import { newDate } from './values/time.ts'

/** One node at a time, and not while messages are being deleted. */
export const MESSAGE_TEXT_LOCK = advisoryLock('message_text')
const BATCH = 1000

/** Ids are in the order of creation, commits are not: a younger message may not be committed yet. */
const SETTLED_MS = 10 * 60_000

/** Indexes the next messages. Returns true when there may be more to do at once. */
export async function indexMessages(database: Database, now = newDate()): Promise<boolean> {
  const settled = `msg_${objectIdAt(new Date(now.getTime() - SETTLED_MS))}`
  return database.em().transactional(async (em) => {
    const [lock] = await em.execute<{ taken: boolean }[]>(
      sql`select pg_try_advisory_xact_lock(${MESSAGE_TEXT_LOCK}) as taken`,
    )
    if (!lock?.taken) return false
    const [done] = await em.execute<{ count: number }[]>(sql`
      with batch as materialized (
        select id, project_id, message_said(message) as words from message
        where id > (select up_to from message_text_progress) and id < ${settled} order by id limit ${BATCH}
      ), added as (
        insert into message_text (id, project_id, document)
        select id, project_id, array_to_tsvector(search_words(words)) from batch where words is not null
        on conflict do nothing
      ), moved as (
        update message_text_progress set up_to = (select max(id) from batch) where exists (select 1 from batch)
      )
      select count(*)::integer as count from batch`)
    return done!.count === BATCH
  })
}
