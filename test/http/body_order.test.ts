/** The order of the checks: a client without the right, or beyond its limit, is refused whatever the body is. */
import t from 'tap'
import type { Admission } from '../../actors/mod.ts'
import { generateTokenSecret } from '../../storage/mod.ts'
import { allRoutes, jsonRoutes } from '../support/hostile/routes.ts'
import { admitting, startTestServer, windows } from './test_server.ts'

const exceeded = { ...windows, minute: { limit: 60, remaining: 0, reset: 12 } }
const refusals: [string, Admission, number][] = [
  ['a revoked token', { ok: false, code: 'UNAUTHENTICATED' }, 401],
  ['a token over its limit', { ok: false, code: 'THROTTLED', windows: exceeded, exceeded: ['minute'] }, 429],
  [
    'a token without the scope',
    { ok: false, code: 'INSUFFICIENT_SCOPE', windows, required: ['some:scope'], missing: ['some:scope'] },
    403,
  ],
]
const bodies: [string, string][] = [
  ['no JSON', '{"half of'],
  ['a wrong body', '{"unknown":1}'],
  ['a large body that is no JSON', `{"half of${' '.repeat(50_000)}`],
  ['a large wrong body', JSON.stringify({ list: Array(20_000).fill({}) })],
]
const routes = jsonRoutes().filter(({ auth }) => auth === 'token')
const reads = allRoutes().filter(({ auth, method }) => auth === 'token' && method === 'GET')
const fill = (path: string) => path.replace(/:\w+/g, 'garbage')

for (const [whose, admission, status] of refusals) {
  t.test(`${whose} is refused on every route, whatever the body and the query`, async (t) => {
    const { call, asked } = await startTestServer(t, { project: () => ({ admission }) })
    const others: string[] = []
    for (const { method, path } of routes) {
      for (const [what, raw] of bodies) {
        const headers = { 'content-type': 'application/json' }
        const answer = await call(`${fill(path)}?unknown=1&since=2026-02-31`, { method, raw, headers })
        if (answer.status !== status) others.push(`${method} ${path}, ${what}: ${answer.status}`)
      }
    }
    for (const { path } of reads) {
      const answer = await call(`${fill(path)}?unknown=1&limit=x&since=2026-02-31T00:00:00Z&until=0000-01-01T00:00:00Z`)
      if (answer.status !== status) others.push(`GET ${path}: ${answer.status}`)
    }
    t.same(others, [], `all are answered with ${status}`)
    t.notOk(
      asked.some(({ command }) => command !== undefined),
      'nothing became a command',
    )
    const looked_at_first = routes.filter(({ examine }) => examine !== undefined)
    const asking = routes.length - looked_at_first.length
    t.equal(asked.length, reads.length + asking * 2, 'of large bodies, and those that cost much, the look was enough')
  })
}

t.test('a made-up token is refused on every route before the body is there', async (t) => {
  const { send, asked } = await startTestServer(t)
  const { token } = generateTokenSecret()
  const others: string[] = []
  for (const { method, path } of routes) {
    const head = `${method} ${fill(path)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
    const rest = 'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"never'
    const answer = await send(head + rest, /statusCode/)
    if (!answer.startsWith('HTTP/1.1 401 ')) others.push(`${method} ${path}: ${answer.slice(0, 200)}`)
  }
  t.same(others, [])
  t.equal(asked.length, 0)
})

t.test('only admitted clients learn of a fault of ours between the body and the project', async (t) => {
  const route = {
    method: 'POST',
    path: '/v1/broken',
    operation: 'broken',
    summary: '',
    auth: 'token',
    status: 200,
    command: () => {
      throw new TypeError('a fault of ours')
    },
  } as const
  for (const [whose, admission, status] of refusals) {
    const { call } = await startTestServer(t, { project: () => ({ admission }), routes: [route] })
    t.equal((await call('/v1/broken', { method: 'POST' })).status, status, whose)
  }
  const { call, asked } = await startTestServer(t, { routes: [route] })
  const answer = await call('/v1/broken', { method: 'POST' })
  t.equal(answer.status, 500)
  t.equal(answer.headers['x-ratelimit-remaining-day'], '999')
  t.equal(asked.length, 1, 'it counts')
})

t.test('only admitted clients learn of a fault of the project itself', async (t) => {
  for (const [whose, admission, status] of refusals) {
    const { call } = await startTestServer(t, {
      peek: false,
      project: ({ command }) => {
        if (command === undefined) return { admission }
        throw new Error('a fault of the turn')
      },
    })
    t.equal((await call('/v1/me/token', { method: 'DELETE' })).status, status, whose)
  }
  const { call } = await startTestServer(t, {
    peek: false,
    project: (message) => {
      if (message.command === undefined) return admitting(message)
      throw new Error('a fault of the turn')
    },
  })
  const answer = await call('/v1/me/token', { method: 'DELETE' })
  t.match(answer, { status: 500, headers: { 'x-ratelimit-limit-hour': '200' } })
})

t.test('an owner of an earlier version, which does not know looks, draws on no budget for a look', async (t) => {
  const pools: unknown[] = []
  const { call } = await startTestServer(t, {
    project: (message) => {
      pools.push([message.pool, message.looks])
      return admitting(message)
    },
  })
  await call('/v1/contacts', { method: 'POST', json: { channel_type: 'phone', user_id: 'x'.repeat(10_000) } })
  t.same(pools, [
    ['exempt', 'shared'],
    ['shared', undefined],
  ])
})
