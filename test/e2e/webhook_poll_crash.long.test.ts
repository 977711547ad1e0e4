/** A receiver that polls while its node is killed. */
import t from 'tap'
import { eventually } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { startPoller } from './poller.ts'

const RECEIVED = 'whatsapp.message.received'

t.test('kill -9 of the node between pages loses, doubles and reorders nothing', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const { id } = await made(() =>
    tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: [RECEIVED], payload: 'thin' }),
  )
  const poller = startPoller((query) => tenant.api('GET', `webhooks/${id}/poll${query}`))
  const COUNT = 60
  // The simulator repeats what the node did not take.
  const writing = (async () => {
    for (let n = 0; n < COUNT; n++) await tenant.writes(`+1555751${1000 + n}`, `message ${n}`)
  })()
  await eventually('the first pages', () => poller.seen.length > 10)
  await world.process().end('SIGKILL')
  await world.start()
  await writing
  await eventually('all events', () => poller.seen.length >= COUNT)
  await poller.stop()
  const deliveries = await eventually('all acknowledged', async () => {
    const all = await tenant.deliveries(id)
    return all.every(({ status }) => status === 'success') && all
  })
  t.equal(deliveries.length, COUNT)
  t.strictSame(
    poller.seen.map(({ id }) => id),
    deliveries.map(({ event_id }) => event_id).reverse(),
  )
  t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
})
