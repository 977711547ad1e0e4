/** The number of webhooks of a project, filled up by the database because requests would take too long. */
import t from 'tap'
import { scopes } from '../../actors/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

t.test('a project has 1000 webhooks at most, however many requests come at once', async (t) => {
  const other = await makeTenant(world)
  const fields = { name: 'One more', url: world.sink.url('limit'), events: ['whatsapp.flow.updated'], is_active: false }
  const { id: model } = await made(other.api('POST', 'webhooks', fields))
  const { company_id, user_id } = other
  const { _id: project_id } = await made(world.operator('POST', 'projects', { company_id, name: 'Full' }))
  // Nothing has used the project yet, so it reads these webhooks when it begins.
  await database.execute(`
    insert into subscription
    select (jsonb_populate_record(s, jsonb_build_object(
      'id', 'wh_' || left(md5('${project_id}' || n), 24), 'project_id', '${project_id}'))).*
    from subscription s, generate_series(1, 997) n where s.id = '${model}'`)
  const { token } = await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'Token', scopes }))
  const add = () => other.api('POST', 'webhooks', fields, { token })
  const answers = await Promise.all(Array.from({ length: 8 }, add))
  t.equal(answers.filter(({ status }) => status === 201).length, 3)
  for (const { status, body } of answers.filter(({ status }) => status !== 201)) {
    t.match({ status, ...body.error }, { status: 422, code: 'WEBHOOK_LIMIT_REACHED', details: { limit: 1000 } })
  }
  t.equal((await other.api('POST', 'webhooks', fields)).status, 201)
  const { id } = answers.find(({ status }) => status === 201)!.body
  t.equal((await other.api('DELETE', `webhooks/${id}`, undefined, { token })).status, 204)
  t.equal((await add()).status, 201)
})
