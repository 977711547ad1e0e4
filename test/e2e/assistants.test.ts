/**
 * Assistants: their record, their bounds, and the blocks that are attached to them. One file, because it goes through all
 * routes of one resource.
 */
import t from 'tap'
import { type Answer, type Json, sleep } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, type Tenant } from './fixture.ts'
import { addFolder } from './knowledge_client.ts'

const world = await joinWorld(t)
const MODELS = world.config.assistant_models
const tenant = await makeTenant(world)
const other = await makeTenant(world)

const id = (digit: string) => digit.repeat(24)
const nobody = id('f')
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

const create = (fields: Json = {}, by: Tenant = tenant) => by.api('POST', 'assistants', { name: 'Ana', ...fields })
const created = async (fields: Json = {}, by: Tenant = tenant): Promise<Json> =>
  (await made(create(fields, by))).assistant
const block = async (path: string, fields: Json = {}, by: Tenant = tenant): Promise<Json> =>
  (await made(by.api('POST', `blocks/${path}`, { name: path, ...fields }))).block
const attach = (assistant: string, body: Json, by: Tenant = tenant) =>
  by.api('POST', `assistants/${assistant}/blocks`, body)
const pickWritten = ({ description, knowledge_node_ids }: Json) => ({ description, knowledge_node_ids })
const blocksOf = async (assistant: string): Promise<Json[]> =>
  (await made(tenant.api('GET', `assistants/${assistant}/blocks`))).data
const places = (blocks: Json[]) => blocks.map(({ _id, order }) => [_id, order])

t.test('an assistant is created with two empty blocks, active, and shown everywhere alike', async (t) => {
  const answer = await create()
  t.equal(answer.status, 201, answer.text)
  t.same(Object.keys(answer.body), ['assistant'])
  const { assistant } = answer.body
  t.match(assistant, {
    _id: /^[0-9a-f]{24}$/,
    name: 'Ana',
    description: null,
    avatar_url: null,
    avatar_emoji: null,
    model: 'model-a',
    knowledge_node_ids: [],
    settable_ticket_fields: [],
    tools: [],
    is_active: true,
    created_at: /Z$/,
    updated_at: /Z$/,
  })
  t.match(assistant.blocks, [
    { type: 'personification', family: 'identity', order: 0, current_version_id: null, is_archived: false },
    { type: 'response_policy', family: 'instructions', order: 1, current_version_id: null, content_writable: true },
  ])
  t.equal(assistant.blocks.length, 2)
  t.same((await tenant.api('GET', `assistants/${assistant._id}`)).body, { assistant })
  t.same((await tenant.api('GET', `assistants/${assistant._id.toUpperCase()}`)).body, { assistant })
  const { data } = (await tenant.api('GET', 'assistants?limit=1')).body
  t.same(data, [assistant])
  t.same(await blocksOf(assistant._id), assistant.blocks)
  t.same((await tenant.api('GET', `assistants/${assistant._id}/prompt`)).body, {
    assistant_id: assistant._id,
    prompt: '',
  })
})

t.test('every field is kept at its bound', async (t) => {
  const nodes = await Promise.all(Array.from({ length: 200 }, (_, n) => addFolder(tenant, `Folder ${n}`)))
  const [first, second] = [nodes[0]!, nodes[1]!]
  const fields = {
    name: '😀'.repeat(150),
    description: '😀'.repeat(500),
    avatar_url: 'https://example.com/a.png',
    avatar_emoji: '😀'.repeat(16),
    model: 'model-b',
    knowledge_node_ids: nodes,
    settable_ticket_fields: [
      'priority',
      'category',
      'tag_ids',
      ...Array.from({ length: 47 }, (_, n) => `custom_fields.f${n}`),
    ],
  }
  t.match(await created(fields), fields)
  t.match(await created({ description: '', knowledge_node_ids: [first.toUpperCase(), second, first] }), {
    description: '',
    knowledge_node_ids: [first, second],
  })
})

