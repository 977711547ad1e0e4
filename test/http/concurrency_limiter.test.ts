import t from 'tap'
import { ConcurrencyLimiter } from '../../http/server/limits/concurrency_limiter.ts'
import type { Route } from '../../http/server/route/route.ts'
import { generateTokenSecret, Token } from '../../storage/mod.ts'
import { startTestServer } from './test_server.ts'

t.test('each named user has a part of the places', async (t) => {
  const limiter = new ConcurrencyLimiter(5, { name: 2 })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name }))
  t.ok(limiter.enter(a) && limiter.enter(a))
  t.notOk(limiter.enter(a), 'and no more')
  t.ok(limiter.enter(b) && limiter.enter() && limiter.enter(b))
  t.notOk(limiter.enter(c), 'all places are taken')
  limiter.leave(true, a)
  t.ok(limiter.enter(c))
  limiter.leave(true, c)
  t.ok(limiter.enter(a))
})

t.test('a tenant has half of the places, however many tokens it has', async (t) => {
  const limiter = new ConcurrencyLimiter(8)
  const enter = (tenant: string, name: number) => limiter.enter({ tenant, name: `${tenant}${name}` })
  t.strictSame(
    [1, 2, 3, 4, 5].map((name) => enter('a', name)),
    [true, true, true, true, false],
  )
  t.strictSame(
    [1, 2, 3, 4].map((name) => enter('b', name)),
    [true, true, true, true],
  )
})

t.test('work of one tenant that does not finish leaves another its places', async (t) => {
  const limiter = new ConcurrencyLimiter(4096)
  const [slow, other] = [{ tenant: 'slow' }, { tenant: 'other' }]
  for (let count = 0; count < 300; count++) t.ok(limiter.enter(slow))
  while (!limiter.isClosed(slow)) await new Promise((resolve) => setTimeout(resolve, 50))
  t.notOk(limiter.enter(slow))
  t.notOk(limiter.enter(), 'as work of nobody in particular')
  for (let count = 0; count < 32; count++) t.ok(limiter.enter(other))
  t.notOk(limiter.enter(other), 'no more than a little')
  limiter.leave(true, other)
  t.ok(limiter.enter(other))
})

t.test('one token cannot take all places of uploads', async (t) => {
  const under_way: (() => void)[] = []
  const slow: Route = {
    method: 'POST',
    path: '/v1/slow',
    operation: 'slow',
    summary: '',
    auth: 'token',
    status: 200,
    form: () =>
      new Promise((resolve) =>
        under_way.push(() => resolve({ violations: [{ path: '', message: 'no', code: 'no' }] })),
      ),
    act: async () => ({ changes: [], answer: {} }),
  }
  const { call, database, tenant } = await startTestServer(t, { routes: [slow] })
  const other = generateTokenSecret()
  await database.em().insert(Token, {
    ...(tenant.token as object),
    _id: 'f'.repeat(24),
    prefix: other.prefix,
    hash: other.hash,
  } as Token)
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const upload = (token = tenant.secret) => call('/v1/slow', { method: 'POST', raw: '--x--', headers, token })
  const all = Array.from({ length: 8 }, () => upload())
  while (under_way.length < 8) await new Promise((resolve) => setImmediate(resolve))
  t.equal((await upload()).status, 503)
  all.push(upload(other.token))
  while (under_way.length < 9) await new Promise((resolve) => setImmediate(resolve))
  for (const end of under_way) end()
  for (const { status } of await Promise.all(all)) t.equal(status, 400)
})
