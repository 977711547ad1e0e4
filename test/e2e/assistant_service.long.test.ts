/**
 * The assistant service outside: it is told each change before the change is stored, and a change that it does not
 * confirm is not stored.
 */
import t, { type Test } from 'tap'
import { startAssistantService } from '../support/mod.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

const KEY = 'the key of the service'
const service = await startAssistantService(t)
const world = await startWorld(t, {
  config: { assistants_url: `${service.url}/`, assistants_key: KEY },
  waits: { operation_ms: 3000 },
})
const tenant = await makeTenant(world)
const { api, company_id, project_id } = tenant
const owner = { company_id, project_id }

const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const created = async (): Promise<Json> => (await made(api('POST', 'assistants', { name: 'Ana' }))).assistant
const block = async (path = 'steps', fields: Json = {}): Promise<Json> =>
  (await made(api('POST', `blocks/${path}`, { name: 'A block', ...fields }))).block

/** Everything that the API shows. */
async function stored(): Promise<Json> {
  const lists = ['assistants?limit=200', 'blocks?limit=200&include_archived=true']
  return Promise.all(lists.map(async (path) => (await made(api('GET', path))).data))
}

/** The records as they were when sent: stamps are set again by the turn. */
function unstamped(record: Json): Json {
  return JSON.parse(JSON.stringify(record), (key, value) => (/_at$/.test(key) ? '' : value))
}

const toldLast = () => service.calls.at(-1)!

t.test('each change is told with the record that it leaves', async (t) => {
  const assistant = await created()
  const path = `/api/assistants/${assistant._id}`
  t.match(toldLast(), { method: 'PUT', path, key: `Bearer ${KEY}` })
  t.same(unstamped(toldLast().body), unstamped({ ...owner, assistant }))

  const changed = (await made(api('PATCH', `assistants/${assistant._id}`, { name: 'Bea' }))).assistant
  t.same(unstamped(service.records.get(path)), unstamped({ ...owner, assistant: changed }))

  const steps = await block('steps', { content: '1. Greet' })
  const of_block = `/api/blocks/${steps._id}`
  const version = (await api('GET', `blocks/${steps._id}/content`)).body
  t.same(unstamped(service.records.get(of_block)), unstamped({ ...owner, block: steps, version }))

  await made(api('POST', `assistants/${assistant._id}/blocks`, { block_id: steps._id, order: 0 }))
  const attached = (await api('GET', `assistants/${assistant._id}`)).body.assistant
  t.equal(attached.blocks.length, 3)
  t.same(unstamped(service.records.get(path).assistant), unstamped(attached))

  const saved = (await api('PUT', `blocks/${steps._id}/content`, { content: '1. Close' })).body
  t.match(service.records.get(of_block), {
    version: { _id: saved._id, content: '1. Close' },
    block: { current_version_id: saved._id },
  })
  await made(api('POST', `blocks/${steps._id}/archive`))
  t.match(service.records.get(of_block), { version: null, block: { is_archived: true } })
  t.equal((await api('DELETE', `assistants/${assistant._id}/blocks/${steps._id}`)).status, 204)
  t.equal(service.records.get(path).assistant.blocks.length, 2)

  const of_operator = await made(world.operator('POST', 'assistants', { project_id, name: 'Cleo' }))
  t.match(service.records.get(`/api/assistants/${of_operator._id}`), { ...owner, assistant: { name: 'Cleo' } })
  t.equal(service.calls.length, 8, 'each is told once')
})

t.test('reads, and requests that are refused anyway, are not told', async (t) => {
  const { _id, blocks } = await created()
  const before = service.calls.length
  for (const path of [
    `assistants/${_id}`,
    'assistants',
    'blocks',
    `blocks/${blocks[0]._id}`,
    `assistants/${_id}/prompt`,
  ])
    t.equal((await api('GET', path)).status, 200, path)
  const nobody = 'f'.repeat(24)
  for (const [method, path, body, status] of [
    ['POST', 'assistants', {}, 400],
    ['POST', 'assistants', { name: 'x', model: 'none' }, 400],
    ['PATCH', `assistants/${nobody}`, { name: 'x' }, 404],
    ['POST', `assistants/${_id}/blocks`, { block_id: nobody }, 422],
    ['DELETE', `assistants/${_id}/blocks/${nobody}`, undefined, 404],
    ['PUT', `blocks/${nobody}/content`, { content: 'x' }, 404],
  ] as const)
    t.equal((await api(method, path, body)).status, status, `${method} ${path}`)
  t.equal(service.calls.length, before)
})

