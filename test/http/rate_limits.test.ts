import t from 'tap'
import type { Route } from '../../http/server/route/route.ts'
import { Unavailable } from '../../runtime/mod.ts'
import { startTestServer, windows } from './test_server.ts'

for (const peek of [true, false]) {
  t.test(`every answer after authentication tells the windows (${peek ? 'at once' : 'after waiting'})`, async (t) => {
    const broken: Route = {
      method: 'GET',
      path: '/v1/broken',
      operation: 'broken',
      summary: '',
      auth: 'token',
      status: 200,
      read: () => {
        throw new Error('a fault of ours')
      },
    }
    const { call } = await startTestServer(t, { peek, routes: [broken] })
    const cases: [string, string, number][] = [
      ['GET', '/v1/me', 200],
      ['GET', '/v1/me?x=1', 400],
      ['GET', '/v1/me/projects', 200],
      ['GET', '/v1/messages/x', 404],
      ['POST', '/v1/messages', 400],
      ['DELETE', '/v1/me/token', 204],
      ['GET', '/v1/nothing', 404],
      ['PUT', '/v1/me', 405],
      ['OPTIONS', '/v1/me', 204],
      ['GET', '/v1/broken', 500],
    ]
    for (const [method, path, status] of cases) {
      const answer = await call(path, { method })
      t.equal(answer.status, status)
      for (const [name, { limit, remaining, reset }] of Object.entries(windows)) {
        t.equal(answer.headers[`x-ratelimit-limit-${name}`], `${limit}`)
        t.equal(answer.headers[`x-ratelimit-remaining-${name}`], `${remaining}`)
        t.equal(answer.headers[`x-ratelimit-reset-${name}`], `${reset}`)
      }
    }
  })
}

t.test('a throttled request is told how long to wait', async (t) => {
  const { call, asked } = await startTestServer(t, {
    project: () => ({
      admission: {
        ok: false,
        code: 'THROTTLED',
        exceeded: ['minute', 'hour'],
        windows: {
          minute: { limit: 60, remaining: 0, reset: 12 },
          hour: { limit: 200, remaining: 0, reset: 1800 },
          day: { limit: 1000, remaining: 3, reset: 80000 },
        },
      },
    }),
  })
  const answer = await call('/v1/messages', { method: 'POST', json: { nonsense: true } })
  t.equal(answer.status, 429)
  t.equal(answer.body.error.code, 'THROTTLED')
  t.match(answer.body.error.message, /200 requests per hour.*1800 seconds/)
  t.match(answer.headers, {
    'retry-after': '1800',
    'retry-after-minute': '12',
    'retry-after-hour': '1800',
    'x-ratelimit-remaining-day': '3',
  })
  t.notOk('retry-after-day' in answer.headers)
  t.equal(asked.length, 1, 'one ask decides')
  t.equal(asked[0]?.command, undefined, 'what is not valid is asked for without its command')
})

t.test('the ingest window has headers of its own', async (t) => {
  const { call, asked } = await startTestServer(t, {
    project: () => ({ admission: { ok: true, windows: { ingest: { limit: 6000, remaining: 5999, reset: 60 } } } }),
    routes: [
      {
        method: 'POST',
        path: '/v1/taken_in',
        operation: 'x',
        summary: '',
        auth: 'token',
        pool: 'ingest',
        status: 200,
        change: () => ({}),
      },
    ],
  })
  const { headers } = await call('/v1/taken_in', { method: 'POST' })
  t.equal(headers['x-ratelimit-remaining-ingest'], '5999')
  t.notOk('x-ratelimit-limit-day' in headers)
  t.equal(asked[0]?.pool, 'ingest')
})

t.test('an overloaded project says when to come back; a fault says nothing', async (t) => {
  const lines: object[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void lines.push(fields) }
  let error: Error = new Unavailable('full', 2.5)
  const { call } = await startTestServer(t, {
    peek: false,
    log,
    project: () => {
      throw error
    },
  })
  const busy = await call('/v1/me')
  t.match(busy, { status: 503, headers: { 'retry-after': '3' }, body: { error: { code: 'SERVICE_UNAVAILABLE' } } })
  error = new Error('select secret from "user"')
  const broken = await call('/v1/me', { headers: { 'x-request-id': 'find-me' } })
  t.match(broken, { status: 500, body: { error: { code: 'INTERNAL_SERVER_ERROR' } } })
  t.notMatch(broken.text, /select/)
  t.match(lines, [{ request_id: 'find-me', operation: 'get_me', error }])
})
