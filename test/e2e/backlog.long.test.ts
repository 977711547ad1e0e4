import t from 'tap'
import { eventually, type Json } from './client.ts'
import { makeTenant, startWorld, text } from './fixture.ts'

/** Messages that a channel keeps in memory. */
const MEMORY = 200
const COUNT = 600
const RECIPIENTS = 40

t.test('a backlog larger than memory leaves once and in order, also over a restart', async (t) => {
  const world = await startWorld(t, { waits: { send_ms: 10_000, confirm_ms: 5000, channel_items: MEMORY } })
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  await world.control('POST', 'faults', { match: { phone_number_id }, latency_ms: 5000 })
  const numbers = Array.from({ length: RECIPIENTS }, (_, i) => `+1555900${1000 + i}`)
  await Promise.all(numbers.map((to) => tenant.writes(to, 'Hi')))
  const ids = new Map<string, string>()
  await Promise.all(
    numbers.map(async (to) => {
      for (let n = 0; n < COUNT / RECIPIENTS; n++) {
        const { status, body } = await tenant.send(to, { message: text(`${n}`) })
        if (status === 202) ids.set(body.id, to)
      }
    }),
  )
  t.equal(ids.size, COUNT, 'every message is accepted')
  t.ok((await tenant.sent()).length < COUNT - MEMORY, 'more messages wait than memory holds')
  await world.restart()
  await world.control('DELETE', 'faults')
  const late = await Promise.all(numbers.map((to) => tenant.send(to, { message: text('last') })))
  const sent = await eventually(
    'all have left',
    async () => {
      const all = await tenant.sent()
      return all.length >= COUNT + RECIPIENTS && all
    },
    60_000,
  )
  t.equal(sent.length, COUNT + RECIPIENTS)
  t.equal(
    new Set(sent.map(({ opaque_data }: Json) => opaque_data)).size,
    COUNT + RECIPIENTS,
    'each message leaves once',
  )
  const wanted = [...Array.from({ length: COUNT / RECIPIENTS }, (_, n) => `${n}`), 'last'].join()
  const texts = Map.groupBy(sent, ({ recipient }: Json) => recipient)
  const orders = [...texts.values()].map((all) => all.map(({ body }) => body.text.body).join())
  t.same(orders.filter((order) => order !== wanted).slice(0, 3), [], 'messages to one recipient leave in order')
  for (const { body } of late) await tenant.message(body.id, 'read')
})
