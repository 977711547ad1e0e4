/** The deliveries of a trace, with their attempts. */
import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { Attempt } from '../../entities/webhooks/attempt.ts'
import { Delivery } from '../../entities/webhooks/delivery.ts'
import { sql } from '../../sql/sql.ts'
import type { TracedEvent } from './traced_events.ts'
import { type Found, idAt, SLACK_MS, spansOf } from './traced_rows.ts'

/** `receiver_error`: set for a delivery that waits, when the last attempt of its subscription failed or the subscription is off. */
export type TracedDelivery = Delivery & { receiver_error: string | undefined }

const DELIVERIES = 600

const ATTEMPTS_OF_EACH = 10

/** The moment of an id, in whole seconds. */
const momentOf = ({ id }: TracedEvent) => Number.parseInt(id.slice(4, 12), 16) * 1000

/** Of the subscriptions of deliveries that wait: `off`, or the error of the last attempt. */
export async function receiverErrors(
  database: Database,
  deliveries: readonly Delivery[],
): Promise<Map<string, string>> {
  const waiting = deliveries.filter(({ next_attempt_at }) => next_attempt_at !== null)
  if (waiting.length === 0) return new Map()
  const ids = [...new Set(waiting.map(({ subscription_id }) => subscription_id))]
  const rows = await database.execute<{ id: string; error: string }>(sql`
    select id, case when is_active then last_error else 'off' end as error from subscription
    where id in (${sql.list(ids)}) and (not is_active or last_error is not null)`)
  return new Map(rows.map(({ id, error }) => [id, error]))
}

/** The event of a delivery. */
export async function eventOfDelivery(database: Database, id: string): Promise<string | undefined> {
  const [row] = await readRows(database, Delivery, { id })
  return row?.event_id
}

/**
 * The deliveries of events. Each was made in the turn of its event, for a subscription that the event names, so its id is near
 * that of the event.
 */
export async function deliveriesOf(database: Database, events: TracedEvent[]): Promise<Found<Delivery>> {
  const rows: Delivery[] = []
  let more = 0
  const delivered = events.filter(({ subscription_ids }) => subscription_ids.length > 0)
  for (const { from, until, items } of spansOf(delivered, momentOf, SLACK_MS + 1000)) {
    const expected = items.reduce((sum, { subscription_ids }) => sum + subscription_ids.length, 0)
    const room = DELIVERIES - rows.length
    if (room === 0) {
      more += expected
      continue
    }
    const subscriptions = [...new Set(items.flatMap(({ subscription_ids }) => subscription_ids))]
    const found = await database.execute(sql`
      select ${columnsOf(database, Delivery)} from delivery
      where subscription_id in (${sql.list(subscriptions)}) and id >= ${idAt('dlv', from)} and id < ${idAt('dlv', until)}
        and event_id in (${sql.list(items.map(({ id }) => id))}) order by id limit ${room}`)
    rows.push(...toRows(database, Delivery, found))
    if (found.length === room) more += expected - room
  }
  return { rows, more }
}

/** The first attempts at each delivery. */
export async function attemptsOf(database: Database, deliveries: Delivery[]): Promise<Attempt[]> {
  if (deliveries.length === 0) return []
  const ids = deliveries.map(({ id }) => id)
  const rows = await database.execute(sql`
    select ${columnsOf(database, Attempt)} from attempt
    where delivery_id in (${sql.list(ids)}) and attempt <= ${ATTEMPTS_OF_EACH} order by delivery_id, attempt`)
  return toRows(database, Attempt, rows)
}