/** Every way to change something, for an assistant and a block that exist. */
async function changes(): Promise<[method: string, path: string, body?: Json][]> {
  const { _id, blocks } = await created()
  const steps = await block()
  return [
    ['POST', 'assistants', { name: 'x' }],
    ['PATCH', `assistants/${_id}`, { name: 'x' }],
    ['POST', `assistants/${_id}/blocks`, { block_id: steps._id }],
    ['DELETE', `assistants/${_id}/blocks/${blocks[0]._id}`],
    ...['response-format', 'steps', 'objective', 'cases-possible'].map((type): [string, string, Json] => [
      'POST',
      `blocks/${type}`,
      { name: 'x' },
    ]),
    ['PATCH', `blocks/${steps._id}`, { name: 'x' }],
    ['PUT', `blocks/${steps._id}/content`, { content: 'x' }],
    ['POST', `blocks/${steps._id}/archive`],
  ]
}

async function refusesAll(t: Test, all: [method: string, path: string, body?: Json][]): Promise<void> {
  const before = await stored()
  for (const [method, path, body] of all) {
    const answer = await api(method, path, body)
    t.same(codeOf(answer), [502, 'ASSISTANTS_UPSTREAM_ERROR'], `${method} ${path} ${answer.text}`)
    t.match(answer.headers['retry-after'], /^[1-9]\d*$/)
  }
  t.same(await stored(), before, 'nothing is written')
}

const manners: [what: string, manner: Parameters<typeof service.answers>[0]][] = [
  ['an error', { status: 500 }],
  ['a refusal', { status: 422 }],
  ['a redirect', { status: 302 }],
  ['a page instead of JSON', { status: 200, body: '<html></html>' }],
  ['an empty answer', { status: 200, body: '' }],
  ['a connection that is cut', 'cut'],
  ['an answer without an end', 'flood'],
]

t.test('a change that the service does not confirm is refused, and nothing is written', async (t) => {
  const all = await changes()
  t.teardown(() => service.answers(undefined))
  for (const [what, manner] of manners) {
    await t.test(what, async (t) => {
      service.answers(manner)
      await refusesAll(t, all)
    })
  }
  await t.test('the wait that the service asks for is passed on', async (t) => {
    service.answers({ status: 503, headers: { 'retry-after': '17' } })
    const answer = await api('POST', 'assistants', { name: 'x' })
    t.same([...codeOf(answer), answer.headers['retry-after']], [502, 'ASSISTANTS_UPSTREAM_ERROR', '17'])
  })
  await t.test('operators are told the same', async (t) => {
    service.answers({ status: 503 })
    const answer = await world.operator('POST', 'assistants', { project_id, name: 'x' })
    t.same(codeOf(answer), [502, 'ASSISTANTS_UPSTREAM_ERROR'])
  })
  await t.test('an empty answer with 204 confirms', async (t) => {
    service.answers({ status: 204, body: '' })
    t.equal((await api('POST', 'assistants', { name: 'x' })).status, 201)
  })
})

t.test('a service that does not answer in time', async (t) => {
  t.teardown(() => service.answers(undefined))
  service.answers('hang')
  await refusesAll(t, [['POST', 'assistants', { name: 'x' }]])
})

t.test('the key of a failed request is free again', async (t) => {
  t.teardown(() => service.answers(undefined))
  service.answers('cut')
  t.equal((await api('POST', 'assistants', { name: 'Again' }, keyed('again'))).status, 502)
  service.answers(undefined)
  const { status, headers, body } = await api('POST', 'assistants', { name: 'Again' }, keyed('again'))
  t.same([status, headers['idempotent-replayed']], [201, undefined])
  const replayed = await api('POST', 'assistants', { name: 'Again' }, keyed('again'))
  t.same([replayed.headers['idempotent-replayed'], replayed.body], ['true', body])
})

