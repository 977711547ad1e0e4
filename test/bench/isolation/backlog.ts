import { objectIdAt } from '../../../storage/mod.ts'
import { type DeliveringNode, subscriptionId } from '../deliver/delivering_node.ts'
import { EVENT_TYPE } from '../deliver/shape.ts'
import { payloadOf } from '../load/target.ts'

/**
 * Makes `count` due deliveries of one subscription, each of an event of its own, as an outage of its receiver leaves
 * them. The rows go straight into the tables; a later event makes the subscription look.
 */
export async function storeBacklog({ database, happen }: DeliveringNode, key: number, count: number): Promise<void> {
  const subscription_id = subscriptionId(key)
  const project_id = key.toString(16).padStart(24, '0')
  // Ids of this second with numbers of their own. Ids of the service end in random bytes and a counter.
  const time = objectIdAt(new Date()).slice(0, 8)
  const data = JSON.stringify({ ...payloadOf(0), op: 0 })
  const [row] = await database.execute<{ last: number }>(
    `select count(*)::int as last from delivery where subscription_id = '${subscription_id}'`,
  )
  const numbers = `generate_series(${row!.last + 1}, ${row!.last + count}) n`
  const id = (prefix: string) => `'${prefix}_${time}' || lpad(to_hex(n), 16, '0')`
  await database.execute(`insert into event (id, project_id, type, data, subscription_ids)
    select ${id('evt')}, '${project_id}', '${EVENT_TYPE}', '${data}', '{${subscription_id}}' from ${numbers}`)
  await database.execute(`insert into delivery (id, subscription_id, project_id, event_id, event_type, next_attempt_at)
    select ${id('dlv')}, '${subscription_id}', '${project_id}', ${id('evt')}, '${EVENT_TYPE}', now() from ${numbers}`)
  await database.execute('analyze event, delivery')
  await happen(key, { ...payloadOf(0), op: 0 })
}
