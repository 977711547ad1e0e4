/** Records of agents' tools. One file, because each refused value belongs to one table. */
import t from 'tap'
import { AgentTool, openDatabase, readRows } from '../../storage/mod.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const stranger = await makeTenant(world)
const server = await startToolServer(t)
const nobody = 'f'.repeat(24)

const ORDER = {
  type: 'object',
  properties: { number: { type: 'string', pattern: '^[A-Z]{2}\\d{4}$' }, count: { type: 'integer', minimum: 1 } },
  required: ['number'],
  additionalProperties: false,
}
const FIELDS = [
  ...['_id', 'created_at', 'description', 'headers', 'is_active', 'method', 'name', 'parameters', 'timeout_ms'],
  ...['updated_at', 'url'],
]
const newTool = (fields: Json = {}, by = tenant) =>
  made(by.api('POST', 'agents/tools', { name: 'Look up an order', url: server.url('orders'), ...fields }))
const test = (id: string, values: Json = {}, by = tenant) =>
  by.api('POST', `agents/tools/${id}/test`, { arguments: values })

t.test('a tool is kept as it was sent, and the values of its headers are never shown again', async (t) => {
  const sent = {
    name: 'Look up an order',
    description: 'Finds the order with this number.',
    url: server.url('orders?shop=1'),
    method: 'PUT',
    headers: { Authorization: 'Bearer secret', 'X-Shop': 'one' },
    parameters: ORDER,
    timeout_ms: 5000,
    is_active: false,
  }
  const { status, body, text } = await tenant.api('POST', 'agents/tools', sent)
  t.equal(status, 201)
  t.same(Object.keys(body).sort(), FIELDS)
  t.match(body, { ...sent, headers: { Authorization: '[redacted]', 'X-Shop': '[redacted]' } })
  t.notMatch(text, /secret/)
  t.same((await tenant.api('GET', `agents/tools/${body._id}`)).body, body)
  t.same((await tenant.api('GET', 'agents/tools')).body.data[0], body)
  const database = await openDatabase({ url: world.config.database_url!, secret: undefined, pool_size: 1 })
  t.teardown(() => database.close())
  const [row] = await readRows(database, AgentTool, { _id: body._id })
  t.notMatch(row!.headers, /secret/)
})

t.test('a tool needs a name and an address alone', async (t) => {
  t.match(await newTool(), {
    description: '',
    method: 'POST',
    headers: {},
    parameters: { type: 'object', properties: {} },
    timeout_ms: 10_000,
    is_active: true,
  })
})

