/** Test calls of agents' tools: their arguments, their results, and tools that misbehave. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const stranger = await makeTenant(world)
const server = await startToolServer(t)

const ORDER = {
  type: 'object',
  properties: { number: { type: 'string', pattern: '^[A-Z]{2}\\d{4}$' }, count: { type: 'integer', minimum: 1 } },
  required: ['number'],
  additionalProperties: false,
}
const newTool = (fields: Json = {}, by = tenant) =>
  made(by.api('POST', 'agents/tools', { name: 'Look up an order', url: server.url('orders'), ...fields }))
const test = (id: string, values: Json = {}, by = tenant) =>
  by.api('POST', `agents/tools/${id}/test`, { arguments: values })

t.test('a test calls the tool once, as its method asks, and the call is recorded', async (t) => {
  const values = { number: 'AB1234', count: 2 }
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const { _id } = await newTool({
      method,
      url: server.url('orders?shop=1'),
      parameters: ORDER,
      headers: { 'X-Key': 'k' },
    })
    const before = server.requests.length
    const { status, body } = await test(_id, values)
    t.equal(status, 200)
    t.match(body, {
      tool_id: _id,
      arguments: values,
      succeeded: true,
      status_code: 200,
      error: null,
      is_truncated: false,
    })
    t.equal(body.response, '{"ok":true}')
    t.equal(server.requests.length, before + 1)
    const request = server.requests.at(-1)!
    t.equal(request.method, method)
    t.equal(request.headers['x-key'], 'k')
    const in_query = method === 'GET' || method === 'DELETE'
    t.equal(request.url, in_query ? '/orders?shop=1&number=AB1234&count=2' : '/orders?shop=1')
    t.equal(request.body, in_query ? '' : JSON.stringify(values))
    if (!in_query) t.equal(request.headers['content-type'], 'application/json')
    t.same((await tenant.api('GET', `agents/tools/${_id}/calls`)).body, {
      data: [body],
      next_cursor: null,
      has_more: false,
    })
  }
})

t.test('calls are listed newest first, in pages', async (t) => {
  const { _id } = await newTool()
  const made_calls = [await test(_id, { n: 1 }), await test(_id, { n: 2 }), await test(_id, { n: 3 })]
  const first = (await tenant.api('GET', `agents/tools/${_id}/calls?limit=2`)).body
  const second = (await tenant.api('GET', `agents/tools/${_id}/calls?limit=2&cursor=${first.next_cursor}`)).body
  t.same([...first.data, ...second.data], made_calls.map(({ body }) => body).reverse())
  t.equal(second.next_cursor, null)
})

t.test('a repeated test under one key calls the tool once', async (t) => {
  const { _id } = await newTool()
  const before = server.requests.length
  const once = () =>
    tenant.api('POST', `agents/tools/${_id}/test`, {}, { headers: { 'idempotency-key': `test ${_id}` } })
  const [first, second] = [await once(), await once()]
  t.same(second.body, first.body)
  t.equal(second.headers['idempotent-replayed'], 'true')
  t.equal(server.requests.length, before + 1)
})

const wrong: [what: string, values: Json, path: string][] = [
  ['a missing argument', {}, 'arguments.number'],
  ['an argument of another type', { number: 1 }, 'arguments.number'],
  ['an argument that does not fit its pattern', { number: 'x' }, 'arguments.number'],
  ['an unknown argument', { number: 'AB1234', more: 1 }, 'arguments.more'],
  ['too small a number', { number: 'AB1234', count: 0 }, 'arguments.count'],
]
for (const [what, values, path] of wrong) {
  t.test(`a test with ${what} is refused before the tool is called`, async (t) => {
    const { _id } = await newTool({ parameters: ORDER })
    const before = server.requests.length
    const { status, body } = await test(_id, values)
    t.same([status, body.error.code], [422, 'AGENT_TOOL_ARGUMENTS_INVALID'])
    t.equal(body.error.details.violations[0].path, path)
    t.ok(body.error.details.violations[0].message)
    t.equal(server.requests.length, before)
    t.same((await tenant.api('GET', `agents/tools/${_id}/calls`)).body.data, [])
  })
}

/** Tools that end in the limit of their time. The others have all the time that a busy machine needs. */
const SLOW = { drip: 2_000, hang: 2_000 } as Record<string, number>
const failing: [path: string, expected: Json][] = [
  ['drip', { status_code: 200, error: 'timeout', response: /^x*$/, is_truncated: true }],
  ['hang', { status_code: null, error: 'timeout', response: null, is_truncated: false }],
  ['reset', { status_code: null, error: 'connection_reset', response: null }],
  ['garbage', { status_code: null, error: 'invalid_response', response: null }],
  ['redirect', { status_code: 302, error: 'http_302', response: '' }],
  ['broken', { status_code: 500, error: 'http_500', response: 'oops', is_truncated: false }],
  ['short', { status_code: 200, response: 'half', is_truncated: true }],
]
for (const [path, expected] of failing) {
  t.test(`a tool that answers like "${path}" has failed, and the record tells how`, async (t) => {
    const { _id } = await newTool({ url: server.url(path), timeout_ms: SLOW[path] ?? 15_000 })
    const { status, body } = await test(_id)
    t.equal(status, 200)
    t.match(body, { succeeded: false, ...expected })
  })
}

