/** The playground: an agent tries an assistant, and nothing of it is kept but what was spent. */
import t from 'tap'
import { apiRoutes } from '../../http/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { api, project_id } = tenant
const desk = await openDesk(world, tenant, { deployments: [] })
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
t.teardown(() => database.close())
const signedIn = async (...permissions: string[]) =>
  signIn(
    world,
    (await makeAgent(world, tenant, { permissions: ['console.agent', ...permissions] })) as { email: string },
  )
const manager = await signedIn('console.manage_assistants')
const reader = await signedIn()
const user = (text: string) => ({ role: 'user', text })
const play = (json: Json, { by = manager, id = desk.id, headers = {} } = {}) =>
  by.call('POST', `projects/${project_id}/assistants/${id}/playground`, { json, headers })

t.test('it answers with the whole turn, made of settings that are not saved', async (t) => {
  const server = await startToolServer(t)
  const tool = async (name: string, method: string) =>
    (await made(api('POST', 'agents/tools', { name, url: server.url(name), method })))._id
  await made(api('PATCH', `agents/${desk.id}`, { tools: [await tool('cancel_order', 'POST')] }))
  const folder = await made(api('POST', 'knowledge/nodes', { type: 'folder', name: 'Handbook' }))
  const fields = { type: 'document', name: 'Returns', parent_id: folder._id, content: 'Returns take five days.' }
  await made(api('POST', 'knowledge/nodes', fields))
  await eventually('the document is found', async () => {
    const { data } = await made(api('POST', 'knowledge/search', { query: 'returns' }))
    return data.length > 0
  })
  const phone = newPerson()
  await desk.says(phone, 'Hello')
  const contact = await eventually('the contact is there', () => desk.contactOf(phone))
  const { assistant } = await made(api('GET', `assistants/${desk.id}`))
  const [steps] = assistant.blocks.filter(({ type }: Json) => type === 'steps')
  const mark = `play ${newPerson()}`
  await desk.script(
    mark,
    {
      tool_calls: [
        { name: 'cancel_order', arguments: {} },
        { name: 'parley_search_knowledge', arguments: { query: 'returns' } },
      ],
    },
    { answer: 'Five days [1].' },
  )
  const { turn } = await made(
    play({
      messages: [user('Hello'), { role: 'assistant', text: 'Hello!' }, user(mark)],
      chat_user: contact._id,
      tools: { mode: 'live' },
      blocks: [{ block_id: steps._id, content: '1. Be brief' }],
      knowledge_node_ids: [folder._id],
    }),
  )
  t.match(turn, {
    origin: 'playground',
    outcome: 'answered',
    answer: 'Five days.',
    chat_user: contact._id,
    ticket_id: null,
    sources: [{ title: /Returns/ }],
    documents: [{ title: /Returns/ }],
    blocks: [{ block_id: steps._id, version_id: null }],
    steps: [{ kind: 'model' }, { name: 'cancel_order' }, { name: 'parley_search_knowledge' }, { kind: 'model' }],
  })
  t.match(server.requests, [{ method: 'POST' }])
  const [{ body }] = (await desk.calls(mark)) as [Json]
  t.match(body.messages[0].content, /# Steps: Orders\n\n1\. Be brief/)
  t.same((await made(api('GET', `assistants/${desk.id}`))).assistant, assistant, 'nothing is saved')
})

t.test('an assistant that is switched off can be tried', async (t) => {
  const { assistant } = await made(api('POST', 'assistants', { name: 'Off' }))
  await made(api('PATCH', `assistants/${assistant._id}`, { is_active: false }))
  const mark = `off ${newPerson()}`
  await desk.script(mark, { answer: 'Here.' })
  const { turn } = await made(play({ messages: [user(mark)] }, { id: assistant._id }))
  t.match(turn, { outcome: 'answered', answer: 'Here.', assistant_id: assistant._id })
})

t.test('the prompt is shown while somebody writes', async (t) => {
  const { assistant } = await made(api('GET', `assistants/${desk.id}`))
  const [steps] = assistant.blocks.filter(({ type }: Json) => type === 'steps')
  const json = { blocks: [{ block_id: steps._id, content: '- be kind' }] }
  const path = `assistants/${desk.id}/prompt`
  const preview = { assistant_id: desk.id, prompt: '# Steps: Orders\n\n- be kind' }
  t.same(await made(api('POST', path, json)), preview)
  t.same(await made(reader.call('POST', `projects/${project_id}/${path}`, { json })), preview)
  t.match(await made(api('POST', path, {})), { prompt: /one sentence/ })
  const { block } = await made(api('POST', 'blocks/steps', { name: 'Of nobody', content: 'x' }))
  t.match(await api('POST', path, { blocks: [{ block_id: block._id, content: 'y' }] }), {
    status: 422,
    body: { error: { code: 'BLOCK_NOT_FOUND', details: { block_id: block._id } } },
  })
  const stranger = await makeTenant(world)
  t.equal((await stranger.api('POST', path, {})).status, 404)
})

t.test('what is wrong is told before a model is asked', async (t) => {
  const messages = [user('Hello')]
  const nobody = 'f'.repeat(24)
  const refused = async (json: Json, status: number, code: string, options = {}) =>
    t.match(await play(json, options), { status, body: { error: { code } } }, code)
  await refused({ messages }, 403, 'INSUFFICIENT_PERMISSION', { by: reader })
  await refused({ messages }, 404, 'NOT_FOUND', { id: nobody })
  await refused({ messages, chat_user: nobody }, 422, 'NO_CONTACT')
  await refused({ messages, model: 'nothing-such' }, 400, 'INVALID_MODEL')
  await refused({ messages, knowledge_node_ids: [nobody] }, 422, 'KNOWLEDGE_NODE_NOT_FOUND')
  await refused({ messages, blocks: [{ block_id: nobody, content: 'x' }] }, 422, 'BLOCK_NOT_FOUND')
  await refused({ messages: [{ role: 'assistant', text: 'Hello' }] }, 400, 'VALIDATION_ERROR')
  await refused({ messages, ticket_id: nobody }, 400, 'VALIDATION_ERROR')
  const sister = await makeSister(world, tenant)
  const { assistant } = await made(sister.api('POST', 'assistants', { name: 'Other' }))
  await refused({ messages }, 404, 'NOT_FOUND', { id: assistant._id })
})

t.test('nothing is kept but what was spent', async (t) => {
  const other = await makeTenant(world)
  const agent = await signIn(
    world,
    (await makeAgent(world, other, { permissions: ['console.agent', 'console.manage_assistants'] })) as {
      email: string
    },
  )
  const place = await openDesk(world, other, { deployments: [] })
  const mark = `nothing-kept-${newPerson()}`
  await place.script(mark, { answer: `Kept? ${mark}` })
  const headers = { 'idempotency-key': mark }
  const path = `projects/${other.project_id}/assistants/${place.id}/playground`
  const { turn } = await made(agent.call('POST', path, { json: { messages: [user(mark)] }, headers }))
  t.equal(turn.answer, `Kept? ${mark}`)
  t.same(await tablesWith(mark), [], 'no table has its texts')
  t.same(await tablesWith(turn._id), [], 'no table has its id')
  const [spent] = await database.execute<{ tokens: string }>(
    `select sum(tokens)::text as tokens from assistant_spending where project_id = '${other.project_id}' and scope = 'project'`,
  )
  t.ok(Number(spent!.tokens) > 0, 'what it took counts')
  // A row as no version writes it is in no read either.
  const columns = `_id, company_id, project_id, assistant_id, origin, segment, version, model, outcome, answer, sources, blocks, documents, steps, input_tokens, output_tokens, started_at, ended_at`
  await database.execute(
    `insert into assistant_turn (${columns}) values ('${turn._id}', '${other.company_id}', '${other.project_id}', '${place.id}', 'playground', 0, 0, 'simulated', 'answered', '${mark}', '[]', '[]', '[]', '[]', 1, 1, now(), now())`,
  )
  const reads = lists(place.id, turn._id)
  t.ok(reads.length > 25, `${reads.length} reads`)
  for (const read of reads) {
    const { status, body } = await other.api('GET', read)
    t.notMatch(JSON.stringify(body), new RegExp(`${mark}|playground`), `${read} ${status}`)
  }
  const { data } = await made(agent.call('GET', `projects/${other.project_id}/assistant_overview`))
  t.same(
    data.filter(({ assistant_id }: Json) => assistant_id === place.id),
    [],
  )
  await database.execute(`delete from assistant_turn where _id = '${turn._id}'`)
})

t.test('the channel is never accepted', async (t) => {
  const bodies: [string, Json][] = [
    ['contacts', { channel_type: 'playground', user_id: '1' }],
    ['messages', { channel: 'playground', to: '1', message: { type: 'text', text: { body: 'Hello' } } }],
    ['webhooks', { url: 'https://example.com/', events: ['playground.message.received'] }],
  ]
  for (const [path, body] of bodies) t.equal((await api('POST', path, body)).status, 400, path)
  const fields = { project_id, channel_type: 'playground', name: 'Hidden', provider: 'simulator' }
  t.equal((await world.operator('POST', 'channels', fields)).status, 400)
  for (const path of ['contacts?channel_type=playground', 'messages?channel=playground']) {
    t.equal((await api('GET', path)).status, 400, path)
  }
})

/** The tables that have the text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await database.execute<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = current_schema()`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await database.execute(`select 1 from "${name}" r where r::text like '%${text}%' limit 1`)
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** The paths of all reads of the API that need no id but these. */
function lists(assistant_id: string, turn_id: string): string[] {
  const routes = apiRoutes({
    provider: async () => ({ status: 200, body: '' }),
    allow_url: () => false,
    whatsapp: {} as never,
    providers: {} as never,
    tools: {} as never,
    assistants: {} as never,
    media: {} as never,
    polls: { poll: async () => '{}' },
  })
  return routes
    .filter(({ method, path, read }) => method === 'GET' && read && path.startsWith('/v1/'))
    .map(({ path }) => path.replace('/v1/', '').replace('assistants/:id', `assistants/${assistant_id}`))
    .map((path) => path.replace(':turn_id', turn_id))
    .filter((path) => !path.includes(':'))
}