const invalid: [what: string, fields: Json, path: string, code: string][] = [
  ['no name', { name: undefined }, 'name', 'required'],
  ['an empty name', { name: '' }, 'name', 'invalid_value'],
  ['a name of white space', { name: ' \t' }, 'name', 'invalid_value'],
  ['a name of 151 characters', { name: '😀'.repeat(151) }, 'name', 'too_long'],
  ['a number as name', { name: 1 }, 'name', 'invalid_type'],
  ['a description of 501 characters', { description: 'x'.repeat(501) }, 'description', 'too_long'],
  ['an avatar without TLS', { avatar_url: 'http://example.com/a.png' }, 'avatar_url', 'invalid_value'],
  ['an avatar that is no address', { avatar_url: 'https://' }, 'avatar_url', 'invalid_value'],
  ['an emoji of 17 characters', { avatar_emoji: '😀'.repeat(17) }, 'avatar_emoji', 'too_long'],
  ['a number as model', { model: 4 }, 'model', 'invalid_type'],
  ['201 nodes', { knowledge_node_ids: Array(201).fill(nobody) }, 'knowledge_node_ids', 'too_long'],
  ['a malformed node', { knowledge_node_ids: [nobody, 'x'] }, 'knowledge_node_ids.1', 'invalid_format'],
  ['a node instead of a list', { knowledge_node_ids: nobody }, 'knowledge_node_ids', 'invalid_type'],
  ['51 settable fields', { settable_ticket_fields: Array(51).fill('priority') }, 'settable_ticket_fields', 'too_long'],
  ...['assigned_to', 'is_closed', 'custom_fields', 'custom_fields.', 'custom_fields.__proto__', 'Priority', ''].map(
    (name): [string, Json, string, string] => [
      `the settable field ${name}`,
      { settable_ticket_fields: [name] },
      'settable_ticket_fields.0',
      'invalid_value',
    ],
  ),
  ...['metadata', 'company', 'project', 'blocks', 'is_active', 'tools', '_id'].map(
    (name): [string, Json, string, string] => [`the property ${name}`, { [name]: true }, name, 'unknown_property'],
  ),
]

t.test('an invalid assistant is refused with its violations, and nothing is written', async (t) => {
  const count = async () => (await tenant.api('GET', 'assistants?limit=1')).body.total
  const before = await count()
  for (const [what, fields, path, code] of invalid) {
    const { status, body } = await create(fields)
    t.equal(status, 400, what)
    t.equal(body.error.code, 'VALIDATION_ERROR', what)
    t.match(body.error.details.violations, [{ path, code }], what)
  }
  const unsupported = await create({ model: 'model-c' })
  t.same(codeOf(unsupported), [400, 'INVALID_MODEL'])
  t.same(unsupported.body.error.details, { supported: MODELS })
  t.match(unsupported.body.error.message, MODELS.join(', '), 'people who see no details learn the models as well')
  for (const model of ['', 'm'.repeat(1000), 'model\n']) {
    t.same(codeOf(await create({ model })), [400, 'INVALID_MODEL'], 'a text that can be no name')
  }
  t.equal(await count(), before)
})

t.test('an assistant refers to nodes that the project has or had', async (t) => {
  const sister = await makeSister(world, tenant)
  const own = await addFolder(tenant, 'Own')
  const strangers = [nobody, await addFolder(sister, 'Of the sister'), await addFolder(other, 'Of another company')]
  const assistant = await created({ knowledge_node_ids: [own] })
  const { total } = (await tenant.api('GET', 'assistants?limit=1')).body
  for (const stranger of strangers) {
    const fields = { knowledge_node_ids: [own, stranger] }
    const refused = { code: 'KNOWLEDGE_NODE_NOT_FOUND', details: { node_ids: [stranger] } }
    t.match(await create(fields), { status: 422, body: { error: refused } })
    t.match(await tenant.api('PATCH', `assistants/${assistant._id}`, fields), { status: 422, body: { error: refused } })
  }
  t.equal((await tenant.api('GET', 'assistants?limit=1')).body.total, total, 'nothing was made')
  t.same((await tenant.api('GET', `assistants/${assistant._id}`)).body.assistant, assistant, 'nothing was changed')
  t.equal((await tenant.api('DELETE', `knowledge/nodes/${own}`)).status, 204)
  t.match(await created({ knowledge_node_ids: [own] }), { knowledge_node_ids: [own] }, 'the id of a deleted node')
  const renamed = await tenant.api('PATCH', `assistants/${assistant._id}`, { ...pickWritten(assistant), name: 'Bea' })
  t.match(renamed, { status: 200, body: { assistant: { name: 'Bea', knowledge_node_ids: [own] } } })
})