const deep = (levels: number): Json => (levels === 0 ? {} : { type: 'object', properties: { a: deep(levels - 1) } })
const ok = { name: 'x', url: 'https://example.com/tool' }
const refused: [what: string, body: Json, path: string, code: string][] = [
  ['no name', { url: ok.url }, 'name', 'required'],
  ['a blank name', { ...ok, name: ' ' }, 'name', 'invalid_value'],
  ['a name of two lines', { ...ok, name: 'a\nb' }, 'name', 'invalid_value'],
  ['a name of 121 characters', { ...ok, name: 'x'.repeat(121) }, 'name', 'too_long'],
  ['no address', { name: 'x' }, 'url', 'required'],
  ['plain http', { ...ok, url: 'http://example.com/' }, 'url', 'invalid_value'],
  ['a private address', { ...ok, url: 'https://10.0.0.1/' }, 'url', 'invalid_value'],
  ['a password in the address', { ...ok, url: 'https://a:b@example.com/' }, 'url', 'invalid_value'],
  ['another method', { ...ok, method: 'TRACE' }, 'method', 'invalid_value'],
  ['a reserved header', { ...ok, headers: { Host: 'x' } }, 'headers.Host', 'invalid_value'],
  ['a line break in a header', { ...ok, headers: { A: 'x\r\nb: c' } }, 'headers.A', 'invalid_value'],
  ['a description of 2001 characters', { ...ok, description: 'x'.repeat(2001) }, 'description', 'too_long'],
  ['no time at all', { ...ok, timeout_ms: 0 }, 'timeout_ms', 'too_small'],
  ['too much time', { ...ok, timeout_ms: 15_001 }, 'timeout_ms', 'too_large'],
  ['parameters that are no object', { ...ok, parameters: { type: 'string' } }, 'parameters.type', 'invalid_value'],
  ['parameters without a type', { ...ok, parameters: {} }, 'parameters.type', 'invalid_value'],
  [
    'parameters with a list of no values',
    { ...ok, parameters: { type: 'object', properties: { a: { enum: [] } } } },
    'parameters.properties.a.enum',
    'invalid_value',
  ],
  [
    'parameters that are no schema',
    { ...ok, parameters: { type: 'object', properties: { a: { type: 'text' } } } },
    'parameters.properties.a.type',
    'invalid_value',
  ],
  [
    'another dialect',
    { ...ok, parameters: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' } },
    'parameters.$schema',
    'invalid_value',
  ],
  [
    'a remote reference',
    { ...ok, parameters: { type: 'object', properties: { a: { $ref: 'https://example.com/schema' } } } },
    'parameters.properties.a.$ref',
    'invalid_value',
  ],
  [
    'a reference to nothing',
    { ...ok, parameters: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } },
    'parameters.properties.a.$ref',
    'invalid_value',
  ],
  [
    'a pattern with a back reference',
    { ...ok, parameters: { type: 'object', properties: { a: { pattern: '(a)\\1' } } } },
    'parameters.properties.a.pattern',
    'invalid_value',
  ],
  [
    'a pattern with a back reference in an argument with the name of a keyword',
    { ...ok, parameters: { type: 'object', properties: { properties: { pattern: '(a)\\1' } } } },
    'parameters.properties.properties.pattern',
    'invalid_value',
  ],
  [
    'a pattern with flags',
    { ...ok, parameters: { type: 'object', properties: { a: { pattern: '(?i)[a-z]' } } } },
    'parameters.properties.a.pattern',
    'invalid_value',
  ],
  [
    'a pattern that quotes operators, of which it hides the others',
    { ...ok, parameters: { type: 'object', properties: { a: { pattern: `\\Q[\\E${'a{1000}'.repeat(60)}` } } } },
    'parameters.properties.a.pattern',
    'invalid_value',
  ],
  [
    'patterns that are too large together',
    {
      ...ok,
      parameters: { type: 'object', properties: { a: { pattern: 'a{900}'.repeat(5) }, b: { pattern: '(ab){300}' } } },
    },
    'parameters.properties.b.pattern',
    'invalid_value',
  ],
  ['too deep a schema', { ...ok, parameters: deep(13) }, '', 'invalid_value'],
  [
    'too long a schema',
    { ...ok, parameters: { type: 'object', description: 'x'.repeat(33_000) } },
    'parameters',
    'invalid_value',
  ],
  ['an unknown property', { ...ok, company: nobody }, 'company', 'unknown_property'],
  ['a project', { ...ok, project: nobody }, 'project', 'unknown_property'],
]

for (const [what, body, path, code] of refused) {
  t.test(`a tool with ${what} is refused, and nothing is written`, async (t) => {
    const before = (await tenant.api('GET', 'agents/tools')).body.total
    const answer = await tenant.api('POST', 'agents/tools', body)
    t.equal(answer.status, 400, answer.text)
    const found = answer.body.error.details.violations
    t.ok(
      found.some((one: Json) => one.code === code && (path === '' || one.path === path)),
      JSON.stringify(found),
    )
    t.equal((await tenant.api('GET', 'agents/tools')).body.total, before)
  })
}

t.test('names of arguments that look like keywords are names', async (t) => {
  const parameters = { type: 'object', properties: { pattern: { type: 'string' }, $ref: { type: 'string' }, $id: {} } }
  const { _id } = await newTool({ parameters })
  t.match((await test(_id, { pattern: 'x', $ref: 'y' })).body, { succeeded: true })
})

