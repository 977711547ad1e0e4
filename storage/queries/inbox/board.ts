/**
 * The board of a pipeline: its open tickets by stage, those with the latest activity first.
 *
 * - The cards of each stage are read along the index that the inbox uses for a stage, so a page costs the same for any
 *   number of tickets.
 * - Totals are exact up to `MAX_COUNTED` tickets of a stage, and are read out of indexes.
 * - A search looks at the open tickets with the latest activity, and at those of the people whom the index of contacts
 *   finds; cards and totals are of these.
 */
import type { Database } from '../../database/database.ts'
import type { ConversationSummary, TicketPriority } from '../../entities/tickets/ticket.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { contactContains } from '../common/contains.ts'
import { type Page, pageUntil } from '../common/keyset.ts'
import { timelineCursor } from '../tickets/timeline.ts'
import { type InboxRow, inboxConditions, readInboxRows } from './inbox.ts'

export type BoardFilter = {
  /** Null: tickets of nobody. */
  assigned_to?: string | null | undefined
  tag_id?: string | undefined
  priority?: TicketPriority | undefined
  /** Part of the name, the phone or the id of the contact. */
  search?: string | undefined
}

/** A ticket on the board. */
export type BoardCard = InboxRow & {
  amount: number | null
  amount_currency: string | null
  /** The subject of the conversation, or the category. */
  summary: string | null
}

/** A stage; null: open tickets without one. */
export type BoardColumn = Page<BoardCard> & { stage_id: string | null }

export type BoardTotal = {
  stage_id: string | null
  /** At most `MAX_COUNTED`. */
  tickets: number
  /** Sums by currency; null for amounts without one. */
  amounts: { currency: string | null; amount: number }[]
}

/** Tickets of a stage beyond this number are not counted. */
export const MAX_COUNTED = 100_000
/** Cards in one answer. */
const MAX_CARDS = 600
/** Characters of a summary. */
const SUMMARY = 200
/** Open tickets that a search looks at, for texts that the index of contacts does not find. */
const WALK = 4000
/** Open tickets that a search looks at before it uses the index. */
const FIRST_WALK = 2000
/** Maximum people found by the index of contacts. */
const PEOPLE = 2000
/** The index finds texts from this length on. */
const INDEXED = 3

type Where = { project_id: string; user_id: string }

