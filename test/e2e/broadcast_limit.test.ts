/** The number of unfinished bulk sends of a project, filled up by the database because requests would take too long. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { broadcastWhen, ORDER, people, sendBulk } from './broadcast_client.ts'
import { eventually } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

t.test('a project has 1000 unfinished bulk sends at most, and a refused one leaves nothing', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, api } = tenant
  const id = await sendBulk(tenant, people(1))
  await broadcastWhen(tenant, id, 'is finished', ({ status }) => status === 'completed')
  await database.execute(`
    insert into broadcast
    select (jsonb_populate_record(b, jsonb_build_object('id', 'brd_' || left(md5('${project_id}'), 21) || lpad(to_hex(n), 3, '0'), 'status', 'sending'))).*
    from broadcast b, generate_series(1, 998) n where b.id = '${id}'`)
  const order = { ...ORDER, recipients: people(1) }
  const key = (name: string) => ({ headers: { 'idempotency-key': name } })
  const add = (name: string) => api('POST', 'messages/bulk', order, key(name))
  // One that does not finish: nothing is sent on its number.
  await made(world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 1 }))
  const answers = await Promise.all([
    api('POST', 'messages/bulk', { ...order, recipients: people(200) }, key('a')),
    api('POST', 'messages/bulk', { ...order, recipients: people(200) }, key('b')),
    api('POST', 'messages/bulk', { ...order, recipients: people(200) }, key('c')),
  ])
  const refused = answers.filter(({ status }) => status === 503)
  t.equal(answers.filter(({ status }) => status === 202).length, 2)
  t.equal(refused.length, 1)
  t.match(refused[0], {
    headers: { 'retry-after': '60' },
    body: { error: { code: 'SERVICE_UNAVAILABLE', message: /1000 bulk sends .* cancel some/ } },
  })
  t.equal((await add('d')).status, 503)
  await eventually('the recipients of a refused one are not kept', async () => {
    // Other files may be storing those of theirs.
    const [left] = await database.execute<{ count: number }>(`
      select count(distinct broadcast_id)::int as count from broadcast_slice
      where broadcast_id not in (select id from broadcast)`)
    return left!.count === 0
  })
  await database.execute(
    `update broadcast set status = 'completed' where project_id = '${project_id}' and id < 'brd_' || left(md5('${project_id}'), 21) || '00a'`,
  )
  t.equal((await add('d')).status, 202, 'the same request is accepted later')
})
