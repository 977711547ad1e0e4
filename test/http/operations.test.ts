import t from 'tap'
import { createLog } from '../../http/server/log.ts'
import type { RawRequest } from '../../http/server/route/route.ts'
import { storeTenant } from '../storage/records.ts'
import { startTestServer } from './test_server.ts'

t.test('health and readiness need no token and draw on no budget', async (t) => {
  let ok = true
  const { call, asked, server } = await startTestServer(t, {
    readiness: async () => ({ ok, checks: { database: ok } }),
  })
  t.match(await call('/health', { token: null }), { status: 200, body: { status: 'ok' } })
  t.match(await call('/ready', { token: null }), { status: 200, body: { status: 'ready', checks: { database: true } } })
  ok = false
  t.match(await call('/ready', { token: null }), {
    status: 503,
    body: { status: 'not_ready', checks: { database: false } },
  })
  await call('/v1/me')
  await call('/v1/messages/secret-looking-path')
  await call('/nothing/of/ours')
  t.equal((await call('/metrics', { token: null })).status, 404, 'figures are not for clients')
  const text = await server.registry.metrics()
  t.match(text, /_count\{http_request_method="GET",http_route="\/v1\/me",http_response_status_code="200"\} 1\n/)
  t.match(text, /_count\{http_request_method="GET",http_route="\/v1\/messages\/:id",http_response_status_code="404"\}/)
  t.match(
    text,
    /^http_server_request_duration_seconds_sum\{http_request_method="GET",http_route="\/v1\/me",http_response_status_code="200"\} /m,
  )
  t.match(
    text,
    /_bucket\{le="\+Inf",http_request_method="GET",http_route="\/v1\/me",http_response_status_code="200"\} 1\n/,
  )
  t.match(text, /^process_cpu_seconds_total \d/m)
  t.notMatch(text, /secret-looking|nothing\/of/, 'paths of clients do not become labels')
  t.equal(asked.length, 2)
  t.ok(server.registry.getSingleMetric('parley_http_requests_in_flight'))
})

t.test('provider webhooks get the exact bytes of the call', async (t) => {
  const seen: [string, Omit<RawRequest, 'params' | 'body'> & { raw: Uint8Array }][] = []
  const { call, asked } = await startTestServer(t, {
    hooks: {
      async provider(_, channel_id, request) {
        seen.push([channel_id, request])
        return { status: request.method === 'GET' ? 200 : 401, body: 'challenge <1>', content_type: 'text/plain' }
      },
    },
  })
  const path = '/providers/whatsapp/66f2a0c1d4e5f60718293a4b'
  const get = await call(`${path}?hub.mode=subscribe&hub.challenge=1`, { token: null })
  t.match(get, { status: 200, text: 'challenge <1>', headers: { 'content-type': 'text/plain' } })
  t.match(seen[0], ['66f2a0c1d4e5f60718293a4b', { method: 'GET', query: 'hub.mode=subscribe&hub.challenge=1' }])
  const head = await call(`${path}?hub.mode=subscribe&hub.challenge=1`, { method: 'HEAD', token: null })
  t.match(head, { status: 200, text: '' })
  t.match(seen.pop()![1], { method: 'GET' }, 'HEAD is verified, not taken for a report')

  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
  const headers = { 'X-Hub-Signature-256': 'sha256=AB' }
  t.equal((await call(path, { method: 'POST', raw: bytes, headers, token: null })).status, 401)
  t.strictSame(Buffer.from(seen[1]![1].raw), bytes)
  t.equal(seen[1]![1].headers['x-hub-signature-256'], 'sha256=AB')

  t.equal((await call('/providers/whatsapp/nobody', { token: null })).status, 404)
  t.equal((await call(path, { method: 'PUT', token: null })).status, 405)
  const large = Buffer.alloc(4 * 1024 * 1024 + 1)
  t.equal((await call(path, { method: 'POST', raw: large, token: null })).status, 413)
  t.equal(seen.length, 2)
  t.equal(asked.length, 0)
})

t.test('a token lists its projects and revokes itself', async (t) => {
  const { call, database, tenant, asked } = await startTestServer(t)
  await storeTenant(database)
  const { status, body } = await call('/v1/me/projects')
  t.equal(status, 200)
  t.strictSame(body, {
    data: [{ id: tenant.project._id, name: 'Support', is_current: true }],
    limit: 1000,
    offset: 0,
    has_more: false,
  })
  const revoked = await call('/v1/me/token', { method: 'DELETE' })
  t.match(revoked, { status: 204, text: '' })
  t.notOk('content-length' in revoked.headers)
  t.strictSame(asked.at(-1)?.command, { type: 'revoke_token' })
})

t.test('the log has no secrets', async (t) => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const { secret } = (await startTestServer(t)).tenant
  log.error(
    { error: new Error(`insert into token values ('${secret}', 'whsec_YWJj/+=')`), authorization: `Bearer ${secret}` },
    'x',
  )
  log.info(
    { request: { headers: { authorization: secret } }, channel: { credentials: { access_token: 'hidden' } } },
    'y',
  )
  const given = { list: [{ token: 'hidden' }], at: new Date(0), fine: 'seen' }
  log.info(given, 'z')
  t.strictSame(given.list, [{ token: 'hidden' }], 'the fields themselves stay as they are')
  const text = lines.join('')
  t.notMatch(text, /YWJj|hidden/)
  t.notOk(text.includes(secret))
  t.match(text, /svc_pk_\[redacted\]/)
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { level: 'error', time: /^\d{4}-.*Z$/ },
      {
        level: 'info',
        request: { headers: { authorization: '[redacted]' } },
        channel: { credentials: '[redacted]' },
        msg: 'y',
      },
      { list: [{ token: '[redacted]' }], at: '1970-01-01T00:00:00.000Z', fine: 'seen', msg: 'z' },
    ],
  )
})

t.test('calls without a proof count for their channel alone, because a provider has few addresses', async (t) => {
  const mine = '66f2a0c1d4e5f60718293a4b'
  const { call } = await startTestServer(t, {
    config: { address_people: 10 },
    hooks: { provider: async (_, channel_id) => ({ status: channel_id === mine ? 200 : 401, body: '' }) },
  })
  const post = async (channel_id: string) =>
    (await call(`/providers/telegram/${channel_id}`, { method: 'POST', raw: '{}', token: null })).status
  const other = '66f2a0c1d4e5f60718293a4c'
  const statuses = []
  for (let n = 0; n < 17; n++) statuses.push(await post(other))
  t.strictSame(statuses, [...Array(15).fill(401), 429, 429])
  t.equal(await post(mine), 200, 'those with one go on')
})
