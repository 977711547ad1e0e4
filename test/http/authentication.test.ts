import t from 'tap'
import { generateTokenSecret, isWellFormedToken } from '../../storage/mod.ts'
import { forged } from '../support/mod.ts'
import { startTestServer, windows } from './test_server.ts'

t.test('every failed authentication gets the same answer', async (t) => {
  const server = await startTestServer(t, { project: () => ({ admission: { ok: false, code: 'UNAUTHENTICATED' } }) })
  const { secret } = server.tenant
  const mangled = forged(secret)
  t.notOk(isWellFormedToken(mangled))
  const causes: Record<string, Record<string, string>> = {
    'no header': {},
    'an empty header': { authorization: '' },
    'another scheme': { authorization: `Basic ${secret}` },
    'no scheme': { authorization: secret },
    'no space': { authorization: `Bearer${secret}` },
    'two spaces': { authorization: `Bearer  ${secret}` },
    'a mangled token': { authorization: `Bearer ${mangled}` },
    'half a token': { authorization: `Bearer ${secret.slice(0, 20)}` },
    'an unknown token': { authorization: `Bearer ${generateTokenSecret().token}` },
    'a token the project refuses': { authorization: `Bearer ${secret}` },
    'the same again, now from the cache': { authorization: `Bearer ${secret}` },
  }
  const paths = [
    ['GET', '/v1/me'],
    ['GET', '/v1/messages/garbage?nonsense=1'],
    ['POST', '/v1/messages'],
    ['DELETE', '/v1/me/token'],
  ] as const
  for (const [cause, headers] of Object.entries(causes)) {
    for (const [method, path] of paths) {
      const raw = method === 'POST' ? { raw: '{"broken' } : {}
      const answer = await server.call(path, { method, headers, token: null, ...raw })
      const { date, 'x-request-id': id, ...rest } = answer.headers
      t.match(id, /^req_/)
      t.strictSame(
        { status: answer.status, text: answer.text, headers: rest },
        {
          status: 401,
          text: '{"message":"Unauthorized","error":"Unauthorized","statusCode":401}',
          headers: {
            'www-authenticate': 'Bearer',
            'content-type': 'application/json; charset=utf-8',
            'content-length': '66',
          },
        },
        `${method} ${path}, ${cause}`,
      )
    }
  }
})

t.test('the time of a failed answer does not tell its cause', async (t) => {
  const server = await startTestServer(t, { config: { unauthorized_ms: 200 } })
  const started = performance.now()
  const waits = await Promise.all(
    [undefined, 'Bearer nonsense', `Bearer ${generateTokenSecret().token}`].map(async (authorization) => {
      await server.call('/v1/me', { token: null, headers: authorization ? { authorization } : {} })
      return performance.now() - started
    }),
  )
  t.ok(
    waits.every((wait) => wait >= 200),
    'none leaves before the hold is over',
  )
})

t.test('the token tells the project and the user of a request', async (t) => {
  const { call, asked, tenant } = await startTestServer(t)
  await call('/v1/me')
  await call('/v1/me', { headers: { authorization: `bearer ${tenant.secret}` } })
  t.match(asked, [
    { type: 'request', token_id: tenant.token._id, pool: 'shared', command: { type: 'read_identity' } },
    { token_id: tenant.token._id },
  ])
  t.equal(asked[0]?.scope, undefined)
})

t.test('a missing scope is named', async (t) => {
  const server = await startTestServer(t, {
    project: ({ scope }) => ({
      admission: { ok: false, code: 'INSUFFICIENT_SCOPE', windows, required: [scope!], missing: [scope!] },
    }),
  })
  const answer = await server.call('/v1/messages?unknown=1')
  t.equal(answer.status, 403)
  t.match(answer.body.error, {
    code: 'INSUFFICIENT_SCOPE',
    details: { required: ['messages:read'], missing: ['messages:read'] },
  })
  t.equal(answer.headers['x-ratelimit-limit-day'], '1000')
  t.equal(server.asked[0]?.scope, 'messages:read')
})

t.test('the operator API takes the operator key only', async (t) => {
  const server = await startTestServer(t, {
    config: { operator_key: 'the key' },
    routes: [
      {
        method: 'GET',
        path: '/admin/v1/things',
        operation: 'list_things',
        summary: '',
        auth: 'operator',
        status: 200,
        read: (_, context) => ({ project: context.project_id }),
      },
    ],
  })
  const good = await server.call('/admin/v1/things', { headers: { authorization: 'Bearer the key' } })
  t.match(good, { status: 200, body: { project: '' } })
  t.notOk(Object.keys(good.headers).some((name) => name.startsWith('x-ratelimit')))
  for (const authorization of ['', 'Bearer the kez', 'the key', `Bearer ${server.tenant.secret}`]) {
    t.equal((await server.call('/admin/v1/things', { headers: { authorization } })).status, 401)
  }
  t.equal(server.asked.length, 0)
})
