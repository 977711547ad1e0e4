/** Compares acknowledged changes of the CRM with the tables and with the events that a receiver of webhooks got. */
import { type Database, literal } from '../../storage/mod.ts'
import type { Json } from '../e2e/client.ts'
import { type Finding, type Interval, isLost } from '../e2e/history_checker.ts'
import type { CrmLoad, Moved } from './crm_work.ts'

/** The ids of the received envelopes, by the change they tell. */
export class Heard {
  readonly #envelopes = new Map<string, Set<string>>()

  take({ id, type, data }: Json): void {
    const what =
      type === 'crm.event.recorded' ? `${type} ${data._id}` : `${type} ${data.ticket._id} ${data.ticket.version}`
    const ids = this.#envelopes.get(what)
    if (ids) ids.add(id)
    else this.#envelopes.set(what, new Set([id]))
  }

  count(what: string): number {
    return this.#envelopes.get(what)?.size ?? 0
  }
}

type Row = { _id: string; idempotency_key: string; data: Json }
type Ticket = { _id: string; version: number; stage_id: string; is_closed: boolean }

export type CrmHistory = {
  database: Database
  project_id: string
  /** The start of the keys of the load's events. */
  name: string
  load: CrmLoad
  heard: Heard
  /** Changes acknowledged in this time may be gone. */
  lost?: Interval | undefined
}

/** Checks that every acknowledged event and move is stored once and was told once, and that no other exists. */
export async function crmFindings(history: CrmHistory): Promise<Finding[]> {
  const { database, project_id, name, load, lost } = history
  // Transactions of one contact follow each other, whatever the clocks of their nodes say.
  const rows = await database.execute<Row>(`select _id, idempotency_key, data from crm_event
    where project_id = ${literal(project_id)} and starts_with(idempotency_key, ${literal(`${name} `)})
    order by xmin::text::bigint, _id`)
  const tickets = await database.execute<Ticket>(
    `select _id, version, stage_id, is_closed from ticket where project_id = ${literal(project_id)}`,
  )
  const byId = new Map(tickets.map((ticket) => [ticket._id, ticket]))
  const findings: Finding[] = surprising(load, byId, lost).map((what) => ({ kind: 'surprise', what }))
  findings.push(...recordedFindings(history, rows))
  for (const [id, at] of load.closed) {
    if (!byId.get(id)?.is_closed && !isLost(at, lost))
      findings.push({ kind: 'lost', what: `the ticket ${id} was closed, and is open` })
  }
  for (const [id, moves] of Map.groupBy(load.moved, ({ ticket_id }) => ticket_id))
    findings.push(...movedFindings(history, moves, byId.get(id)))
  return findings
}

/** A ticket that a server lost when it took over is not to be found. */
function surprising({ surprises, recorded }: CrmLoad, tickets: Map<string, Ticket>, lost: Interval | undefined) {
  const gone = new Set<string>()
  for (const { ticket_id, at } of recorded) if (isLost(at, lost) && !tickets.has(ticket_id)) gone.add(ticket_id)
  return surprises.filter((what) => ![...gone].some((id) => what.startsWith(`close ${id}: 404`)))
}

function recordedFindings({ load, heard, lost }: CrmHistory, rows: readonly Row[]): Finding[] {
  const findings: Finding[] = []
  const stored = new Map(rows.map((row) => [row.idempotency_key, row]))
  const kept = new Set<string>()
  for (const { id, key, data, at } of load.recorded) {
    const row = stored.get(key)
    stored.delete(key)
    if (!row && isLost(at, lost)) continue
    kept.add(key)
    if (row?._id !== id) findings.push({ kind: 'lost', what: `the event ${id} (${key}); there is ${row?._id}` })
    else if (row.data.n !== data.n || row.data.worker !== data.worker) {
      findings.push({ kind: 'lost', what: `the data of ${id} (${key}): ${JSON.stringify(row.data)}` })
    }
    findings.push(...told(heard, `crm.event.recorded ${id}`))
  }
  for (const key of stored.keys())
    findings.push({ kind: 'doubled', what: `the event ${key} was acknowledged to nobody` })
  for (const [worker, own] of Map.groupBy(load.recorded, (one) => one.worker)) {
    const wanted = own.filter(({ key }) => kept.has(key)).map(({ data }) => data.n as number)
    const order = rows.filter(({ data }) => data.worker === worker).map(({ data }) => data.n as number)
    const at = order.findIndex((n, index) => n !== wanted[index])
    if (at >= 0) findings.push({ kind: 'reordered', what: `events of worker ${worker}: ${order[at]} at place ${at}` })
  }
  return findings
}

