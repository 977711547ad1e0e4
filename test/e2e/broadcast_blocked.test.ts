/** Broadcasts of ten thousand recipients that cannot go on delay no other one, of their project or of another. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { broadcastWhen, people, sendBulk } from './broadcast_client.ts'
import { connectNumber, joinWorld, makeTenant, type Tenant } from './fixture.ts'

/** As many as a broadcast may have. */
const MANY = 5_000

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

/** Sends a few messages each way that a project has, and resolves when all have arrived. */
async function sendBeside(large: Tenant, channel_id: string): Promise<void> {
  const other = await makeTenant(world)
  const ways: [Tenant, object][] = [
    [large, { channel_id }],
    [other, {}],
  ]
  for (const [tenant, fields] of ways) {
    const id = await sendBulk(tenant, people(5, 2 * MANY), fields)
    await broadcastWhen(tenant, id, 'is read by all', ({ read_count }) => read_count === 5)
  }
  await large.writes('+15557000195', 'Hi')
  const { body } = await large.send('+15557000195', { channel_id: large.number.channel_id })
  await large.message(body.id, 'read')
}

for (const [what, is_held] of [
  ['whose number sends one message a second', false],
  ['whose rows another session holds', true],
] as const) {
  t.test(`broadcasts ${what}`, async (t) => {
    const tenant = await makeTenant(world)
    const { channel_id } = await connectNumber(world, tenant.project_id)
    const slow = tenant.number.channel_id
    if (!is_held) await world.operator('PATCH', `channels/${slow}`, { messages_per_second: 1 })
    const ids: string[] = []
    // The node is shared: it should not go on to send them.
    const cancelAll = () => Promise.all(ids.map((id) => tenant.api('POST', `messages/bulk/${id}/cancel`)))
    t.teardown(cancelAll)
    for (const first of [0, MANY]) ids.push(await sendBulk(tenant, people(MANY, first), { channel_id: slow }))
    await database.em().transactional(async (em) => {
      // A session of ours ends after five idle seconds.
      await em.execute('set local idle_in_transaction_session_timeout = 0')
      const held = `select from broadcast where id in ('${ids.join("', '")}') for update`
      if (is_held) await em.execute(held)
      await sendBeside(tenant, channel_id)
      for (const id of ids) {
        const { status, pending_count } = (await tenant.api('GET', `messages/bulk/${id}`)).body
        t.not(status, 'completed')
        t.ok(pending_count > MANY / 2, `${pending_count} still wait`)
      }
    })
    await cancelAll()
    for (const id of ids) await broadcastWhen(tenant, id, 'is cancelled', ({ status }) => status === 'cancelled')
  })
}
