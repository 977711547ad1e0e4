/** A receiver that is down gets only single probes, and its backlog does not use up its attempts. */
import t from 'tap'
import { eventually, sleep } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

// A node with a pace that a test can measure.
const world = await startWorld(t, { config: { webhook_schedule: [0, 1, 1, 1, 1] } })
const { sink } = world
const RECEIVED = 'whatsapp.message.received'

t.test('a receiver that is down is probed one at a time, and gets everything when it is back', async (t) => {
  const tenant = await makeTenant(world)
  let up = false
  sink.answer('down', () => (up ? 200 : 500))
  const { id } = await tenant.subscribe('down', [RECEIVED])
  const COUNT = 60
  for (let i = 0; i < COUNT; i += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => tenant.writes(`+1555740${1000 + i + n}`, `message ${i + n}`)),
    )
  }
  await eventually('it is found to be down', () => sink.calls('down').length >= 10)
  const before = sink.calls('down').length
  const from = performance.now()
  await sleep(3000)
  const probes = sink.calls('down').length - before
  const seconds = (performance.now() - from) / 1000
  // Probes are a second apart. Attempts already under way when the receiver was found to be down may come on top.
  t.ok(probes >= 1 && probes <= seconds + 8, `${probes} probes in ${seconds.toFixed(1)} s`)
  const untouched = (await tenant.deliveries(id)).filter(({ attempts }) => attempts === 0).length
  t.ok(untouched >= COUNT / 2, `${untouched} of ${COUNT} were not tried`)
  up = true
  await eventually('all delivered', async () => (await tenant.deliveries(id, '&status=success')).length === COUNT)
  t.equal((await tenant.deliveries(id, '&status=dead')).length, 0)
})

t.test('a subscription never has more requests at once than it allows', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('narrow', (_, count) => (count === 0 ? 'hang' : 200))
  const { id } = await tenant.subscribe('narrow', [RECEIVED], { concurrency: 1 })
  for (let i = 0; i < 3; i++) await tenant.writes('+15557400001', `message ${i}`)
  await eventually('the first one hangs', () => sink.calls('narrow').length > 0)
  t.equal(sink.calls('narrow').length, 1, 'the other deliveries wait for the first')
  await eventually('delivered', async () => (await tenant.deliveries(id, '&status=success')).length === 3)
  const { body } = await tenant.api('PATCH', `webhooks/${id}`, { concurrency: 3 })
  t.equal(body.concurrency, 3)
  t.equal((await tenant.api('PATCH', `webhooks/${id}`, { concurrency: 0 })).status, 400)
  t.equal((await tenant.api('PATCH', `webhooks/${id}`, { ordering: 'sometimes' })).status, 400)
})