t.test('a tool at an address that nobody serves has failed', async (t) => {
  const { _id } = await newTool({ url: 'http://127.0.0.1:1/' })
  t.match((await test(_id)).body, { succeeded: false, status_code: null, error: 'connection_refused' })
})

t.test('a response is read up to 16 KiB and ends with a whole character', async (t) => {
  const { _id } = await newTool({ url: server.url('flood') })
  const { body } = await test(_id)
  t.match(body, { succeeded: true, is_truncated: true })
  t.equal(body.response, 'é'.repeat(8_192))
})

t.test('a compressed response is not unpacked, and one with NUL can be stored', async (t) => {
  const packed = await newTool({ url: server.url('packed') })
  t.match((await test(packed._id)).body, { succeeded: true, response: null })
  const nul = await newTool({ url: server.url('nul') })
  t.match((await test(nul._id)).body, { succeeded: true, response: 'a\ufffdb' })
})

const expensive: [what: string, parameters: Json, values: Json][] = [
  [
    'references that double at each level',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/d0' } },
      $defs: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => {
          const next = { $ref: `#/$defs/d${n + 1}` }
          return [`d${n}`, n === 39 ? { const: 1 } : { anyOf: [{ allOf: [next] }, { allOf: [next] }] }]
        }),
      ),
    },
    { a: 2 },
  ],
  [
    'unique items among thousands of objects',
    { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } },
    { a: Array.from({ length: 6_000 }, (_, n) => ({ n })) },
  ],
]
for (const [what, parameters, values] of expensive) {
  t.test(`arguments that are expensive to check (${what}) do not hold up other requests`, async (t) => {
    const { _id } = await newTool({ parameters })
    const under_way = test(_id, values)
    let answered = 0
    let is_over = false
    void under_way.then(() => {
      is_over = true
    })
    while (!is_over && answered < 20) {
      t.equal((await tenant.api('GET', 'me')).status, 200)
      answered += 1
    }
    const { status } = await under_way
    t.ok([200, 422].includes(status), String(status))
    t.ok(answered > 0)
    t.equal((await tenant.api('POST', `agents/tools/${(await newTool())._id}/test`, {})).status, 200)
  })
}

t.test(
  'a project has few tests under way at once; others are told to wait, and other projects are served',
  async (t) => {
    const { _id } = await newTool({ url: server.url('hang'), timeout_ms: 3_000 })
    const answers = Array.from({ length: 8 }, () => test(_id))
    const settled = await Promise.all(answers)
    const statuses = settled.map(({ status }) => status)
    t.ok(statuses.filter((status) => status === 200).length >= 4)
    t.ok(statuses.includes(503))
    t.ok(settled.find(({ status }) => status === 503)!.headers['retry-after'])
    const theirs = await newTool({}, stranger)
    t.equal((await test(theirs._id, {}, stranger)).status, 200)
  },
)

t.test('arguments that take all the time of a check do not hold up the checks of another project', async (t) => {
  const part = { properties: { x: { $ref: '#/$defs/a' } }, required: ['y'] }
  const parameters = { type: 'object', $defs: { a: { anyOf: [part, part] } }, anyOf: [{ $ref: '#/$defs/a' }] }
  let values: Json = {}
  for (let level = 0; level < 28; level++) values = { x: values }
  const { _id } = await newTool({ parameters })
  const theirs = await newTool({ parameters: ORDER }, stranger)
  let ended = 0
  const bombs = Array.from({ length: 4 }, async () => {
    const { status } = await test(_id, values)
    ended += 1
    return status
  })
  for (let call = 0; call < 3; call++) {
    t.equal((await test(theirs._id, { number: 'AB1234' }, stranger)).status, 200)
  }
  t.ok(ended < bombs.length - 1, `${ended} of ${bombs.length} had ended`)
  t.strictSame(await Promise.all(bombs), [422, 422, 422, 422])
})

t.test('test calls are counted in the metrics', async (t) => {
  const { _id } = await newTool()
  const counted = async (): Promise<number> => {
    const text = await (await fetch(world.metrics_url())).text()
    const line = /^parley_agent_tool_call_duration_seconds_count\{outcome="succeeded"\} (\d+)$/m.exec(text)
    return Number(line?.[1] ?? 0)
  }
  // The page of metrics may be the one of a moment ago, without the calls of the tests before.
  const before = await counted()
  await test(_id)
  t.ok(await eventually('it is counted', async () => (await counted()) > before))
})
