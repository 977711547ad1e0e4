/** Named keys of the operator API: their roles on every route, their revocation, and their names in the audit. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { OperatorKeys } from '../../http/server/auth/operator_keys.ts'
import { roleOf } from '../../http/server/route/operator_role.ts'
import { silentLog } from '../../runtime/mod.ts'
import { type Database, generateOperatorKey, openDatabase } from '../../storage/mod.ts'
import { run } from '../cli/command.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { root } from '../support/root.ts'
import { type Call, eventually, type Json } from './client.ts'
import { joinWorld, made, OPERATOR_KEY } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const nobody = 'f'.repeat(24)
const as = (token: string, method: string, path: string, call: Call = {}) =>
  world.http(method, `${world.base_url}${path}`, { ...call, token })
const makeKey = (name: string, role: string): Promise<Json> => made(operator('POST', 'operator-keys', { name, role }))
const routes = allRoutes().filter(({ auth }) => auth === 'operator')

t.test('a key is shown once, and only its hash is stored', async (t) => {
  const { key, ...record } = await makeKey('Ana', 'support')
  t.match(key, /^svc_ok_[0-9A-Za-z]{38}$/)
  t.match(record, { name: 'Ana', role: 'support', prefix: key.slice(0, 11), status: 'active', last_used_at: null })
  t.same(await made(operator('GET', `operator-keys/${record._id}`)), record)
  const rows = await database.execute('select 1 from operator_key k where strpos(k::text, ?) > 0', [key])
  t.same(rows, [], 'the table does not have it')
  t.equal((await as(key, 'GET', '/admin/v1/companies')).status, 200)
  const used = () => made(operator('GET', `operator-keys/${record._id}`))
  await eventually('its use is recorded', async () => (await used()).last_used_at)
  const taken = await operator('POST', 'operator-keys', { name: 'ANA', role: 'read' })
  t.match(taken, { status: 409, body: { error: { code: 'OPERATOR_KEY_ALREADY_EXISTS' } } })
  t.equal((await operator('POST', 'operator-keys', { name: 'Eva', role: 'owner' })).status, 400)
  for (const name of ['root', 'Command  Line', 'An\u200ba', 'Ana\u001b[2J', '\u202eanA']) {
    const refused = await operator('POST', 'operator-keys', { name, role: 'read' })
    t.match(refused, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } }, JSON.stringify(name))
  }
  t.equal((await makeKey('Ana  Mar\u0131\u0301a', 'read')).name, 'Ana Mar\u0131\u0301a'.normalize('NFC'))
  const same = await operator('POST', 'operator-keys', { name: 'Ana\tMar\u0131\u0301a', role: 'read' })
  t.equal(same.status, 400, 'a tab is a control character')
  t.equal((await operator('GET', `operator-keys/${nobody}`)).status, 404)
})

t.test('each role may do what the route says, and learns no more', async (t) => {
  const keys: Record<string, string> = {}
  for (const role of ['read', 'support', 'admin']) keys[role] = (await makeKey(`The ${role} key`, role)).key
  const order = Object.keys(keys)
  for (const route of routes) {
    const { method, operation } = route
    const needed = roleOf(route)
    const path = route.path.replace(/:node\b/, 'f'.repeat(12)).replace(/:\w+/g, nobody)
    for (const [role, key] of Object.entries(keys)) {
      // No JSON, so that no request does anything.
      const call = method === 'GET' ? {} : { raw: '{', headers: { 'content-type': 'application/json' } }
      const { status, body } = await as(key, method, path, call)
      const may = order.indexOf(role) >= order.indexOf(needed)
      if (may) t.ok(status !== 401 && status !== 403, `${role} may ${operation}: ${status}`)
      else {
        const error = { code: 'INSUFFICIENT_ROLE', details: { required: needed, role } }
        t.match({ status, body }, { status: 403, body: { error } }, `${role} may not ${operation}`)
      }
    }
  }
  const refused = await as(keys.read!, 'POST', '/admin/v1/companies', { json: { name: 'Acme' } })
  t.equal(
    refused.body.error.message,
    'This operation needs the role admin, and the operator key "The read key" has the role read.',
  )
  t.equal((await as(keys.support!, 'GET', '/admin/v1/nothing')).status, 404)
  const agents = await as(keys.admin!, 'GET', '/v1/me')
  t.equal(agents.status, 401, 'it is no token of a project')
})

t.test('the operator API is described with the operations of each role', (t) => {
  const page = readFileSync(join(root, 'docs/operator_api.md'), 'utf8')
  const row = /^\| `support` \| (.*) \|$/m.exec(page)?.[1] ?? ''
  const written = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  const support = routes.filter((route) => roleOf(route) === 'support').map(({ operation }) => operation)
  t.same(written.filter((name) => name !== 'read').sort(), support.sort())
  t.end()
})

t.test('a revoked key opens nothing from the next request on, and the audit keeps its name', async (t) => {
  const { key, _id } = await makeKey('Bea', 'admin')
  const company = await as(key, 'POST', '/admin/v1/companies', { json: { name: 'Acme' } })
  t.equal(company.status, 201)
  t.equal((await as(key, 'DELETE', `/admin/v1/operator-keys/${_id}`)).status, 204, 'it may revoke itself')
  t.equal((await as(key, 'GET', '/admin/v1/companies')).status, 401)
  t.equal((await operator('DELETE', `operator-keys/${_id}`)).status, 404, 'only once')
  t.equal((await operator('DELETE', `operator-keys/${nobody}`)).status, 404)
  t.match(await made(operator('GET', `operator-keys/${_id}`)), { status: 'revoked', revoked_at: String })
  const { data } = await made(operator('GET', `audit?actor_id=${_id}`))
  const actor = { kind: 'operator', id: _id, name: 'Bea' }
  t.match(data, [
    { action: 'revoke_operator_key', actor, target: { kind: 'operator_key', id: _id }, before: { revoked_at: null } },
    { action: 'create_company', actor },
  ])
  t.equal(data.length, 2)
  t.equal((await makeKey('Bea', 'read')).name, 'Bea', 'its name is free again')
  for (const wrong of [`${key.slice(0, -1)}~`, 'svc_ok_x', key.slice(7), `${OPERATOR_KEY}x`, '']) {
    t.equal((await as(wrong, 'GET', '/admin/v1/companies')).status, 401, wrong)
  }
})

t.test('requests of the same moment share look-ups, so made-up keys hold up no operator', async (t) => {
  const { key } = await makeKey('Fay', 'read')
  let queries = 0
  const counted: Database = Object.create(database, {
    execute: {
      value: (...args: Parameters<Database['execute']>) => {
        queries++
        return database.execute(...args)
      },
    },
  })
  const keys = new OperatorKeys(counted, silentLog, undefined)
  const made_up = Array.from({ length: 300 }, () => `Bearer ${generateOperatorKey().token}`)
  const [found, ...rest] = await Promise.all([`Bearer ${key}`, ...made_up].map((header) => keys.find(header)))
  t.match(found, { name: 'Fay', role: 'read' })
  t.strictSame(
    rest.filter((one) => one !== undefined),
    [],
  )
  t.equal(queries, 2, 'one finds them all, one records the use')
})

t.test('parley operator-keys creates, lists and revokes', async (t) => {
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  const keys = (...args: string[]) => run(['operator-keys', ...args], env)
  const created = await keys('create', 'Cleo', '--role', 'read')
  t.match(created, { code: 0, out: /^svc_ok_\w{38}\n$/, err: /^Shown this once: .* has the role read\.\n$/ })
  const key = created.out.trim()
  const refused = await run(['audit', 'list', '--limit', '1'], { ...env, PARLEY_OPERATOR_KEY: key })
  t.equal(refused.code, 0)
  const failed = await run(['operator-keys', 'create', 'Dora', '--role', 'read'], { ...env, PARLEY_OPERATOR_KEY: key })
  t.match(failed, { code: 1, err: /needs the role admin, and the operator key "Cleo" has the role read \(INSUFF/ })
  t.match(await keys('create', 'Dora'), { code: 2 })
  const list = await keys('list')
  t.match(list.out, /^id +name +role +key +status +last used \(UTC\)\n/)
  t.match(list.out, /Cleo +read +svc_ok_\w{4}… +active/)
  const [{ _id }] = JSON.parse((await keys('list', '--json')).out)
  t.match(await keys('revoke', '--yes', _id), { code: 0, out: `Revoked ${_id}.\n` })
  const leaked = (await keys('create', 'Leaky', '--role', 'read')).out.trim()
  t.match(await keys('revoke', '--yes', leaked), { code: 0, out: `Revoked ${leaked.slice(0, 11)}….\n` })
  t.match(await run(['operator-keys', 'list'], { ...env, PARLEY_OPERATOR_KEY: leaked }), { code: 1, err: /401/ })
  t.match(await keys('revoke', '--yes', leaked), { code: 1, err: /^No operator key in use begins with svc_ok_/ })
  t.match(await keys('revoke', '--yes', nobody), { code: 1, err: /`parley operator-keys list` shows which there are/ })
})
