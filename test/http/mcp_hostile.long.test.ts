/** Bodies made to cost the MCP endpoint more than their length, and senders who take more than their share. */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import t from 'tap'
import { mcpRoute } from '../../http/mcp/mcp_route.ts'
import { silentLog } from '../../runtime/mod.ts'
import { BOMBS, countedBytes } from '../support/hostile/bombs.ts'
import { usualCost } from '../support/hostile/cost.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { admitting, startTestServer } from './test_server.ts'

/** Nearly the largest body. */
const BYTES = 1_000_000
/**
 * A multiple of the cost of parsing ordinary JSON of the same length. The worst is 30 to 47: a broadcast that asks for
 * its confirmation. The rest is for a busy machine, and for the work of the client in this process.
 */
const MAX = 60

const PLACES: Record<string, (bomb: string) => string> = {
  'the whole body': (bomb) => bomb,
  'a batch': (bomb) => `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},${bomb}]`,
  id: (bomb) => `{"jsonrpc":"2.0","id":${bomb},"method":"tools/list"}`,
  method: (bomb) => `{"jsonrpc":"2.0","id":1,"method":${bomb}}`,
  'params of an unknown method': (bomb) => `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"a":${bomb}}}`,
  'a field beside the params': (bomb) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","zz":${bomb}}`,
  'the name of a tool': (bomb) => call(`"name":${bomb}`),
  'arguments of a tool': (bomb) => call(`"name":"create_contact","arguments":{"custom_fields":${bomb}}`),
  'all arguments': (bomb) => call(`"name":"create_contact","arguments":${bomb}`),
  'arguments that are confirmed': (bomb) => call(`"name":"send_bulk","arguments":{"recipients":${bomb}}`),
  'arguments of api_call': (bomb) =>
    call(`"name":"api_call","arguments":{"operation":"update_ticket","arguments":{"id":${bomb}}}`),
  'the query of api_search': (bomb) => call(`"name":"api_search","arguments":{"query":${bomb}}`),
  'answers of the user': (bomb) => call(`"name":"delete_webhook","inputResponses":{"confirm":${bomb}}`),
  'the state': (bomb) => call(`"name":"delete_webhook","requestState":${bomb}`),
  'the cursor': (bomb) => `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":${bomb}}}`,
  'the first message': (bomb) => `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${bomb}}`,
  'the capabilities of a client': (bomb) =>
    initialize(`"capabilities":${bomb},"clientInfo":{"name":"a","version":"1"}`),
  'the icons of a client': (bomb) =>
    initialize(`"capabilities":{},"clientInfo":{"name":"a","version":"1","icons":${bomb}}`),
  'a result': (bomb) => `{"jsonrpc":"2.0","id":1,"result":${bomb}}`,
  'the meta data': (bomb) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"zz":${bomb}}}}`,
}

const ENVELOPE = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
})

function call(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`
}

function initialize(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",${params}}}`
}

const { route, stop } = mcpRoute({ routes: allRoutes(), base_url: 'http://localhost', log: silentLog })
t.teardown(stop)
let gate = Promise.withResolvers<void>()
gate.resolve()
const {
  call: ask,
  send,
  tenant,
} = await startTestServer(t, {
  routes: [route],
  peek: false,
  async project(message) {
    if (message.command?.type === 'read_identity') await gate.promise
    return admitting(message)
  },
})
const accept = 'application/json, text/event-stream'

function post(body: string, headers: Record<string, string> = {}) {
  const all = { accept, 'content-type': 'application/json', ...headers }
  return ask('/v1/mcp', { method: 'POST', raw: body, headers: all })
}

/** Seconds for each MiB, before the parts of a message were counted. */
const KNOWN = BOMBS.filter(({ name }) => name.startsWith('list of')).map((bomb) => ({
  place: 'the icons of a client',
  bomb,
  is_modern: false,
}))

t.test('a body bomb anywhere in a message costs linear time', async (t) => {
  await post(call('"name":"get_me"'))
  const cases = fc.record({
    place: fc.constantFrom(...Object.keys(PLACES)),
    bomb: fc.constantFrom(...BOMBS),
    is_modern: fc.boolean(),
  })
  let worst = { times: 0, what: '' }
  const costOf = async (body: string, is_modern: boolean) => {
    const method = /"method":"([\w/]{1,60})"/.exec(body)?.[1] ?? 'ping'
    const name = /"name":"(\w{1,60})"/.exec(body)?.[1]
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    }
    const sent = is_modern ? body.replace('"params":{', `"params":{"_meta":${ENVELOPE},`) : body
    const before = process.threadCpuUsage()
    const { status } = await post(sent, is_modern ? headers : {})
    const { user, system } = process.threadCpuUsage(before)
    t.ok(status < 500, `status ${status}`)
    return (user + system) / 1000
  }
  await fc.assert(
    fc.asyncProperty(cases, async ({ place, bomb, is_modern }) => {
      const body = PLACES[place]!(bomb.text(BYTES, '{}'))
      if (Buffer.byteLength(body) > 1024 * 1024) return
      const counted = countedBytes(bomb, Buffer.byteLength(body))
      // Both are measured in the same moment: what else the machine does makes both dearer.
      const timesUsual = async () => ((await costOf(body, is_modern)) * 1024 * 1024) / counted / usualCost()
      let times = await timesUsual()
      // Other work of the thread counts, too, so the least of several is the cost of the body.
      for (let again = 0; again < 5 && times > MAX / 2; again++) times = Math.min(times, await timesUsual())
      if (times > worst.times) worst = { times, what: `${place}, ${bomb.name}` }
      if (times > MAX) throw new Error(`${place}, ${bomb.name}: ${times.toFixed(1)} times usual JSON`)
    }),
    { numRuns: 60, examples: KNOWN.map((one) => [one]) },
  )
  t.comment(`the worst cost ${worst.times.toFixed(1)} times usual JSON: ${worst.what}`)
})

