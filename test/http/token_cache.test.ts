import t from 'tap'
import { TokenCache } from '../../http/server/auth/token_cache.ts'
import { generateTokenSecret, Token } from '../../storage/mod.ts'
import { startTestServer } from './test_server.ts'

const identity = { token_id: 't', company_id: 'c', project_id: 'p', user_id: 'u' }

t.test('recently used tokens stay, others go, and memory is bounded', async (t) => {
  let look_ups = 0
  const cache = new TokenCache(async () => {
    look_ups++
    return identity
  }, 4)
  const header = (name: string) => `Bearer ${name}`
  await Promise.all([cache.find(header('a')), cache.find(header('a'))])
  t.equal(look_ups, 1, 'requests at the same time share a look-up')
  t.match(cache.known(header('a')), { ...identity, address: 'project/p' })
  for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) {
    await cache.find(header(name))
    t.ok(cache.known(header('a')), 'used after each')
  }
  t.equal(cache.known(header('b')), undefined)
})

t.test('an unknown token is looked up again, so a new one works at once', async (t) => {
  const { call, database, tenant } = await startTestServer(t)
  const { token, prefix, hash } = generateTokenSecret()
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await call('/v1/me', { headers })).status, 401)
  const { _id: project_id, company_id } = tenant.project
  const row = { name: 'new', user_id: tenant.user._id, scopes: [], created_at: new Date(), updated_at: new Date() }
  await database.em().insert(Token, { _id: '6'.repeat(24), project_id, company_id, prefix, hash, ...row })
  t.equal((await call('/v1/me', { headers })).status, 200)
})

t.test('the cache does not keep a failed look-up', async (t) => {
  let fail = true
  const cache = new TokenCache(async () => {
    if (fail) throw new Error('no database')
    return identity
  })
  await t.rejects(cache.find('Bearer x'), /no database/)
  fail = false
  t.match(await cache.find('Bearer x'), identity)
})
