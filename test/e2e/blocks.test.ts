/** The catalogue of blocks, the versions of their content, and the prompt. */
import t from 'tap'
import type { Answer, Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const other = await makeTenant(world)

const nobody = 'f'.repeat(24)
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const create = (path: string, fields: Json = {}, by: Tenant = tenant) =>
  by.api('POST', `blocks/${path}`, { name: 'A block', ...fields })
const created = async (path: string, fields: Json = {}, by: Tenant = tenant): Promise<Json> =>
  (await made(create(path, fields, by))).block
const save = (id: string, body: Json) => tenant.api('PUT', `blocks/${id}/content`, body)
const get = (path: string) => tenant.api('GET', path)

const types: [path: string, type: string, family: string][] = [
  ['response-format', 'response_format', 'identity'],
  ['objective', 'objective', 'identity'],
  ['steps', 'steps', 'instructions'],
  ['cases-possible', 'cases_possible', 'instructions'],
]

t.test('a block has a first version, empty or with content, and its family follows from its type', async (t) => {
  for (const [path, type, family] of types) {
    for (const fields of [{}, { content: '1. Greet\n  - by name' }]) {
      const { status, body } = await create(path, fields)
      t.equal(status, 201, path)
      t.same(Object.keys(body), ['block'])
      const { block } = body
      t.match(block, { name: 'A block', type, family, content_writable: true, is_archived: false })
      t.match(block.current_version_id, /^[0-9a-f]{24}$/)
      t.same((await get(`blocks/${block._id}`)).body, { block })
      const version = (await get(`blocks/${block._id}/content`)).body
      t.match(version, { _id: block.current_version_id, block_id: block._id, edit_mode: 'free', created_at: /Z$/ })
      t.equal(version.content, fields.content ?? '')
      t.notOk('payload' in version)
      t.same((await get(`blocks/${block._id}/versions/${version._id}`)).body, version)
    }
  }
})

const invalid: [what: string, fields: Json, path: string, code: string][] = [
  ['no name', { name: undefined }, 'name', 'required'],
  ['an empty name', { name: ' ' }, 'name', 'invalid_value'],
  ['a name of 151 characters', { name: '😀'.repeat(151) }, 'name', 'too_long'],
  ['content of 100001 characters', { content: 'x'.repeat(100_001) }, 'content', 'too_long'],
  ['a number as content', { content: 1 }, 'content', 'invalid_type'],
  ['a character that no text can have', { content: 'a\u0000b' }, 'content', 'invalid_character'],
  ...['type', 'family', 'company', 'project', 'metadata', 'created_by', 'edit_mode', 'payload'].map(
    (name): [string, Json, string, string] => [`the property ${name}`, { [name]: 'steps' }, name, 'unknown_property'],
  ),
]

t.test('an invalid block is refused with its violations, and nothing is written', async (t) => {
  const list = async () => (await get('blocks?limit=200')).body
  const before = await list()
  for (const [path] of types) {
    for (const [what, fields, at, code] of invalid) {
      const { status, body } = await create(path, fields)
      t.equal(status, 400, what)
      t.match(body.error, { code: 'VALIDATION_ERROR', details: { violations: [{ path: at, code }] } }, what)
    }
  }
  t.same(await list(), before)
  t.equal((await create('personification')).status, 405, 'other types cannot be created here')
})

t.test('content of 100000 characters is kept to the last, however it is written', async (t) => {
  const content = '😀'.repeat(100_000)
  const { _id } = await created('steps', { content })
  t.equal((await get(`blocks/${_id}/content`)).body.content, content)
  const escaped = `{"content":"${'\\ud83d\\ude00'.repeat(100_000)}"}`
  const headers = { 'content-type': 'application/json' }
  const saved = await tenant.api('PUT', `blocks/${_id}/content`, undefined, { raw: escaped, headers })
  t.equal(saved.status, 200, saved.text.slice(0, 200))
  t.equal(saved.body.content, content)
})

t.test('the list pages from the newest, without a total', async (t) => {
  const own = await makeTenant(world)
  const list = async (query: string): Promise<Json> => made(own.api('GET', `blocks?${query}`))
  const ids: string[] = []
  for (const path of ['steps', 'objective', 'steps', 'cases-possible', 'steps'])
    ids.push((await created(path, {}, own))._id)
  await made(own.api('POST', `blocks/${ids[4]}/archive`))
  const finds: [query: string, found: number[]][] = [
    ['', [3, 2, 1, 0]],
    ['include_archived=false', [3, 2, 1, 0]],
    ['include_archived=true', [4, 3, 2, 1, 0]],
    ['type=steps', [2, 0]],
    ['type=steps&include_archived=true', [4, 2, 0]],
    ['family=instructions', [3, 2, 0]],
    ['family=identity', [1]],
    ['family=information', []],
    ['family=identity&type=steps', []],
    ['type=tags', []],
  ]
  for (const [query, found] of finds) {
    const { data, ...rest } = await list(query)
    t.same(
      data.map(({ _id }: Json) => ids.indexOf(_id)),
      found,
      query,
    )
    t.same(rest, { has_more: false, next_cursor: null, limit: 50, offset: 0 })
    for (const block of data) t.notOk('content' in block)
  }
  const seen: string[] = []
  for (let offset = 0; ; offset += 2) {
    const { data, has_more } = await list(`limit=2&offset=${offset}`)
    seen.push(...data.map(({ _id }: Json) => _id))
    t.equal(has_more, seen.length < 4)
    if (!has_more) break
  }
  t.same(seen, [ids[3], ids[2], ids[1], ids[0]])
  for (const query of ['limit=0', 'limit=201', 'offset=-1', 'type=x', 'family=x', 'include_archived=1', 'search=x'])
    t.same(codeOf(await own.api('GET', `blocks?${query}`)), [400, 'VALIDATION_ERROR'], query)
})

t.test('every save is a version, and versions are kept', async (t) => {
  const { _id, current_version_id } = await created('steps', { content: 'One' })
  const second = (await save(_id, { content: 'Two' })).body
  t.match(second, { block_id: _id, edit_mode: 'free', content: 'Two' })
  const payload = { items: [{ kind: 'number', text: 'Three', items: [{ kind: 'bullet', text: 'now' }] }] }
  const third = (await save(_id, { edit_mode: 'assisted', payload })).body
  const kept = {
    items: [{ kind: 'number', number: 1, text: 'Three', items: [{ kind: 'bullet', text: 'now', items: [] }] }],
  }
  t.match(third, { edit_mode: 'assisted', payload: kept })
  t.same(third.payload, kept)
  t.notOk('content' in third)
  const fourth = (await save(_id, { edit_mode: 'free', content: '' })).body
  t.same((await get(`blocks/${_id}/content`)).body, fourth)
  t.equal((await get(`blocks/${_id}`)).body.block.current_version_id, fourth._id)
  const { data, has_more } = (await get(`blocks/${_id}/versions`)).body
  const first = (await get(`blocks/${_id}/versions/${current_version_id}`)).body
  t.equal(first.content, 'One')
  const summaries = [fourth, third, second, first].map(({ content, payload, ...rest }) => rest)
  t.same(data, summaries, 'the list has no content')
  t.equal(has_more, false)
  const page = (await get(`blocks/${_id}/versions?limit=2&offset=1`)).body
  t.same([page.data, page.has_more, page.limit, page.offset], [summaries.slice(1, 3), true, 2, 1])
  for (const version of [fourth, third, second])
    t.same((await get(`blocks/${_id}/versions/${version._id.toUpperCase()}`)).body, version)
  const saves = Array.from({ length: 8 }, (_, n) => save(_id, { content: `Race ${n}` }))
  const answers = await Promise.all(saves)
  const all = (await get(`blocks/${_id}/versions`)).body.data
  t.equal(all.length, 12, 'concurrent saves all become versions')
  const current = (await get(`blocks/${_id}/content`)).body
  t.ok(answers.some(({ body }) => body._id === current._id))
})

t.test('content that does not fit its mode is refused', async (t) => {
  const { _id } = await created('steps')
  const items = [{ kind: 'bullet', text: 'x' }]
  const cases: [body: Json, paths: string[]][] = [
    [{}, ['content']],
    [{ content: null }, ['content']],
    [{ content: 'x'.repeat(100_001) }, ['content']],
    [{ content: 'x', payload: { items } }, ['payload']],
    [{ payload: { items } }, ['content', 'payload']],
    [{ edit_mode: 'assisted' }, ['payload']],
    [{ edit_mode: 'assisted', content: 'x' }, ['content', 'payload']],
    [{ edit_mode: 'other', content: 'x' }, ['edit_mode']],
    [{ edit_mode: 'assisted', payload: [] }, ['payload']],
    [{ edit_mode: 'assisted', payload: {} }, ['payload.items']],
    [
      { edit_mode: 'assisted', payload: { items: [{ kind: 'bullet' }, { kind: 'x' }] } },
      ['payload.items.0.text', 'payload.items.1.kind'],
    ],
    [{ edit_mode: 'assisted', payload: { items: [{ kind: 'bullet', text: 'x'.repeat(100_000) }] } }, ['payload']],
    [{ content: 'x', name: 'y' }, ['name']],
  ]
  for (const [body, paths] of cases) {
    const answer = await save(_id, body)
    t.same(codeOf(answer), [400, 'VALIDATION_ERROR'], JSON.stringify(body).slice(0, 80))
    const found = answer.body.error.details.violations.map(({ path }: Json) => path).sort()
    t.same([...new Set(found)], paths, JSON.stringify(body).slice(0, 80))
  }
  t.equal((await get(`blocks/${_id}/versions`)).body.data.length, 1)
})

t.test('the content of a block that was never saved is not found', async (t) => {
  const { blocks } = (await made(tenant.api('POST', 'assistants', { name: 'Ana' }))).assistant
  for (const { _id } of blocks) {
    t.same(codeOf(await get(`blocks/${_id}/content`)), [404, 'BLOCK_CONTENT_NOT_FOUND'])
    t.same((await get(`blocks/${_id}/versions`)).body.data, [])
    t.equal((await save(_id, { content: 'Hello' })).status, 200)
    t.equal((await get(`blocks/${_id}/content`)).body.content, 'Hello')
  }
})

t.test('the content of catalogue types is written by operators alone, and read by all', async (t) => {
  const { project_id } = tenant
  for (const type of ['product_info', 'store_info', 'reservation_info', 'tables_info', 'tags']) {
    const made_by = { project_id, type, name: 'Catalogue', content: 'From the operator' }
    const { _id } = await made(operator('POST', 'blocks', made_by))
    const { block } = (await get(`blocks/${_id}`)).body
    t.match(block, { type, family: 'information', content_writable: false })
    const refused = await save(_id, { content: 'Mine' })
    t.same(codeOf(refused), [409, 'BLOCK_CONTENT_NOT_WRITABLE'], type)
    const version = (await get(`blocks/${_id}/content`)).body
    t.equal(version.content, 'From the operator')
    t.same((await get(`blocks/${_id}/versions/${version._id}`)).body, version)
    t.equal((await operator('PUT', `blocks/${_id}/content`, { content: 'New' })).status, 200)
    t.equal((await get(`blocks/${_id}/content`)).body.content, 'New')
  }
})

t.test('blocks are renamed, archived and shown again', async (t) => {
  const block = await created('steps')
  const path = `blocks/${block._id}`
  t.match((await tenant.api('PATCH', path, { name: 'Renamed' })).body, { block: { name: 'Renamed', type: 'steps' } })
  for (const body of [{ name: '' }, { type: 'tags' }, { is_archived: true }])
    t.same(codeOf(await tenant.api('PATCH', path, body)), [400, 'VALIDATION_ERROR'], JSON.stringify(body))
  for (const [verb, is_archived] of [
    ['archive', true],
    ['archive', true],
    ['unarchive', false],
    ['unarchive', false],
  ] as const) {
    const { status, body } = await tenant.api('POST', `${path}/${verb}`)
    t.same([status, body.block.is_archived], [200, is_archived], verb)
    const listed = (await get('blocks?limit=200')).body.data.some(({ _id }: Json) => _id === block._id)
    t.equal(listed, !is_archived)
    t.equal((await get(path)).body.block.is_archived, is_archived)
  }
})

t.test('the prompt follows the order of the blocks, archived ones included, until they are detached', async (t) => {
  const { _id, blocks } = (await made(tenant.api('POST', 'assistants', { name: 'Ana' }))).assistant
  const prompt = async (): Promise<string> => (await made(get(`assistants/${_id}/prompt`))).prompt
  await made(save(blocks[0]._id, { content: 'You are Ana.' }))
  const steps = await created('steps', { name: 'Greeting', content: '1. Greet\n  - by name\n# After\n2. Close' })
  const goal = await created('objective', { content: 'Sell.' })
  await made(tenant.api('POST', `assistants/${_id}/blocks`, { block_id: steps._id }))
  await made(tenant.api('POST', `assistants/${_id}/blocks`, { block_id: goal._id, order: 1 }))
  const whole =
    '# Personality\n\nYou are Ana.\n\n# Objective\n\nSell.\n\n# Steps: Greeting\n\n1. Greet\n  - by name\n## After\n2. Close'
  t.equal(await prompt(), whole)
  await made(tenant.api('POST', `blocks/${steps._id}/archive`))
  t.equal(await prompt(), whole)
  const items = [
    { kind: 'number', text: 'Ask' },
    { kind: 'number', text: 'Thank' },
  ]
  await made(save(steps._id, { edit_mode: 'assisted', payload: { items } }))
  t.match(await prompt(), /# Steps: Greeting\n\n1\. Ask\n2\. Thank$/)
  t.equal((await tenant.api('DELETE', `assistants/${_id}/blocks/${steps._id}`)).status, 204)
  t.equal(await prompt(), '# Personality\n\nYou are Ana.\n\n# Objective\n\nSell.')
})

t.test('requests that name nothing', async (t) => {
  const [one, two] = [await created('steps'), await created('steps')]
  const theirs = await created('steps', {}, other)
  const version = (id: string, version_id: string) => get(`blocks/${id}/versions/${version_id}`)
  for (const unknown of ['x', nobody, two.current_version_id, theirs.current_version_id])
    t.same(codeOf(await version(one._id, unknown)), [404, 'BLOCK_VERSION_NOT_FOUND'], unknown)
  for (const unknown of ['x', nobody, theirs._id]) {
    for (const [method, path, body] of [
      ['GET', `blocks/${unknown}`],
      ['PATCH', `blocks/${unknown}`, { name: 'x' }],
      ['GET', `blocks/${unknown}/content`],
      ['PUT', `blocks/${unknown}/content`, { content: 'x' }],
      ['GET', `blocks/${unknown}/versions`],
      ['GET', `blocks/${unknown}/versions/${theirs.current_version_id}`],
      ['POST', `blocks/${unknown}/archive`],
      ['POST', `blocks/${unknown}/unarchive`],
    ] as [string, string, Json?][])
      t.same(codeOf(await tenant.api(method, path, body)), [404, 'NOT_FOUND'], `${method} ${path}`)
  }
  t.match((await other.api('GET', `blocks/${theirs._id}/content`)).body, { content: '' })
})

t.test('the content of catalogue types needs no other scope to be read; saving needs assistants:write', async (t) => {
  const { _id } = await created('steps')
  const { project_id, user_id } = tenant
  const fields = { project_id, user_id, name: 'Reader', scopes: ['assistants:read'] }
  const { token } = await made(operator('POST', 'tokens', fields))
  t.equal((await tenant.api('GET', `blocks/${_id}/content`, undefined, { token })).status, 200)
  for (const [method, path, body] of [
    ['POST', 'blocks/steps', { name: 'x' }],
    ['PUT', `blocks/${_id}/content`, { content: 'x' }],
    ['POST', `blocks/${_id}/archive`, undefined],
  ] as const) {
    const refused = await tenant.api(method, path, body, { token })
    t.match([refused.status, refused.body.error.details], [403, { missing: ['assistants:write'] }], `${method} ${path}`)
  }
})