t.test('a field that may be null can be sent as null', async (t) => {
  const empty = { description: null, avatar_url: null, avatar_emoji: null }
  const { status, body } = await create(empty)
  t.equal(status, 201)
  t.match(body.assistant, empty)
})

t.test('PATCH changes the given fields alone', async (t) => {
  const node = await addFolder(tenant, 'Prices')
  const assistant = await created({ description: 'Old', avatar_emoji: '🙂', knowledge_node_ids: [node] })
  const path = `assistants/${assistant._id}`
  const patch = async (body: Json): Promise<Json> => (await made(tenant.api('PATCH', path, body))).assistant
  t.same(await patch({}), assistant, 'nothing changes')
  t.same(await patch({ name: 'Ana' }), assistant, 'the same value is no change')
  await sleep(2)
  const renamed = await patch({ name: 'Bea', model: 'model-b', is_active: false })
  t.same(
    { ...renamed, updated_at: '' },
    { ...assistant, name: 'Bea', model: 'model-b', is_active: false, updated_at: '' },
  )
  t.ok(renamed.updated_at > assistant.updated_at)
  const emptied = await patch({ description: null, avatar_emoji: null, knowledge_node_ids: [], is_active: true })
  t.match(emptied, { description: null, avatar_emoji: null, knowledge_node_ids: [], is_active: true, name: 'Bea' })
  t.same((await tenant.api('GET', path)).body.assistant, emptied)

  for (const [body, code] of [
    [{ name: null }, 'VALIDATION_ERROR'],
    [{ is_active: 'no' }, 'VALIDATION_ERROR'],
    [{ is_active: null }, 'VALIDATION_ERROR'],
    [{ blocks: [] }, 'VALIDATION_ERROR'],
    [{ model: 'model-c' }, 'INVALID_MODEL'],
  ] as const)
    t.same(codeOf(await tenant.api('PATCH', path, body)), [400, code], JSON.stringify(body))
  t.same((await tenant.api('GET', path)).body.assistant, emptied)

  const changes = Array.from({ length: 10 }, (_, n) => ({ description: `Version ${n}` }))
  const [last] = await Promise.all([patch({ name: 'Cleo' }), ...changes.map(patch)])
  t.equal(last!.name, 'Cleo')
  t.match(await patch({}), { name: 'Cleo', description: /^Version \d$/ }, 'concurrent changes of other fields survive')
})

t.test('the list: newest first, filters, paging', async (t) => {
  const own = await makeTenant(world)
  const ids: string[] = []
  for (const fields of [{ name: 'Sales' }, { name: 'Support', model: 'model-b' }, { name: 'Support 100%' }])
    ids.push((await created(fields, own))._id)
  await made(own.api('PATCH', `assistants/${ids[2]}`, { is_active: false }))
  const list = async (query: string): Promise<Json> => made(own.api('GET', `assistants?${query}`))
  const finds: [query: string, found: number[]][] = [
    ['', [2, 1, 0]],
    ['search=support', [2, 1]],
    ['search=%25', [2]],
    ['search=', [2, 1, 0]],
    ['is_active=true', [1, 0]],
    ['is_active=false', [2]],
    ['model=model-b', [1]],
    ['model=model-c', []],
    ['search=s&is_active=true&model=model-a', [0]],
  ]
  for (const [query, found] of finds) {
    const { data, total, limit, offset } = await list(query)
    t.same(
      data.map(({ _id }: Json) => ids.indexOf(_id)),
      found,
      query,
    )
    t.same([total, limit, offset], [found.length, 50, 0], query)
  }
  const page = await list('limit=1&offset=1')
  t.same([page.data.map(({ name }: Json) => name), page.total, page.limit, page.offset], [['Support'], 3, 1, 1])
  for (const query of ['limit=0', 'limit=201', 'offset=-1', 'is_active=yes', 'name=x', 'cursor=x'])
    t.same(codeOf(await own.api('GET', `assistants?${query}`)), [400, 'VALIDATION_ERROR'], query)
})