t.test('a sender without a token is refused before the body', async (t) => {
  const head = 'POST /v1/mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n'
  t.match(await send(head, /\r\n\r\n/), /^HTTP\/1\.1 401 /, 'no byte of it was sent')
})

t.test('a body beyond the limit, of another type or not a single message is refused', async (t) => {
  t.match(await post(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`), { status: 413 })
  t.match(await ask('/v1/mcp', { method: 'POST', raw: 'a=b', headers: { accept } }), { status: 415 })
  t.match(await post('{'), { status: 400, body: { error: { code: -32700 }, id: null } })
  t.match(await post('[]'), { status: 400, body: { error: { code: -32600 }, id: null } })
  t.match(await ask('/v1/mcp', { method: 'GET' }), { status: 405 })
  t.match(await ask('/v1/mcp', { method: 'DELETE' }), { status: 405 })
})

t.test('pages of other sites are refused', async (t) => {
  const me = call('"name":"get_me"')
  t.match(await post(me, { origin: 'http://evil.example' }), { status: 403 })
  t.match(await post(me, { origin: 'null' }), { status: 403 })
  t.match(await post(me, { origin: 'http://localhost:6274' }), { status: 200 })
})

t.test('of several X-MCP-Readonly none is overlooked', async (t) => {
  const body = call('"name":"create_note","arguments":{"content":"a"}')
  for (const values of [['true'], ['true', 'false'], ['false', 'true']]) {
    const head = [
      'POST /v1/mcp HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${tenant.secret}`,
      'Content-Type: application/json',
      `Accept: ${accept}`,
      ...values.map((value) => `X-MCP-Readonly: ${value}`),
      `Content-Length: ${body.length}`,
    ]
    t.match(await send(`${head.join('\r\n')}\r\n\r\n${body}`, /"id":1/), /READ_ONLY/, values.join())
  }
})

t.test('an argument with the name of a part of all objects is refused like any other', async (t) => {
  for (const name of ['constructor', 'toString']) {
    const answer = await post(call(`"name":"create_note","arguments":{"content":"a","${name}":{"type":"call"}}`))
    t.match(answer.text, new RegExp(`${name} is not known here`))
  }
})

t.test('behind a proxy, an operation knows the client that the proxy knows', async (t) => {
  const config = { production: true, trusted_proxies: ['127.0.0.1'] }
  const origins: unknown[] = []
  const server = await startTestServer(t, {
    routes: [route],
    config,
    project(message) {
      if (message.origin) origins.push(message.origin)
      return admitting(message)
    },
  })
  const body = call('"name":"create_knowledge_node","arguments":{"type":"folder","name":"A"}')
  const headers = { accept, 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' }
  const plain = await server.call('/v1/mcp', { method: 'POST', raw: body, headers })
  t.match(plain, { status: 403 }, 'not over TLS')
  const over_tls = { ...headers, 'x-forwarded-proto': 'https' }
  t.match(await server.call('/v1/mcp', { method: 'POST', raw: body, headers: over_tls }), { status: 200 })
  t.match(origins, [{ address: '192.0.2.7', action: 'create_knowledge_node' }])
})

t.test('the call of a client that leaves ends', async (t) => {
  const left = Promise.withResolvers<void>()
  const { route } = mcpRoute({ routes: [], base_url: 'http://localhost', log: silentLog }, () => {
    const server = new McpServer({ name: 'endless', version: '1' })
    server.registerTool('wait', { inputSchema: fromJsonSchema({ type: 'object' }) }, async (_, { mcpReq }) => {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 1, progress: 0 } })
      await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve))
      left.resolve()
      return { content: [] }
    })
    return server
  })
  const server = await startTestServer(t, { routes: [route] })
  const body = call('"name":"wait","arguments":{}')
  const head = [
    'POST /v1/mcp HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${server.tenant.secret}`,
    'Content-Type: application/json',
    `Accept: ${accept}`,
    `Content-Length: ${body.length}`,
  ]
  t.match(await server.send(`${head.join('\r\n')}\r\n\r\n${body}`, /progress/), /text\/event-stream/)
  await left.promise
})

t.test('a token has at most 32 requests under way', async (t) => {
  gate = Promise.withResolvers()
  const me = call('"name":"get_me","arguments":{}')
  const waiting = Array.from({ length: 40 }, () => post(me))
  const refused = await Promise.race(waiting)
  t.match(refused, { status: 503, headers: { 'retry-after': /\d/ }, body: { error: { code: 'SERVICE_UNAVAILABLE' } } })
  gate.resolve()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status).sort()
  t.strictSame(statuses, [...Array(32).fill(200), ...Array(8).fill(503)])
  t.match(await post(me), { status: 200 }, 'the places are free again')
  t.ok(tenant)
})
