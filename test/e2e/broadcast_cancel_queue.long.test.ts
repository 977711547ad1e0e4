/** Cancelling a broadcast whose messages the channel does not hold in memory. */
import t from 'tap'
import { broadcastWhen, countsOf, people, recipientsOf, sendBulk, sumOf } from './broadcast_client.ts'
import { eventually } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

t.test('cancelling also calls back messages that the channel does not hold in memory', async (t) => {
  // Its channels hold few messages in memory.
  const world = await startWorld(t, { waits: { channel_items: 200 } })
  const tenant = await makeTenant(world)
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 1 })
  // The channel has 40 messages of each broadcast before anybody is answered. It keeps 200 in memory.
  const ids: string[] = []
  for (let n = 0; n < 10; n++) ids.push(await sendBulk(tenant, people(40, n * 40)))
  for (const id of ids) {
    const isTakenUp = async () => (await recipientsOf(tenant, id)).every(({ message_id }) => message_id !== null)
    await eventually(`${id} is taken up`, isTakenUp)
  }
  const last = ids.at(-1)!
  await made(tenant.api('POST', `messages/bulk/${last}/cancel`))
  const record = await broadcastWhen(tenant, last, 'is settled', ({ pending_count }) => pending_count === 0)
  t.equal(sumOf(record), 40)
  t.ok(record.failed_count >= 35, countsOf(record).join(' + '))
  for (const id of ids.slice(0, -1)) await made(tenant.api('POST', `messages/bulk/${id}/cancel`))
  for (const id of ids) await broadcastWhen(tenant, id, 'is settled', ({ pending_count }) => pending_count === 0)
  t.ok((await tenant.sent()).length < 100, 'cancelled messages never leave')
})
