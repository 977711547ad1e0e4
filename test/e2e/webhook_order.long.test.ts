/** Order on request: a waiting delivery holds back its own contact, or its own subscription, alone. */
import t from 'tap'
import { eventually, patiently } from './client.ts'
import { made, makeTenant, startWorld, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'
import type { Received } from './sink.ts'

// A node with more attempts than a busy machine has time for before all is written.
const world = await startWorld(t, { config: { webhook_schedule: [0, ...Array<number>(120).fill(1)] } })
const { sink } = world
const RECEIVED = 'whatsapp.message.received'

const textOf = ({ body }: Received): string => body.data.messages[0].text.body
const fromOf = ({ body }: Received): string => body.data.messages[0].from

async function write(tenant: Tenant, people: number, each: number): Promise<void> {
  for (let i = 0; i < each; i++) {
    for (let n = 0; n < people; n++) await tenant.writes(`+1555730000${n}`, `${n} says ${i}`)
  }
}

/** Returns the texts in the order in which they got through, which is the order of their last calls. */
function order(calls: Received[]): string[] {
  const last = new Map<string, number>()
  calls.forEach((call, index) => void last.set(textOf(call), index))
  return [...last].sort((one, other) => one[1] - other[1]).map(([text]) => text)
}

t.test('contact: each contact in order, and a failing one delays nobody else', async (t) => {
  const tenant = await makeTenant(world)
  let stuck = true
  sink.answer('by-contact', (call) => (stuck && textOf(call) === '0 says 0' ? 500 : 200))
  const { id } = await tenant.subscribe('by-contact', [RECEIVED], { ordering: 'contact' })
  t.match((await tenant.api('GET', `webhooks/${id}`)).body, { ordering: 'contact', concurrency: 8 })
  await write(tenant, 4, 6)
  await eventually('the others are through', () => {
    const heard = new Set(sink.calls('by-contact').map(textOf))
    return [1, 2, 3].every((n) => heard.has(`${n} says 5`))
  })
  t.same(
    [...new Set(sink.calls('by-contact').map(textOf))].filter((text) => text.startsWith('0')),
    ['0 says 0'],
  )
  stuck = false
  await eventually('all are through', async () => (await tenant.deliveries(id, '&status=success')).length >= 23)
  await eventually('the last one', () => new Set(sink.calls('by-contact').map(textOf)).size === 24)
  for (let n = 0; n < 4; n++) {
    const mine = sink.calls('by-contact').filter((call) => fromOf(call).endsWith(String(n)))
    t.same(
      order(mine),
      Array.from({ length: 6 }, (_, i) => `${n} says ${i}`),
    )
  }
})

t.test('subscription: all events one after the other, and never two at once', async (t) => {
  const tenant = await makeTenant(world)
  sink.answer('by-subscription', (call, count) => (textOf(call) === '0 says 1' && count < 4 ? 503 : 200))
  const { id } = await tenant.subscribe('by-subscription', [RECEIVED], { ordering: 'subscription' })
  await write(tenant, 3, 5)
  await eventually('all are through', async () => (await tenant.deliveries(id, '&status=success')).length === 15)
  const wanted = Array.from({ length: 15 }, (_, i) => `${i % 3} says ${Math.floor(i / 3)}`)
  t.same(order(sink.calls('by-subscription')), wanted)
  t.same(
    [...new Set(sink.calls('by-subscription').map(textOf))],
    wanted,
    'none was begun before the one before it was done',
  )
})

t.test('order outlives a restart in the middle of a backlog larger than memory', async (t) => {
  const tenant = await makeTenant(world)
  let open = false
  sink.answer('restarted', () => (open ? 200 : 'hang'))
  const { id } = await tenant.subscribe('restarted', [RECEIVED], { ordering: 'contact' })
  // A subscription keeps 512 in memory.
  const EACH = 110
  const people = Array.from({ length: 5 }, (_, n) => `+1555731000${n}`)
  // A call of the provider brings eleven messages of each person.
  for (let first = 0; first < EACH; first += 11) {
    const texts = Array.from({ length: 11 }, (_, i) => first + i)
    const messages = people.flatMap((from, n) =>
      texts.map((i) => ({ from: from.slice(1), text: { body: `${n} says ${i}` } })),
    )
    await made(patiently(() => callAsProvider(world, tenant.number, { messages })))
  }
  open = true
  await world.restart()
  const count = async () => {
    let all = 0
    for (let cursor = ''; ; ) {
      const { body } = await tenant.api('GET', `webhooks/${id}/deliveries?limit=200&status=success${cursor}`)
      all += body.data.length
      if (body.next_cursor === null) return all
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  const heard = () => new Set(sink.calls('restarted').map(textOf)).size
  await eventually('all have arrived', () => heard() === 5 * EACH, 180_000)
  await eventually('all are through', async () => (await count()) === 5 * EACH, 180_000)
  for (const [n, from] of people.entries()) {
    const mine = sink.calls('restarted').filter((call) => `+${fromOf(call)}` === from)
    t.same(
      order(mine),
      Array.from({ length: EACH }, (_, i) => `${n} says ${i}`),
    )
  }
})
