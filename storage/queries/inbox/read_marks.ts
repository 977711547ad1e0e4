import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'
import { IS_NOTICE } from '../../values/notices.ts'

/** How far an agent asks to have read a ticket: up to a message, or all of it. */
export type AskedMark = { ticket_id: string; user_id: string; message_id: string | null }

export type FoundMark = AskedMark & {
  /** Number of the person's messages. */
  inbound_count: number
  /** Number of those that the agent has read, as stored; null before the first mark. */
  read_count: number | null
  /** The highest number before the mark was taken back. */
  seen_count: number | null
  read_at: Date | null
  /** False when the contact of the ticket has no such message. */
  is_known: boolean
  /** Number of the person's messages after the named one; null for one too far back to be counted. */
  later: number | null
}

/** Messages after the named one that are counted. */
const MAX_LATER = 1000

/** The marks of agents, with what decides how far each moves. Tickets of other projects, and unknown ones, are missing. */
export async function readAskedMarks(
  database: Database,
  project_id: string,
  asked: readonly AskedMark[],
): Promise<FoundMark[]> {
  const values = asked.map(({ ticket_id, user_id, message_id }) => sql`(${ticket_id}, ${user_id}, ${message_id}::text)`)
  const rows = await database.execute<FoundMark & { read_at: string | null }>(sql`
    select a.ticket_id, a.user_id, a.message_id, e.inbound_count, r.read_count, r.seen_count, r.read_at,
      a.message_id is null or m.id is not null as is_known, case when a.message_id is null then 0 else l.later end as later
    from (values ${sql.join(values, ',')}) a (ticket_id, user_id, message_id)
    join ticket t on t._id = a.ticket_id and t.project_id = ${project_id}
    join inbox_entry e on e.ticket_id = t._id
    left join ticket_read r on r.ticket_id = t._id and r.user_id = a.user_id
    left join message m on m.id = a.message_id and m.chat_user = t.chat_user and m.project_id = t.project_id
    left join lateral (
      select case when count(*) <= ${MAX_LATER}
        then (count(*) filter (where direction = 'inbound' and not (${IS_NOTICE})))::integer end as later
      from (select direction, type, message from message where chat_user = t.chat_user and id > m.id
        order by id limit ${MAX_LATER + 1}) after) l on m.id is not null`)
  return rows.map((row) => ({ ...row, read_at: row.read_at === null ? null : new Date(row.read_at) }))
}