t.test('an escaped bracket before a question mark is no flag', async (t) => {
  const parameters = {
    type: 'object',
    properties: { phone: { type: 'string', pattern: '^\\(?\\d{3}\\)?-[(?]?\\d{4}$' } },
  }
  const { _id } = await newTool({ parameters })
  t.match((await test(_id, { phone: '(555)-0199' })).body, { succeeded: true })
  t.equal((await test(_id, { phone: '[555]-0199' })).status, 422)
})

t.test('a change replaces only what it names, and a redacted header keeps its value', async (t) => {
  const tool = await newTool({ headers: { Authorization: 'Bearer secret', 'X-Old': 'old' }, parameters: ORDER })
  const patch = { headers: { Authorization: '[redacted]', 'X-New': 'new' }, is_active: false }
  const { status, body } = await tenant.api('PATCH', `agents/tools/${tool._id}`, patch)
  t.equal(status, 200)
  t.match(body, { ...tool, updated_at: String, is_active: false, headers: { Authorization: '[redacted]' } })
  t.same(Object.keys(body.headers), ['Authorization', 'X-New'])
  t.equal((await test(tool._id, { number: 'AB1234' })).status, 200, 'a tool that is switched off can be tested')
  t.match(server.requests.at(-1)!.headers, { authorization: 'Bearer secret', 'x-new': 'new' })
  t.notOk('x-old' in server.requests.at(-1)!.headers)
  t.same((await tenant.api('PATCH', `agents/tools/${tool._id}`, {})).body.headers, body.headers)
})

t.test('a redacted header that has no present value is refused, and nothing is written', async (t) => {
  const tool = await newTool({ headers: { Authorization: 'Bearer secret' } })
  const headers = { authorization: '[redacted]', 'X-New': '[redacted]' }
  const before = (await tenant.api('GET', 'agents/tools')).body.total
  const answers = [
    await tenant.api('PATCH', `agents/tools/${tool._id}`, { headers, is_active: false }),
    await tenant.api('POST', 'agents/tools', { ...ok, headers: { 'X-New': '[redacted]' } }),
  ]
  for (const { status, body } of answers) {
    t.equal(status, 400)
    t.match(body.error, { code: 'VALIDATION_ERROR', message: /^headers\.X-New keeps a present value/ })
    t.match(body.error.details.violations, [{ path: 'headers.X-New', code: 'invalid_value' }])
    t.equal(body.error.details.violations.length, 1)
  }
  t.equal((await tenant.api('GET', 'agents/tools')).body.total, before)
  t.same((await tenant.api('GET', `agents/tools/${tool._id}`)).body, tool)
})

t.test('a redacted header keeps its value under a name in another case', async (t) => {
  const tool = await newTool({ headers: { Authorization: 'Bearer kept' } })
  const { status, body } = await tenant.api('PATCH', `agents/tools/${tool._id}`, {
    headers: { authorization: '[redacted]' },
  })
  t.equal(status, 200)
  t.same(body.headers, { authorization: '[redacted]' })
  t.equal((await test(tool._id, {})).status, 200)
  t.match(server.requests.at(-1)!.headers, { authorization: 'Bearer kept' })
})

t.test('the list filters by state and name, and counts', async (t) => {
  const lister = await makeTenant(world)
  const [red, blue] = [
    await newTool({ name: 'Red' }, lister),
    await newTool({ name: 'Blue', is_active: false }, lister),
  ]
  const cases: [query: string, ids: string[]][] = [
    ['', [blue._id, red._id]],
    ['?is_active=true', [red._id]],
    ['?is_active=false', [blue._id]],
    ['?search=RE', [red._id]],
    ['?search=%25', []],
    [`?agent_id=${nobody}`, []],
    ['?limit=1&offset=1', [red._id]],
  ]
  for (const [query, ids] of cases) {
    const { body } = await lister.api('GET', `agents/tools${query}`)
    t.same(
      body.data.map(({ _id }: Json) => _id),
      ids,
      query,
    )
  }
  t.match((await lister.api('GET', 'agents/tools?limit=1')).body, { total: 2, limit: 1, offset: 0 })
  for (const query of ['?is_active=1', '?limit=0', '?limit=201', '?offset=-1', '?name=x', '?agent_id=x']) {
    t.equal((await lister.api('GET', `agents/tools${query}`)).status, 400, query)
  }
})

