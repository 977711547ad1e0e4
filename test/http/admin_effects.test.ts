import t from 'tap'
import { Providers, projectActor } from '../../actors/mod.ts'
import { adminRoutes } from '../../http/admin/mod.ts'
import { apiRoutes, HttpServer } from '../../http/mod.ts'
import { Node, silentLog } from '../../runtime/mod.ts'
import { type Owner, testDatabase, testNats } from '../support/mod.ts'

/**
 * A change by an operator holds for the next request of a client, although the project's actor has everything in
 * memory.
 */

const operator_key = 'the key of the operator in tests'

async function start(t: Owner) {
  const { database } = await testDatabase(t, { pool_size: 6 })
  const { url: nats_url, prefix } = await testNats(t)
  const providers = new Providers()
  t.teardown(() => providers.close())
  const node = await Node.start({
    database,
    nats_url,
    prefix,
    kinds: [projectActor({ database, webhook_schedule: [0], base_url: '', providers })],
    partitions: 4,
  })
  t.teardown(() => node.stop())
  const server = new HttpServer({
    runtime: node,
    database,
    routes: [
      ...apiRoutes({
        provider: async () => ({ status: 200, body: '' }),
        allow_url: () => false,
        whatsapp: {} as never,
        providers: {} as never,
        tools: {} as never,
        assistants: {} as never,
        media: {} as never,
        polls: {} as never,
      }),
      ...adminRoutes({
        invitations: { base_url: '', is_mailed: false },
        default_limits: { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 },
        providers,
        assistants: {} as never,
      }),
    ],
    readiness: async () => ({ ok: true, checks: {} }),
    log: silentLog,
    config: { host: '127.0.0.1', port: 0, operator_key },
  })
  const port = await server.listen()
  t.teardown(() => server.close())
  const call = async (method: string, path: string, key: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, connection: 'close', 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
  }
  const admin = (method: string, path: string, body?: object) => call(method, `/admin/v1${path}`, operator_key, body)
  const company = (await admin('POST', '/companies', { name: 'Acme' })).body
  const project = (await admin('POST', '/projects', { company_id: company._id, name: 'Support' })).body
  const permissions = ['developer.manage_tokens']
  const person = { company_id: company._id, full_name: 'Ana', email: 'ana@example.com', permissions }
  const user = (await admin('POST', '/users', person)).body
  const makeToken = async (scopes: string[] = []) =>
    (await admin('POST', '/tokens', { project_id: project._id, user_id: user._id, name: 'CI', scopes })).body
  const me = (token: string) => call('GET', '/v1/me', token)
  return { admin, call, me, company, project, user, makeToken }
}

t.test('a token works from its creation until its revocation, and not a moment longer', async (t) => {
  const { admin, me, makeToken } = await start(t)
  const first = await makeToken()
  t.equal((await me(first.token)).status, 200)
  const second = await makeToken()
  t.equal((await me(second.token)).status, 200, 'made while the actor was in memory')
  t.equal((await admin('DELETE', `/tokens/${first._id}`)).status, 204)
  t.equal((await me(first.token)).status, 401)
  t.equal((await me(second.token)).status, 200)
})

t.test('a deactivated user is refused at once, and let in again when activated', async (t) => {
  const { admin, me, user, makeToken } = await start(t)
  const { token } = await makeToken()
  t.equal((await me(token)).status, 200)
  await admin('PATCH', `/users/${user._id}`, { is_active: false })
  t.equal((await me(token)).status, 401)
  await admin('PATCH', `/users/${user._id}`, { is_active: true })
  t.equal((await me(token)).status, 200)
})

t.test('limits, scopes and names follow the operator', async (t) => {
  const { admin, call, me, company, project, user, makeToken } = await start(t)
  const { token, _id } = await makeToken()
  t.equal((await me(token)).headers.get('x-ratelimit-limit-minute'), '60')
  await admin('PATCH', `/projects/${project._id}`, { limits: { minute: 1000, hour: 1000 } })
  t.equal((await me(token)).headers.get('x-ratelimit-limit-minute'), '1000')

  t.equal((await call('GET', '/v1/webhooks', token)).status, 403)
  await admin('PATCH', `/tokens/${_id}`, { scopes: ['webhooks:read'] })
  t.equal((await call('GET', '/v1/webhooks', token)).status, 200)

  await admin('PATCH', `/companies/${company._id}`, { name: 'New Acme' })
  await admin('PATCH', `/projects/${project._id}`, { name: 'New Support' })
  await admin('PATCH', `/users/${user._id}`, { full_name: 'New Ana' })
  t.match((await me(token)).body, {
    company: { name: 'New Acme' },
    project: { name: 'New Support' },
    user: { full_name: 'New Ana' },
    scopes: ['webhooks:read'],
  })
})
