import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'

/** A faulty delivery: its event, its subscription and the fault. */
export type Difference = {
  event_id: string
  subscription_id: string
  delivery_id: string | null
  /** `missing`, `doubled`, `unexpected`: the delivery; `inconsistent`: its columns do not match any single state. */
  kind: 'missing' | 'doubled' | 'unexpected' | 'inconsistent'
}

export type Reconciliation = {
  since: string
  until: string
  events: number
  /** Events times their matching subscriptions. */
  expected: number
  deliveries: { pending: number; retrying: number; success: number; failed: number; dead: number }
  /** Due for more than ten minutes: their receiver is down, or slower than its deliveries arrive. */
  overdue: number
  differences: number
  /** The first hundred differences. */
  examples: Difference[]
}

const EXAMPLES = 100
/** A delivery's id is made right after its event's, possibly in the next second. */
const SLACK_MS = 2000

/**
 * Compares expected deliveries with actual ones. Each event was stored with its matching subscriptions, and each of
 * those must have exactly one delivery of it, in exactly one state. Reads all events of the given time, a day at a
 * time.
 */
export async function reconcileWebhooks(database: Database, since: Date, until: Date): Promise<Reconciliation> {
  const total: Reconciliation = {
    since: since.toISOString(),
    until: until.toISOString(),
    events: 0,
    expected: 0,
    deliveries: { pending: 0, retrying: 0, success: 0, failed: 0, dead: 0 },
    overdue: 0,
    differences: 0,
    examples: [],
  }
  for (let from = since; from < until; ) {
    const midnight = new Date(from)
    midnight.setUTCHours(24, 0, 0, 0)
    const to = midnight < until ? midnight : until
    await add(total, database, from, to)
    from = to
  }
  return total
}

async function add(total: Reconciliation, database: Database, from: Date, to: Date): Promise<void> {
  const id = (prefix: string, moment: number) => sql`${`${prefix}_${objectIdAt(new Date(moment))}`}`
  const [start, end] = [from.getTime(), to.getTime()]
  const [row] = await database.execute<Record<string, number> & { examples: Difference[] }>(sql`
    with happened as materialized (
      select id, subscription_ids from event where id >= ${id('evt', start)} and id < ${id('evt', end)}
    ), expected as materialized (
      select h.id as event_id, s.id as subscription_id from happened h cross join unnest(h.subscription_ids) s(id)
    ), made as materialized (
      select d.id, d.event_id, d.subscription_id, d.status, d.next_attempt_at, d.delivered_at, d.attempts
      from delivery d where d.id >= ${id('dlv', start - SLACK_MS)} and d.id < ${id('dlv', end + SLACK_MS)}
        and d.event_id >= ${id('evt', start)} and d.event_id < ${id('evt', end)}
    ), counted as (
      select event_id, subscription_id, count(*) as copies, min(id) as id from made group by 1, 2
    ), difference as (
      select coalesce(e.event_id, c.event_id) as event_id, coalesce(e.subscription_id, c.subscription_id) as subscription_id,
        c.id as delivery_id,
        case when c.id is null then 'missing' when e.event_id is null then 'unexpected' else 'doubled' end as kind
      from expected e full join counted c on c.event_id = e.event_id and c.subscription_id = e.subscription_id
      where c.id is null or e.event_id is null or c.copies > 1
      union all
      select event_id, subscription_id, id, 'inconsistent' from made where not case status
        when 'pending' then next_attempt_at is not null and delivered_at is null
        when 'success' then next_attempt_at is null and delivered_at is not null and attempts > 0
        when 'dead' then next_attempt_at is null and attempts > 0
        else delivered_at is null or attempts > 1 end
    )
    select (select count(*) from happened)::int as events, (select count(*) from expected)::int as expected,
      count(*) filter (where status = 'pending')::int as pending,
      count(*) filter (where status = 'failed' and next_attempt_at is not null)::int as retrying,
      count(*) filter (where status = 'success')::int as success,
      count(*) filter (where status = 'failed' and next_attempt_at is null)::int as failed,
      count(*) filter (where status = 'dead')::int as dead,
      count(*) filter (where next_attempt_at < now() - interval '10 minutes')::int as overdue,
      (select count(*) from difference)::int as differences,
      (select coalesce(json_agg(d), '[]') from (select * from difference limit ${EXAMPLES}) d) as examples
    from made`)
  const { examples, events, expected, overdue, differences, ...states } = row!
  total.events += events!
  total.expected += expected!
  total.overdue += overdue!
  total.differences += differences!
  for (const state of Object.keys(total.deliveries) as (keyof Reconciliation['deliveries'])[]) {
    total.deliveries[state] += states[state]!
  }
  total.examples.push(...examples.slice(0, EXAMPLES - total.examples.length))
}