t.test('blocks take the places that requests give them', async (t) => {
  const { _id, blocks } = await created()
  const [first, second] = blocks.map((one: Json) => one._id)
  const [a, b, c] = [(await block('steps'))._id, (await block('steps'))._id, (await block('objective'))._id]
  const answer = await attach(_id, { block_id: a })
  t.equal(answer.status, 201, answer.text)
  t.match(answer.body, { block: { _id: a, type: 'steps', order: 2 } })
  t.match((await attach(_id, { block_id: b, order: 1 })).body.block, { _id: b, order: 1 })
  t.same(
    places(await blocksOf(_id)),
    [
      [first, 0],
      [b, 1],
      [second, 2],
      [a, 3],
    ],
    'the blocks in the way move',
  )
  t.match((await attach(_id, { block_id: c, order: 9 })).body.block, { order: 9 })
  t.match((await attach(_id, { block_id: c })).body.block, { order: 9 }, 'attaching it again changes nothing')
  t.match((await attach(_id, { block_id: c.toUpperCase(), order: 0 })).body.block, { _id: c, order: 0 }, 'or moves it')
  t.same(places(await blocksOf(_id)), [
    [c, 0],
    [first, 1],
    [b, 2],
    [second, 3],
    [a, 4],
  ])
  const page = (await tenant.api('GET', `assistants/${_id}/blocks?limit=2&offset=3`)).body
  t.same(
    [places(page.data), page.has_more],
    [
      [
        [second, 3],
        [a, 4],
      ],
      false,
    ],
  )
  t.equal((await tenant.api('GET', `assistants/${_id}/blocks?limit=2`)).body.has_more, true)

  t.equal((await tenant.api('DELETE', `assistants/${_id}/blocks/${first}`)).status, 204)
  t.same(codeOf(await tenant.api('DELETE', `assistants/${_id}/blocks/${first}`)), [404, 'NOT_FOUND'])
  t.same(places(await blocksOf(_id)), [
    [c, 0],
    [b, 2],
    [second, 3],
    [a, 4],
  ])
  t.equal((await tenant.api('GET', `blocks/${first}`)).status, 200, 'a detached block stays in the catalogue')
})

t.test('an assistant has one block of each identity type, and any number of others', async (t) => {
  const { _id } = await created()
  for (const type of ['objective', 'response-format']) {
    const [one, two] = [await block(type), await block(type)]
    await made(attach(_id, { block_id: one._id }))
    const refused = await attach(_id, { block_id: two._id })
    t.same(codeOf(refused), [400, 'ASSISTANT_DUPLICATE_IDENTITY_BLOCK'], type)
    t.same(refused.body.error.details, { type: one.type, block_id: one._id })
    t.equal((await tenant.api('DELETE', `assistants/${_id}/blocks/${one._id}`)).status, 204)
    t.equal((await attach(_id, { block_id: two._id })).status, 201, 'after the first was detached')
  }
  const personal = (await created()).blocks[0]._id
  t.same(codeOf(await attach(_id, { block_id: personal })), [400, 'ASSISTANT_DUPLICATE_IDENTITY_BLOCK'])
  for (const type of ['steps', 'steps', 'cases-possible', 'cases-possible']) {
    const { _id: block_id } = await block(type)
    t.equal((await attach(_id, { block_id })).status, 201, type)
  }
})