t.test('a tool of another project is not there, except for deletion within the company', async (t) => {
  const { _id } = await newTool()
  for (const by of [sister, stranger]) {
    t.equal((await by.api('GET', `agents/tools/${_id}`)).status, 404)
    t.equal((await by.api('GET', `agents/tools/${_id}/calls`)).status, 404)
    t.equal((await by.api('PATCH', `agents/tools/${_id}`, { name: 'Mine' })).status, 404)
    t.equal((await test(_id, {}, by)).status, 404)
    t.notMatch((await by.api('GET', 'agents/tools')).text, new RegExp(_id))
  }
  t.equal((await stranger.api('DELETE', `agents/tools/${_id}`)).status, 404)
  t.equal((await tenant.api('GET', `agents/tools/${_id}`)).status, 200)
  const gone = await sister.api('DELETE', `agents/tools/${_id}`)
  t.same([gone.status, gone.text], [204, ''])
  t.equal((await sister.api('DELETE', `agents/tools/${_id}`)).status, 404)
  t.equal((await tenant.api('GET', `agents/tools/${_id}`)).status, 404)
})

for (const [method, path] of [
  ['GET', 'x'],
  ['GET', nobody],
  ['PATCH', nobody],
  ['DELETE', 'x'],
  ['DELETE', nobody],
  ['POST', `${nobody}/test`],
  ['GET', `${nobody}/calls`],
] as const) {
  t.test(`${method} of ${path} is not found`, async (t) => {
    const { status, body } = await tenant.api(method, `agents/tools/${path}`, method === 'GET' ? undefined : {})
    t.same([status, body.error.code], [404, 'NOT_FOUND'])
  })
}

t.test('reading and writing need their scopes', async (t) => {
  const { _id } = await newTool()
  const { body } = await world.operator('POST', 'tokens', {
    project_id: tenant.project_id,
    user_id: tenant.user_id,
    name: 'Reader',
    scopes: ['agents:read'],
  })
  const ask = (method: string, path: string, json?: Json) =>
    world.http(method, `${world.base_url}/v1/agents/tools${path}`, { token: body.token, json })
  t.equal((await ask('GET', '')).status, 200)
  for (const [method, path, json] of [
    ['POST', '', ok],
    ['PATCH', `/${_id}`, {}],
    ['DELETE', `/${_id}`, undefined],
    ['POST', `/${_id}/test`, {}],
  ] as const) {
    const { status, body } = await ask(method, path, json)
    t.same([status, body.error.details.missing], [403, ['agents:write']], `${method} ${path}`)
  }
})

t.test('operators see all tools, and switch one off', async (t) => {
  const tool = await newTool({ headers: { Authorization: 'Bearer secret' } })
  const query = `agent-tools?project_id=${tenant.project_id}&limit=1`
  const listed = (await world.operator('GET', query)).body.data[0]
  t.match(listed, { ...tool, project_id: tenant.project_id, company_id: tenant.company_id })
  const path = `agent-tools/${tool._id}`
  t.same((await world.operator('GET', path)).body, listed)
  const off = await world.operator('PATCH', path, { is_active: false })
  t.same([off.status, off.body.is_active], [200, false])
  t.match((await tenant.api('GET', `agents/tools/${tool._id}`)).body, { is_active: false })
  t.equal((await world.operator('PATCH', path, { name: 'x' })).status, 400)
  t.equal((await world.operator('PATCH', `agent-tools/${nobody}`, { is_active: false })).status, 404)
  t.equal((await world.operator('GET', `agent-tools/${nobody}`)).status, 404)
})
