/** The console of a node in production. */
import t from 'tap'
import { cookieOf, makeAgent, PASSWORD, trySignIn } from './console_client.ts'
import { made, startWorld } from './fixture.ts'

t.test('in production the console and its cookie work over HTTPS alone', async (t) => {
  const production = await startWorld(t, {
    config: { environment: 'production', trusted_proxies: ['127.0.0.0/8'], secret: 'a secret of the tests alone' },
  })
  const over_tls = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.1' }
  const operator = (method: string, path: string, json?: unknown) =>
    production.http(method, `${production.base_url}/admin/v1/${path}`, {
      json,
      token: production.config.operator_key!,
      headers: over_tls,
    })
  const { _id: company_id } = await made(operator('POST', 'companies', { name: 'Acme' }))
  const { email } = await makeAgent({ operator }, { company_id })
  const plain = await trySignIn(production, { email, password: PASSWORD })
  t.match(plain, { status: 403, body: { error: { code: 'HTTPS_REQUIRED' } } })
  t.notOk(plain.headers['set-cookie'])
  const answer = await trySignIn(production, { email, password: PASSWORD }, over_tls)
  t.equal(answer.status, 201, answer.text)
  t.match(String(answer.headers['set-cookie']), /; Max-Age=604800; Secure$/)
  const url = `${production.base_url}/console/session`
  const cookie = cookieOf(answer)
  t.match(await production.http('GET', url, { headers: { cookie } }), { body: { error: { code: 'HTTPS_REQUIRED' } } })
  t.equal((await production.http('GET', url, { headers: { cookie, ...over_tls } })).status, 200)
})