/** Checks the moves of one ticket: each begins where the one before ended. */
function movedFindings({ heard, lost }: CrmHistory, all: readonly Moved[], ticket: Ticket | undefined): Finding[] {
  const findings: Finding[] = []
  const { kept, undone } = withoutLost(all, ticket, lost)
  const repeated = new Set(undone.map(({ version }) => version))
  for (const [n, move] of kept.entries()) {
    const before = kept[n - 1]
    if (before && !follows(move, before)) {
      findings.push({ kind: 'doubled', what: `${JSON.stringify(move)} came after ${JSON.stringify(before)}` })
    }
    const version = `crm.ticket.stage_changed ${move.ticket_id} ${move.version}`
    // A second event of the same version may belong to a move that is undone.
    findings.push(...told(heard, version, repeated.has(move.version) ? 2 : 1))
  }
  const last = kept.at(-1)
  if (last && !isLast(last, ticket)) {
    const what = `the last move was ${JSON.stringify(last)}; there is ${JSON.stringify(ticket)}`
    findings.push({ kind: 'lost', what })
  }
  return findings
}

/** Drops the lost moves: a server that takes over has the first few moves of the lost time, and none after them. */
function withoutLost(all: readonly Moved[], ticket: Ticket | undefined, lost: Interval | undefined) {
  const before = all.filter(({ at }) => lost === undefined || at < lost.from)
  const after = all.filter(({ at }) => lost !== undefined && at > lost.to)
  const doubtful = all.slice(before.length, all.length - after.length)
  for (let count = doubtful.length; count > 0; count--) {
    const last = doubtful[count - 1]!
    const fits = after[0] ? follows(after[0], last) : isLast(last, ticket)
    if (fits) return { kept: [...before, ...doubtful.slice(0, count), ...after], undone: doubtful.slice(count) }
  }
  return { kept: [...before, ...after], undone: doubtful }
}

function isLast(move: Moved, ticket: Ticket | undefined): boolean {
  return ticket?.version === move.version && ticket.stage_id === move.stage_id
}

function follows(move: Moved, before: Moved): boolean {
  return move.version === before.version + 1 && move.previous_stage_id === before.stage_id
}

function told(heard: Heard, what: string, most = 1): Finding[] {
  const count = heard.count(what)
  if (count >= 1 && count <= most) return []
  return [{ kind: count === 0 ? 'lost' : 'doubled', what: `${what} was told ${count} times` }]
}

/**
 * Checks rules of a project's tickets that hold whatever happened. A contact has one open ticket. Its opening and each
 * step since are recorded without a gap. The ticket counts the messages that came since, where nobody marks any as
 * read. The order is that of transactions (`xmin`), because the times of rows come from the nodes' clocks.
 */
export async function ticketFindings(database: Database, project_id: string): Promise<Finding[]> {
  const rows = await database.execute<{ kind: Finding['kind']; what: string }>(`
    with t as (select * from ticket where project_id = ${literal(project_id)}),
    e as (select *, xmin::text::bigint as made_by from crm_event where project_id = ${literal(project_id)}),
    n as (select t._id, count(*) filter (where event_type = 'ticket.created') as created,
        count(*) filter (where event_type = 'ticket.closed') as closed,
        count(*) filter (where event_type = 'ticket.stage_changed') as moved
      from t left join e on e.ticket_id = t._id group by 1),
    step as (select ticket_id, _id, data ->> 'stage_id' as stage_id, data ->> 'previous_stage_id' as previous,
        lag(data ->> 'stage_id') over steps as before, lead(_id) over steps as next
      from e where event_type in ('ticket.created', 'ticket.stage_changed')
      window steps as (partition by ticket_id order by made_by, _id))
    select 'doubled' as kind, format('%s has %s open tickets', chat_user, count(*)) as what
      from t where not is_closed group by chat_user having count(*) > 1
    union all
    select 'doubled', format('ticket %s was created %s times', _id, created) from n where created <> 1
    union all
    select 'lost', format('ticket %s in version %s has %s moves and %s ends on record', _id, version, moved, closed)
      from t join n using (_id) where version <> 1 + moved + closed or closed <> is_closed::int
    union all
    select 'lost', format('event %s of ticket %s comes from %s, after %s', _id, ticket_id, previous, before)
      from step where previous is distinct from before
    union all
    select 'lost', format('ticket %s is in %s; the last move on record went to %s', t._id, t.stage_id, step.stage_id)
      from t join step on step.ticket_id = t._id and step.next is null where t.stage_id is distinct from step.stage_id
    union all
    select 'lost', format('ticket %s has %s unread, and %s came', t._id, coalesce(a.unread_count, 0), m.count)
      from t left join ticket_activity a on a.ticket_id = t._id, lateral (
        select count(*) from message where chat_user = t.chat_user and direction = 'inbound' and xmin::text::bigint >= (
          select min(made_by) from e where e.ticket_id = t._id and event_type = 'ticket.created')) m
      where not t.is_closed and coalesce(a.unread_count, 0) <> m.count
    union all
    select 'lost', format('event %s is of ticket %s, which is not there', _id, ticket_id)
      from e where not exists (select from ticket where _id = e.ticket_id)`)
  return [...rows]
}