/** One page of each of these stages. `cursor` is for one stage alone. */
export async function readBoard(
  database: Database,
  { project_id, user_id }: Where,
  stage_ids: (string | null)[],
  filter: BoardFilter,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<BoardColumn[]> {
  if (stage_ids.length === 0) return []
  const most = Math.max(1, Math.min(limit, Math.floor(MAX_CARDS / stage_ids.length)))
  const conditions = sql.join([...conditionsOf(project_id, user_id, filter), ...after(cursor)], ' and ')
  const chosen = stage_ids.map(
    (stage_id) => sql`(select e.stage_id, e.ticket_id, e.last_activity_at as at from inbox_entry e ${searched(filter)}
      where ${conditions} and ${isIn(stage_id)} order by e.last_activity_at desc, e.ticket_id desc limit ${most + 1})`,
  )
  type Chosen = { stage_id: string | null; ticket_id: string; at: string }
  const rows = await database.execute<Chosen>(
    sql`${matches(project_id, user_id, filter)} select stage_id, ticket_id, at from (${sql.join(chosen, ' union all ')}) chosen
      order by at desc, ticket_id desc`,
  )
  const byStage = Map.groupBy(rows, ({ stage_id }) => stage_id)
  const cards = await readCards(
    database,
    user_id,
    [...byStage.values()].flatMap((all) => all.slice(0, most).map(({ ticket_id }) => ticket_id)),
  )
  return stage_ids.map((stage_id) => {
    const all = byStage.get(stage_id) ?? []
    const last = all.length > most ? all[most - 1] : undefined
    const next_cursor = last ? `${new Date(last.at).getTime()}_${last.ticket_id}` : null
    // A ticket may have been erased between the statements.
    const data = all.slice(0, most).flatMap(({ ticket_id }) => cards.get(ticket_id) ?? [])
    return { stage_id, ...pageUntil(data, next_cursor) }
  })
}

/** The number of tickets and the sums of amounts in each of these stages. */
export async function readBoardTotals(
  database: Database,
  { project_id, user_id }: Where,
  stage_ids: (string | null)[],
  filter: BoardFilter,
): Promise<BoardTotal[]> {
  if (stage_ids.length === 0) return []
  const conditions = sql.join(conditionsOf(project_id, user_id, filter), ' and ')
  const is_filtered = Object.values(filter).some((value) => value !== undefined && value !== '')
  const counts = stage_ids.map(
    (
      stage_id,
    ) => sql`select ${asText(stage_id)} as stage_id, count(*)::integer as tickets, null::text as currency, null::float8 as amount
      from (select from inbox_entry e ${searched(filter)} where ${conditions} and ${isIn(stage_id)} limit ${MAX_COUNTED}) counted`,
  )
  const priced = sql`t.project_id = ${project_id} and not t.is_closed and t.amount is not null`
  const sums = stage_ids.map(
    (stage_id) => sql`select ${asText(stage_id)}, null::integer, currency, sum(amount)::float8 from (
      select t.amount_currency as currency, t.amount from ticket t
      ${is_filtered ? sql`join inbox_entry e on e.ticket_id = t._id and ${conditions} ${searched(filter)}` : sql``}
      where ${priced} and ${isIn(stage_id, 't')} limit ${MAX_COUNTED}) counted group by currency`,
  )
  const rows = await database.execute<Counted>(
    sql`${matches(project_id, user_id, filter)} ${sql.join([...counts, ...sums], ' union all ')} order by currency`,
  )
  const byStage = Map.groupBy(rows, ({ stage_id }) => stage_id)
  return stage_ids.map((stage_id) => {
    const own = byStage.get(stage_id) ?? []
    const amounts = own.flatMap(({ currency, amount }) => (amount === null ? [] : [{ currency, amount }]))
    return { stage_id, tickets: own.find(({ tickets }) => tickets !== null)?.tickets ?? 0, amounts }
  })
}

/** The number of a stage, or one of its sums. */
type Counted = {
  stage_id: string | null
  tickets: number | null
  currency: string | null
  amount: number | null
}

function conditionsOf(project_id: string, user_id: string, { assigned_to, search: _, ...filter }: BoardFilter) {
  const exact = inboxConditions(project_id, user_id, {
    ...filter,
    ...(assigned_to === null ? { view: 'unassigned' } : { assigned_to }),
  })
  // A board shows snoozed tickets, too.
  return exact.filter((condition) => !condition.sql.startsWith('e.snoozed_at'))
}

const isIn = (stage_id: string | null, table = 'e') =>
  stage_id === null ? sql`${sql.id(table)}.stage_id is null` : sql`${sql.id(table)}.stage_id = ${stage_id}`

const asText = (stage_id: string | null) => (stage_id === null ? sql`null::text` : sql`${stage_id}::text`)

function after(cursor: string | undefined): Sql[] {
  const [, ms, id] = timelineCursor.exec(cursor ?? '') ?? []
  if (!ms || !id) return []
  const at = new Date(Number(ms))
  return [sql`(e.last_activity_at, e.ticket_id) < (${at}::timestamptz, ${id.toLowerCase()})`]
}

const searched = ({ search }: BoardFilter) => (search ? sql`join matched using (ticket_id)` : sql``)

/** The tickets of a search, for `searched`. */
function matches(project_id: string, user_id: string, { search, ...filter }: BoardFilter): Sql {
  if (!search) return sql``
  const is_indexed = [...search].length >= INDEXED
  const mine = sql`c.project_id = ${project_id}`
  const match = contactContains(sql`c`, search)
  const walked = sql`walked as materialized (select e.ticket_id from inbox_entry e
      where ${sql.join(conditionsOf(project_id, user_id, filter), ' and ')}
      order by e.last_activity_at desc, e.ticket_id desc limit ${is_indexed ? FIRST_WALK : WALK})`
  const recent = sql`select w.ticket_id from walked w join ticket t on t._id = w.ticket_id
      join contact c on c._id = t.chat_user and ${mine} where ${match}`
  if (!is_indexed) return sql`with ${walked}, matched as materialized (${recent})`
  return sql`with ${walked}, people as materialized (
      select c._id from contact c where ${mine} and ${match} limit ${PEOPLE}
    ), matched as materialized (
      ${recent} union select t._id from people join ticket t on t.chat_user = people._id and not t.is_closed
    )`
}

async function readCards(database: Database, user_id: string, ids: string[]): Promise<Map<string, BoardCard>> {
  if (ids.length === 0) return new Map()
  const rows = await readInboxRows(database, user_id, ids)
  type Priced = {
    _id: string
    amount: string | null
    amount_currency: string | null
    category: string | null
    motivo: ConversationSummary['motivo']
  }
  const priced = await database.execute<Priced>(sql`
    select _id, amount, amount_currency, category, left(conversation_summary->>'motivo', ${SUMMARY}) as motivo
    from ticket where _id in (${sql.list(ids)})`)
  const cards = new Map<string, BoardCard>()
  for (const { _id, amount, amount_currency, category, motivo } of priced) {
    const row = rows.get(_id)
    if (!row) continue
    const summary = motivo || category
    cards.set(_id, {
      ...row,
      amount: amount === null ? null : Number(amount),
      amount_currency,
      summary: summary ?? null,
    })
  }
  return cards
}
