/** The numbers of assistants and blocks of a project, filled up by the database because requests would take too long. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import type { Answer, Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const { api } = tenant
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())

const outcome = ({ status, body }: Answer) => [status, body.error?.code, body.error?.details]
/** Blocks and assistants alike have an id, an owner and a name. */
function fill(table: string, column: string, value: string, { company_id, project_id }: Tenant, count: number) {
  return database.execute(`
    insert into ${table} (_id, company_id, project_id, name, ${column})
    select left(md5('${project_id}' || n), 24), '${company_id}', '${project_id}', 'Filled', '${value}'
    from generate_series(1, ${count}) n`)
}

t.test('a project has 1000 assistants at most, however many requests come at once', async (t) => {
  await fill('assistant', 'model', 'm', tenant, 997)
  const answers = await Promise.all(Array.from({ length: 8 }, () => api('POST', 'assistants', { name: 'One more' })))
  t.equal(answers.filter(({ status }) => status === 201).length, 3)
  for (const answer of answers.filter(({ status }) => status !== 201))
    t.same(outcome(answer), [422, 'ASSISTANT_LIMIT_REACHED', { limit: 1000 }])
  t.equal((await made(api('GET', 'assistants?limit=1'))).total, 1000)
  t.equal((await sister.api('POST', 'assistants', { name: 'Elsewhere' })).status, 201)
  const page: Json = await made(api('GET', 'assistants?limit=200&offset=900&search=FILL'))
  t.same([page.data.length, page.total], [97, 997])
})

t.test('an assistant that is switched off makes room, and needs it to come back', async (t) => {
  const other = await makeTenant(world)
  const { _id } = (await made(other.api('POST', 'assistants', { name: 'First' }))).assistant
  await fill('assistant', 'model', 'm', other, 999)
  const turn = (is_active: boolean) => other.api('PATCH', `assistants/${_id}`, { is_active })
  t.equal((await turn(true)).status, 200, 'it is active already')
  t.equal((await other.api('POST', 'assistants', { name: 'Too many' })).status, 422)
  t.equal((await turn(false)).status, 200)
  t.equal((await other.api('POST', 'assistants', { name: 'Instead' })).status, 201)
  t.same(outcome(await turn(true)), [422, 'ASSISTANT_LIMIT_REACHED', { limit: 1000 }])
  const several = [turn(false), other.api('PATCH', `assistants/${_id}`, { name: 'Renamed' })]
  for (const { status } of await Promise.all(several)) t.equal(status, 200, 'every other change needs no room')
})

t.test('an archived block makes room, and needs it to come back', async (t) => {
  const other = await makeTenant(world)
  const { _id } = (await made(other.api('POST', 'blocks/steps', { name: 'First' }))).block
  await fill('block', 'type', 'steps', other, 9999)
  t.equal((await other.api('POST', 'blocks/steps', { name: 'Too many' })).status, 422)
  t.equal((await other.api('POST', `blocks/${_id}/archive`)).status, 200)
  t.equal((await other.api('POST', 'blocks/steps', { name: 'Instead' })).status, 201)
  const full = [422, 'BLOCK_LIMIT_REACHED', { limit: 10_000 }]
  t.same(outcome(await other.api('POST', `blocks/${_id}/unarchive`)), full)
  t.same(outcome(await world.operator('PATCH', `blocks/${_id}`, { is_archived: false })), full)
})

t.test('a project has 10000 blocks at most, those of new assistants included', async (t) => {
  const other = await makeTenant(world)
  await fill('block', 'type', 'steps', other, 9999)
  const both = await other.api('POST', 'assistants', { name: 'Two blocks' })
  t.same(outcome(both), [422, 'BLOCK_LIMIT_REACHED', { limit: 10_000 }])
  t.equal((await other.api('POST', 'blocks/steps', { name: 'Last' })).status, 201)
  t.same(outcome(await other.api('POST', 'blocks/steps', { name: 'One more' })), [
    422,
    'BLOCK_LIMIT_REACHED',
    { limit: 10_000 },
  ])
  t.equal((await made(other.api('GET', 'assistants'))).total, 0)
  const { data, has_more } = await made(other.api('GET', 'blocks?limit=200&offset=9900'))
  t.same([data.length, has_more], [100, false])
})
