/** A large bulk send and the messages beside it: they get through long before the bulk send ends. */
import t from 'tap'
import { broadcastWhen, PATIENT, people, sendBulk } from './broadcast_client.ts'
import type { Json } from './client.ts'
import { makeTenant, startWorld, type Tenant } from './fixture.ts'

// Takes some seconds on an idle machine.

const world = await startWorld(t, { waits: PATIENT })

const pace = ({ number }: Tenant, messages_per_second: number | null) =>
  world.operator('PATCH', `channels/${number.channel_id}`, { messages_per_second })

const now = async (tenant: Tenant, id: string): Promise<Json> => (await tenant.api('GET', `messages/bulk/${id}`)).body

t.test('a single send overtakes a bulk send on the same number', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.writes('+15557000095', 'Hi')
  await pace(tenant, 20)
  const id = await sendBulk(tenant, people(500))
  await broadcastWhen(tenant, id, 'is under way', ({ pending_count }) => pending_count < 500)
  for (let n = 0; n < 3; n++) {
    const { body } = await tenant.send('+15557000095')
    await tenant.message(body.id, 'sent', 'delivered', 'read')
  }
  const { pending_count } = await now(tenant, id)
  t.ok(pending_count > 300, `${pending_count} of 500 are still waiting`)
  await pace(tenant, null)
  await broadcastWhen(tenant, id, 'is completed', ({ status }) => status === 'completed')
})

t.test('a small bulk send of another project ends while a large one is under way', async (t) => {
  const [large, small] = [await makeTenant(world), await makeTenant(world)]
  await pace(large, 40)
  const first = await sendBulk(large, people(1000))
  const second = await sendBulk(small, people(100))
  await broadcastWhen(small, second, 'is completed', ({ status }) => status === 'completed')
  const { status, pending_count } = await now(large, first)
  t.equal(status, 'sending')
  t.ok(pending_count > 500, `${pending_count} of 1000 are still waiting`)
  await large.api('POST', `messages/bulk/${first}/cancel`)
})

t.test(
  'a bulk send takes turns with an earlier one on the same number, however many messages that one has queued',
  async (t) => {
    const tenant = await makeTenant(world)
    await pace(tenant, 60)
    const first = await sendBulk(tenant, people(1000))
    await broadcastWhen(tenant, first, 'has begun', ({ pending_count }) => pending_count < 1000)
    const second = await sendBulk(tenant, people(300, 1000))
    const before = await broadcastWhen(tenant, second, 'has begun', ({ pending_count }) => pending_count < 300)
    const from = await now(tenant, first)
    const after = await broadcastWhen(
      tenant,
      second,
      'goes on',
      (one) => one.pending_count <= before.pending_count - 60,
    )
    const { status, pending_count } = await now(tenant, first)
    t.equal(status, 'sending')
    const [own, others] = [before.pending_count - after.pending_count, from.pending_count - pending_count]
    t.ok(others < 2 * own, `${others} messages of the first beside ${own} of the second`)
    for (const id of [first, second]) await tenant.api('POST', `messages/bulk/${id}/cancel`)
  },
)
