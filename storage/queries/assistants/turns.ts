/** Turns of assistants that answered people or clients. Those of the playground and of test sets are nobody's to read here. */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { AssistantTurn, type TurnOutcome } from '../../entities/assistants/assistant_turn.ts'
import { sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'
import type { TimeRange } from '../common/time_range.ts'

/** The columns that are short. */
const SHORT = [
  ...['_id', 'assistant_id', 'origin', 'ticket_id', 'chat_user', 'channel_id', 'model', 'outcome', 'reason', 'answer'],
  ...['message_id', 'input_tokens', 'output_tokens', 'cost', 'cost_currency', 'started_at', 'ended_at'],
] as const

const ORIGINS = ['conversation', 'reply', 'summary'] as const

export type ShownTurn = Omit<AssistantTurn, 'origin'> & { origin: (typeof ORIGINS)[number] }

/** A turn without what makes it long. */
export type AssistantTurnSummary = Omit<ShownTurn, 'sources' | 'blocks' | 'documents' | 'steps'>

export type TurnFilter = TimeRange & {
  ticket_id?: string | undefined
  outcome?: TurnOutcome | undefined
}

/** Milliseconds by which the moment of an id may differ from `started_at`. */
const SLACK_MS = 60_000

/** Turns of an assistant, newest first. */
export async function listTurns(
  database: Database,
  { project_id, assistant_id }: { project_id: string; assistant_id: string },
  { ticket_id, outcome, since, until }: TurnFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<AssistantTurnSummary>> {
  const conditions = [
    sql`t.project_id = ${project_id}`,
    sql`t.assistant_id = ${assistant_id}`,
    sql`t.origin in (${sql.list([...ORIGINS])})`,
  ]
  if (ticket_id !== undefined) conditions.push(sql`t.ticket_id = ${ticket_id}`)
  if (outcome !== undefined) conditions.push(sql`t.outcome = ${outcome}`)
  const idAt = (time: string, ms: number) => objectIdAt(new Date(Date.parse(time) + ms))
  if (since !== undefined) conditions.push(sql`t.started_at >= ${since}`, sql`t._id >= ${idAt(since, -SLACK_MS)}`)
  if (until !== undefined) conditions.push(sql`t.started_at < ${until}`, sql`t._id < ${idAt(until, SLACK_MS + 1000)}`)
  if (cursor !== undefined) conditions.push(sql`t._id < ${cursor}`)
  const rows = await database.execute(sql`
    select ${sql.join(
      SHORT.map((column) => sql`t.${sql.id(column)}`),
      ', ',
    )} from assistant_turn t
    where ${sql.join(conditions, ' and ')} order by t._id desc limit ${limit + 1}`)
  return toPage(toRows<AssistantTurn>(database, AssistantTurn, rows) as ShownTurn[], limit, ({ _id }) => _id)
}

export async function findTurn(
  database: Database,
  { project_id, assistant_id }: { project_id: string; assistant_id: string },
  _id: string,
): Promise<ShownTurn | undefined> {
  const [row] = await readRows(database, AssistantTurn, { _id, project_id, assistant_id, origin: [...ORIGINS] })
  return row as ShownTurn | undefined
}

/** Turns of one conversation that are read together. */
const MAX_OF_TICKET = 50

/** The last turns of an assistant in the conversation of a ticket, in their order. */
export async function readTurnsOfTicket(
  database: Database,
  { project_id, assistant_id, ticket_id }: { project_id: string; assistant_id: string; ticket_id: string },
): Promise<AssistantTurn[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, AssistantTurn)} from assistant_turn
    where ticket_id = ${ticket_id} and project_id = ${project_id} and assistant_id = ${assistant_id}
      and origin = 'conversation' order by _id desc limit ${MAX_OF_TICKET}`)
  return toRows<AssistantTurn>(database, AssistantTurn, rows).reverse()
}
