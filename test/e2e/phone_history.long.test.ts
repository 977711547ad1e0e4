/** A large history of a phone: live messages pass it, and a node that is killed at any line neither loses nor doubles. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json, patiently, sleep } from './client.ts'
import { made, makeTenant, startWorld, type Tenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const KILLS = 4
const STEP_MS = 150

const historyOf = async (world: { operator: Json }, { number }: Tenant): Promise<Json> => {
  const { status, body } = await patiently(() => world.operator('GET', `channels/${number.channel_id}/history`))
  return status === 200 ? body : undefined
}

t.test('live messages are answered and stored while a large history waits', async (t) => {
  // Its event loop is that of this test: nothing else may run there.
  const world = await startWorld(t)
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  const told = world.control('POST', 'history', { phone_number_id, people: 100, messages: 6_000 })
  await eventually('the import has begun', async () => (await historyOf(world, tenant))?.message_count > 0)
  let waiting = 0
  for (let n = 0; n < 10; n++) {
    const { webhook } = await tenant.writes(`+1555777${String(1000 + n)}`, `live ${n}`)
    t.equal(webhook.status, 200)
    waiting = (await historyOf(world, tenant)).waiting_count
  }
  t.ok(waiting > 0, `${waiting} entries still wait`)
  const tickets = (await made(tenant.api('GET', 'crm/tickets?limit=200'))).data
  t.equal(tickets.length, 10, 'of those who write alone')
  t.equal((await told).status, 200)
  const row = await eventually('the whole history', async () => {
    const row = await historyOf(world, tenant)
    return row?.status === 'completed' && row
  })
  t.match(row, { message_count: 6_000, name_count: 100, known_count: 0, unreadable_count: 0 })
})

t.test('a history is stored once, whenever the node that stores it is killed', async (t) => {
  const world = await startKillable(t)
  const tenant = await makeTenant(world)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const { phone_number_id, channel_id } = tenant.number
  const told = world.control('POST', 'history', { phone_number_id, people: 20, messages: 4_000 })
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(STEP_MS * (kill + 1))
    await world.process().end('SIGKILL')
    await world.start()
  }
  await told
  const row = await eventually('the whole history', async () => {
    const row = await historyOf(world, tenant)
    return row?.progress === 100 && row.waiting_count === 0 && row
  })
  // A call whose answer was lost comes again, and its messages are known by then.
  t.match(row, { status: 'completed', message_count: 4_000, unreadable_count: 0 })
  const [counts] = await database.execute(
    `select count(*)::int as stored, count(distinct provider_message_id)::int as own from message where channel_id = '${channel_id}'`,
  )
  t.same(counts, { stored: 4_000, own: 4_000 })
  t.same(await database.execute('select * from history_part'), [], 'nothing is left to do')
})