t.test('the service has what is stored, even after a change that came too late', async (t) => {
  const { _id } = await created()
  const path = `/api/assistants/${_id}`
  const blocks = await Promise.all(Array.from({ length: 6 }, () => block('objective')))
  t.teardown(() => service.answers(undefined))
  // All requests find no objective before the first of them is stored.
  const { promise: hold, resolve: release } = Promise.withResolvers<void>()
  const begun = service.calls.length
  service.answers(({ path: told }) => (told === path ? { status: 200, hold } : undefined))
  const attach = ({ _id: block_id }: Json) => api('POST', `assistants/${_id}/blocks`, { block_id })
  const asked = blocks.map(attach)
  await eventually('all are with the service', () => service.calls.length >= begun + blocks.length)
  service.answers(undefined)
  release()
  const answers = await Promise.all(asked)
  const kept = answers.filter(({ status }) => status === 201)
  t.equal(kept.length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201))
    t.same(codeOf(answer), [400, 'ASSISTANT_DUPLICATE_IDENTITY_BLOCK'])
  const { assistant } = (await api('GET', `assistants/${_id}`)).body
  t.same(unstamped(service.records.get(path).assistant), unstamped(assistant), 'refused changes are taken back there')
})

t.test('the service has what is stored after changes that were all made from the same state', async (t) => {
  const { _id } = await created()
  const one = await block()
  const blocks: string[] = []
  for (let n = 0; n < 4; n++) blocks.push((await block())._id)
  t.teardown(() => service.answers(undefined))
  const { promise: hold, resolve: release } = Promise.withResolvers<void>()
  const begun = service.calls.length
  // The calls are applied in the order of their arrival, and answered together.
  service.answers((told) => {
    service.records.set(told.path, told.body)
    return { status: 200, hold }
  })
  const asked = [
    ...blocks.map((block_id) => api('POST', `assistants/${_id}/blocks`, { block_id, order: 1 })),
    api('PATCH', `assistants/${_id}`, { name: 'Bea' }),
    ...['x', 'y', 'z'].map((content) => api('PUT', `blocks/${one._id}/content`, { content })),
    api('POST', `blocks/${one._id}/archive`),
  ]
  await eventually('all are with the service', () => service.calls.length >= begun + asked.length)
  service.answers(undefined)
  release()
  t.same([...new Set((await Promise.all(asked)).map(({ status }) => status))].sort(), [200, 201])
  const { assistant } = (await api('GET', `assistants/${_id}`)).body
  t.same([assistant.blocks.length, assistant.name], [6, 'Bea'])
  t.same(unstamped(service.records.get(`/api/assistants/${_id}`).assistant), unstamped(assistant))
  const told = service.records.get(`/api/blocks/${one._id}`)
  t.same(unstamped(told.block), unstamped((await api('GET', `blocks/${one._id}`)).body.block))
  t.equal(told.version._id, told.block.current_version_id)
})

t.test('a node has 32 calls open at most', async (t) => {
  t.teardown(() => service.answers(undefined))
  const { promise: hold, resolve: release } = Promise.withResolvers<void>()
  service.max_open = 0
  service.answers({ status: 200, hold })
  const asked = Array.from({ length: 60 }, (_, n) => api('POST', 'blocks/steps', { name: `Block ${n}` }))
  await eventually('the service is busy', () => service.max_open >= 32)
  service.answers(undefined)
  release()
  t.same(
    (await Promise.all(asked)).filter(({ status }) => status !== 201),
    [],
  )
  t.equal(service.max_open, 32)
})

t.test('a service that is gone', async (t) => {
  const all = await changes()
  await service.close()
  await refusesAll(t, all)
  t.equal((await api('GET', 'assistants')).status, 200, 'reads go on')
})
