/** Assistants as agents of the console see and change them. */
import t from 'tap'
import { objectId, openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { openConsole } from './console_socket.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { api, project_id, company_id } = tenant
const sister = await makeSister(world, tenant)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())
const signedIn = async (...permissions: string[]) =>
  signIn(
    world,
    (await makeAgent(world, tenant, { permissions: ['console.agent', ...permissions] })) as { email: string },
  )
const manager = await signedIn('console.manage_assistants')
const reader = await signedIn()
const at = (path: string) => `projects/${project_id}/${path}`
const ask = (method: string, path: string, json?: Json) => manager.call(method, at(path), json && { json })
const overview = () => made(reader.call('GET', at('assistant_overview')))

t.test('an agent with the permission makes an assistant, and another one may only read it', async (t) => {
  const { assistant } = await made(ask('POST', 'assistants', { name: 'Ana' }))
  const path = `assistants/${assistant._id}`
  await made(ask('PATCH', path, { description: 'Answers questions about orders' }))
  const { block } = await made(ask('POST', 'blocks/steps', { name: 'Orders', content: '1. Ask for the number' }))
  await made(ask('POST', `${path}/blocks`, { block_id: block._id, order: 0 }))
  await made(ask('PUT', `blocks/${block._id}/content`, { content: '1. Ask for the number of the order' }))
  await made(ask('PUT', `${path}/deployments`, { deployments: [{ answers: 'outside_hours' }] }))
  const reads = [path, `${path}/blocks`, `${path}/prompt`, `${path}/deployments`, `${path}/turns`, 'blocks']
  reads.push(`blocks/${block._id}`, `blocks/${block._id}/content`, `blocks/${block._id}/versions`, 'agents/tools')
  for (const read of reads) {
    const answer = await reader.call('GET', at(read))
    t.same([answer.status, answer.body], [200, (await api('GET', read)).body], read)
  }
  t.match((await reader.call('GET', at(`${path}/prompt`))).body, { prompt: /Ask for the number of the order/ })
  const refused = await reader.call('PATCH', at(path), { json: { name: 'Bea' } })
  t.match(refused, { status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSION' } } })
  t.equal((await api('GET', path)).body.assistant.name, 'Ana')
  t.equal((await ask('DELETE', `${path}/blocks/${block._id}`)).status, 204)
  const tool = await made(api('POST', 'agents/tools', { name: 'find_orders', url: 'https://shop.example.com/orders' }))
  t.match(await made(ask('PATCH', `agents/${assistant._id}`, { tools: [tool._id] })), {
    assistant: { tools: [tool._id] },
  })
})

t.test('the overview has the turns of today in conversations, the places, and the models', async (t) => {
  const { assistant } = await made(api('POST', 'assistants', { name: 'Bea' }))
  const silent = (await made(api('POST', 'assistants', { name: 'Cleo' }))).assistant._id
  await made(api('PUT', `assistants/${assistant._id}/deployments`, { deployments: [{ answers: 'always' }] }))
  const turn = (outcome: string, { origin = 'conversation', cost = '0.25', currency = 'USD', ago = '1 s' } = {}) => {
    // An id of the moment, as the row would have.
    const _id = ago === '1 s' ? objectId() : `6${'0'.repeat(23)}`
    return database.execute(`
      insert into assistant_turn (_id, company_id, project_id, assistant_id, origin, model, outcome, cost, cost_currency,
        started_at, ended_at)
      values ('${_id}', '${company_id}', '${project_id}', '${assistant._id}', '${origin}', 'm', '${outcome}', ${cost},
        ${currency === '' ? 'null' : `'${currency}'`}, now() - interval '${ago}', now())`)
  }
  await turn('answered')
  await turn('answered', { cost: '0.000001' })
  await turn('handed_over', { currency: 'EUR' })
  await turn('failed', { cost: 'null', currency: '' })
  await turn('discarded', { cost: '1' })
  for (const origin of ['reply', 'playground', 'test']) await turn('answered', { origin, cost: '100' })
  await turn('answered', { ago: '2 days' })
  const { data, since, models, has_prices } = await overview()
  t.same(
    data.find(({ assistant_id }: Json) => assistant_id === assistant._id),
    {
      assistant_id: assistant._id,
      answered: 2,
      handed_over: 1,
      failed: 1,
      costs: [
        { currency: 'EUR', amount: 0.25 },
        { currency: 'USD', amount: 1.250001 },
      ],
      deployments: [{ channel_ids: [], answers: 'always', after_minutes: null, tag_ids: [], is_active: true }],
    },
  )
  t.notOk(data.some(({ assistant_id }: Json) => assistant_id === silent))
  t.match(since, /T00:00:00\.000Z$/, 'without office hours the day is that of UTC')
  t.ok(models.includes('simulated'))
  t.type(has_prices, 'boolean')
  await made(api('PUT', `assistants/${assistant._id}/deployments`, { deployments: [] }))
  const elsewhere = await made(manager.call('GET', `projects/${sister.project_id}/assistant_overview`))
  t.same(elsewhere.data, [])
})

t.test('the day begins at midnight of the office hours', async (t) => {
  const office_hours = {
    timezone: 'Asia/Kathmandu',
    weekly: { monday: [{ from: '09:00', to: '18:00' }] },
    closed_on: [],
  }
  await made(world.operator('PATCH', `projects/${sister.project_id}`, { office_hours }))
  const { since } = await made(manager.call('GET', `projects/${sister.project_id}/assistant_overview`))
  t.match(since, /T18:15:00\.000Z$/)
  const age = Date.now() - Date.parse(since)
  t.ok(age >= 0 && age < 25 * 3_600_000)
})

t.test('consoles hear of each answer and each hand-over in the moment of its figure', async (t) => {
  const page = await openConsole(t, world.base_url, reader.cookie)
  await page.ask('watch', { project_id })
  const desk = await openDesk(world, tenant, { fields: { name: 'Dora' } })
  const figures = async () => (await overview()).data.find(({ assistant_id }: Json) => assistant_id === desk.id)
  const heard = (type: string, look: (data: Json) => unknown) =>
    eventually(type, () => page.events().find((event: Json) => event.type === type && look(event.data)))
  const phone = newPerson()
  await desk.says(phone, 'When do you open?')
  await heard('message.created', ({ assistant_id }) => assistant_id === desk.id)
  t.match(await figures(), { answered: 1, handed_over: 0, failed: 0 })
  await desk.script('a person please', {
    tool_calls: [{ name: 'parley_hand_over', arguments: { reason: 'Wants a person', motivo: 'Money back' } }],
  })
  await desk.says(phone, 'a person please')
  await heard(
    'event.recorded',
    ({ event_type, data }) => event_type === 'assistant.handed_over' && data.assistant_id === desk.id,
  )
  const after = await figures()
  t.equal(after.handed_over + after.failed, 1)
})