t.test('a block is used by several assistants, and an assistant has 50 at most', async (t) => {
  const [one, two] = [await created(), await created()]
  const shared = await block('steps')
  for (const { _id } of [one, two]) t.equal((await attach(_id, { block_id: shared._id })).status, 201)
  for (let n = 3; n < 50; n++) await made(attach(one._id, { block_id: (await block('steps'))._id }))
  const more = await attach(one._id, { block_id: (await block('steps'))._id })
  t.same([...codeOf(more), more.body.error.details], [422, 'BLOCK_LIMIT_REACHED', { limit: 50 }])
  t.equal((await attach(one._id, { block_id: shared._id, order: 0 })).status, 201, 'attached blocks still move')
  t.equal((await blocksOf(one._id)).length, 50)
})

t.test('requests that name nothing', async (t) => {
  const { _id } = await created()
  const { _id: block_id } = await block('steps')
  const theirs = (await block('steps', {}, other))._id
  for (const unknown of [nobody, theirs])
    t.same(codeOf(await attach(_id, { block_id: unknown })), [422, 'BLOCK_NOT_FOUND'])
  for (const body of [
    {},
    { block_id: 'x' },
    { block_id, order: -1 },
    { block_id, order: 1001 },
    { block_id, order: 1.5 },
  ])
    t.same(codeOf(await attach(_id, body)), [400, 'VALIDATION_ERROR'], JSON.stringify(body))
  const foreign = (await created({}, other))._id
  for (const unknown of ['x', nobody, foreign]) {
    for (const [method, path, body] of [
      ['GET', `assistants/${unknown}`],
      ['PATCH', `assistants/${unknown}`, { name: 'x' }],
      ['GET', `assistants/${unknown}/blocks`],
      ['POST', `assistants/${unknown}/blocks`, { block_id }],
      ['DELETE', `assistants/${unknown}/blocks/${block_id}`],
      ['DELETE', `assistants/${_id}/blocks/${unknown}`],
      ['GET', `assistants/${unknown}/prompt`],
    ] as [string, string, Json?][])
      t.same(codeOf(await tenant.api(method, path, body)), [404, 'NOT_FOUND'], `${method} ${path}`)
  }
})

t.test('scopes: reading and writing are apart', async (t) => {
  const { _id } = await created()
  const { project_id, user_id } = tenant
  const tokenWith = async (scope: string): Promise<string> =>
    (await made(world.operator('POST', 'tokens', { project_id, user_id, name: scope, scopes: [scope] }))).token
  const [reader, writer] = [await tokenWith('assistants:read'), await tokenWith('assistants:write')]
  const reads = ['assistants', `assistants/${_id}`, `assistants/${_id}/blocks`, `assistants/${_id}/prompt`, 'blocks']
  for (const path of reads) {
    t.equal((await tenant.api('GET', path, undefined, { token: reader })).status, 200, path)
    const refused = await tenant.api('GET', path, undefined, { token: writer })
    t.match(refused.body, {
      error: { code: 'INSUFFICIENT_SCOPE', details: { required: ['assistants:read'], missing: ['assistants:read'] } },
    })
  }
  const write = await tenant.api('POST', 'assistants', { name: 'x' }, { token: reader })
  t.match([write.status, write.body.error.details], [403, { required: ['assistants:write'] }])
  t.equal((await tenant.api('POST', 'assistants', { name: 'x' }, { token: writer })).status, 201)
})

t.test('an idempotency key makes one assistant; without one there are two', async (t) => {
  const own = await makeTenant(world)
  const keyed = (key: string, fields: Json = {}) =>
    own.api('POST', 'assistants', { name: 'Once', ...fields }, { headers: { 'idempotency-key': key } })
  const first = await keyed('once')
  const again = await keyed('once')
  t.same([again.status, again.headers['idempotent-replayed'], again.body], [201, 'true', first.body])
  t.same(codeOf(await keyed('once', { name: 'Twice' })), [422, 'IDEMPOTENCY_KEY_REUSED'])
  t.equal((await own.api('GET', 'assistants')).body.total, 1)
  await created({ name: 'Once' }, own)
  t.equal((await own.api('GET', 'assistants')).body.total, 2)
})
