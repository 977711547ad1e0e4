/** The number of webhooks of a project, filled up by the database because requests would take too long. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { makeTenant, startWorld } from './fixture.ts'

const world = await startWorld(t)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

t.test('a project has 1000 webhooks at most, however many requests come at once', async (t) => {
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  const fields = { name: 'One more', url: world.sink.url('limit'), events: ['whatsapp.flow.updated'], is_active: false }
  const add = () => tenant.api('POST', 'webhooks', fields)
  const { id } = (await add()).body
  await database.execute(`
    insert into subscription
    select (jsonb_populate_record(s, jsonb_build_object('id', 'wh_' || lpad(to_hex(n), 24, '0')))).*
    from subscription s, generate_series(1, 996) n where s.id = '${id}'`)
  // The project keeps its webhooks in memory.
  await world.restart()
  const answers = await Promise.all(Array.from({ length: 8 }, add))
  t.equal(answers.filter(({ status }) => status === 201).length, 3)
  for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
    t.match({ status, ...body.error }, { status: 422, code: 'WEBHOOK_LIMIT_REACHED', details: { limit: 1000 } })
  }
  t.equal((await other.api('POST', 'webhooks', fields)).status, 201)
  t.equal((await tenant.api('DELETE', `webhooks/${id}`)).status, 204)
  t.equal((await add()).status, 201)
})
