/** Operators in the console: the whole installation for users with the permission, and nothing of it for all others. */
import t from 'tap'
import { offeredToOperators } from '../../http/console/ops/offered.ts'
import { openDatabase } from '../../storage/mod.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { type Call, eventually, type Json } from './client.ts'
import { makeAgent, ownPage, PASSWORD, signIn, trySignIn } from './console_client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

// A node for this file alone: an operator sees the records of all companies.
const world = await startWorld(t, { waits: { overview_ms: 500 } })
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

const OPERATOR = ['console.agent', 'console.operator']
const ID = '66f2a0c1d4e5f60718293a4b'
const own = await makeTenant(world)
const other = await makeTenant(world)
const operator_user = await makeAgent(world, own, { permissions: OPERATOR, full_name: 'Olga Operator' })
const operator = await signIn(world, operator_user)
const agent_user = await makeAgent(world, own)
const agent = await signIn(world, agent_user)

const get = (path: string, call?: Call) => operator.call('GET', `ops/${path}`, call)
const post = (path: string, json?: Json) => operator.call('POST', `ops/${path}`, { json })
const read = (path: string) => made(get(path))

const routes = allRoutes().filter(({ path }) => path.startsWith('/console/ops/'))
const addressOf = (path: string) => {
  const id = path.includes('dead-letters') ? '17' : ID
  return path.replace('/console/', '').replace(/:node/, '0123456789ab').replace(/:id/, id)
}

async function park(kind: string, type: string, count: number): Promise<void> {
  await database.execute(
    `insert into dead_letter (partition, address, sender, message, error)
      select 0, ? || '/x' || n, null, ?::json, 'Error: https://x.example/#password=secret-of-error ' || n from generate_series(1, ?::int) n`,
    [kind, JSON.stringify({ type, password: 'secret-of-message' }), count],
  )
}

t.test('the table of routes offers what it says, and each route needs the permission', (t) => {
  t.same(
    routes.filter(({ auth, permission }) => auth !== 'agent' || permission !== 'console.operator'),
    [],
  )
  const names = routes.map(({ operation }) => operation)
  for (const operation of offeredToOperators) t.ok(names.includes(`ops_${operation}`), operation)
  t.ok(routes.length > offeredToOperators.length + 5)
  t.end()
})

t.test(
  'each route refuses strangers, tokens, operator keys, agents without the permission, and other pages',
  async (t) => {
    for (const { method, path, operation } of routes) {
      const url = `${world.base_url}/console/${addressOf(path)}`
      const refused = await agent.call(method, addressOf(path))
      t.match(
        refused,
        {
          status: 403,
          body: { error: { code: 'INSUFFICIENT_PERMISSION', details: { required: 'console.operator' } } },
        },
        `${operation}: an agent`,
      )
      for (const token of [own.token, 'the key of the operator in tests']) {
        const { status } = await world.http(method, url, { token, headers: ownPage(world) })
        t.equal(status, 401, `${operation}: a bearer`)
      }
      if (method === 'GET') continue
      const elsewhere = await operator.call(method, addressOf(path), {
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      })
      t.match(elsewhere, { status: 403, body: { error: { code: 'ORIGIN_NOT_ALLOWED' } } }, `${operation}: another page`)
    }
  },
)

t.test('the session says what its user may do', async (t) => {
  t.same((await operator.call('GET', 'session')).body.user.permissions, OPERATOR)
  t.same(agent.session.user.permissions, ['console.agent'])
})

t.test('an operator sees every company, and an agent of another company nothing more than before', async (t) => {
  const channels = await read('channels')
  const projects = channels.data.map(({ project }: Json) => project._id)
  t.ok(projects.includes(own.project_id) && projects.includes(other.project_id))
  t.equal((await operator.call('GET', `projects/${other.project_id}/messages`)).status, 404, 'not as an agent')
  const { body } = await get(`channels?project_id=${other.project_id}`)
  t.strictSame(
    body.data.map(({ _id, company, waiting, sending }: Json) => [_id, company._id, waiting, sending]),
    [[other.number.channel_id, other.company_id, 0, null]],
  )
})

t.test('the overview has nodes, partitions, backlogs and samples, made once for all viewers', async (t) => {
  const first = await read('overview')
  const [node] = first.nodes
  t.match(node, { release: '0.1.0', leaving: false, is_connected: true, partitions: 8 })
  t.ok(node.lease_age_s < 10 && node.figures.memory_bytes > 0)
  t.strictSame(first.partitions, { total: 8, owners: [0, 0, 0, 0, 0, 0, 0, 0] })
  // The next reading may begin between two of the requests.
  const { samples, at } = await eventually('one reading for all', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => read('overview')))
    const { samples: later } = await read(`overview?since=${many[0]!.at}`)
    return new Set(many.map(({ at }) => at)).size === 1 && later.length === 0 && many[0]
  })
  t.equal(samples.at(-1).at, at)
  t.match(await get('overview?since=yesterday'), { status: 400 })
})

t.test('dead letters are counted by type, shown without secrets, replayed and dropped by type', async (t) => {
  await park('nowhere', 'lost', 3)
  await park('channel', 'rest', 2)
  const { groups, is_complete } = await read('dead-letters/types')
  t.same(
    groups.map(({ kind, type, count }: Json) => [kind, type, count]),
    [
      ['nowhere', 'lost', 3],
      ['channel', 'rest', 2],
    ],
  )
  t.equal(is_complete, true)
  const page = await read('dead-letters?kind=nowhere&type=lost&limit=2')
  t.match(page, { data: { length: 2 }, has_more: true })
  const rest = await read(`dead-letters?kind=nowhere&type=lost&limit=2&cursor=${page.next_cursor}`)
  t.same([rest.data.length, rest.next_cursor, rest.has_more], [1, null, false])
  const detail = await get(`dead-letters/${page.data[0].id}`)
  t.equal(detail.status, 200)
  t.notMatch(JSON.stringify([groups, page, detail.body]), /secret-of/)
  t.match(await post('dead-letters/drop', { kind: 'nowhere', type: 'lost' }), { status: 400 }, 'asks to confirm')
  const dropped = await post('dead-letters/drop', { kind: 'nowhere', type: 'lost', confirm: true })
  t.match(dropped, { status: 200, body: { dropped: 3, remaining: 0 } })
  t.equal((await operator.call('DELETE', `ops/dead-letters/${page.data[0].id}`)).status, 404)
  t.match(await post('dead-letters/replay', { kind: 'channel', type: 'rest' }), { status: 200, body: { replayed: 2 } })
  const entry = (await read('audit?action=ops_drop_dead_letters')).data[0]
  t.match(entry, { actor: { kind: 'user', id: operator_user._id, name: 'Olga Operator' } })
})

t.test('a channel is checked, which its row then says', async (t) => {
  const { channel_id } = own.number
  t.match(await post(`channels/${channel_id}/check`), { status: 200, body: { ok: true } })
  const row = (await read(`channels?project_id=${own.project_id}`)).data[0]
  t.match(row, { _id: channel_id, status: 'connected', last_check: { by: 'Olga Operator' } })
  t.notMatch(JSON.stringify((await get(`channels/${channel_id}`)).body), new RegExp(own.number.access_token))
  t.match(await get('channels?view=unwell'), { status: 200, body: { data: [], has_more: false } })
})

t.test('a channel with waiting messages is found, with its queue', async () => {
  const tenant = await makeTenant(world)
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 1 })
  for (let n = 0; n < 20; n++) await tenant.send(`+1555200${1000 + n}`)
  await eventually('it waits', async () => {
    const { data } = await read('channels?view=waiting')
    return data.some(({ _id, waiting, sending }: Json) => _id === tenant.number.channel_id && waiting > 0 && sending)
  })
})

t.test('disabled webhooks are listed without the secrets of their addresses', async (t) => {
  const webhook = await own.subscribe('hook?key=secret-of-url', ['whatsapp.message.received'], { name: 'Hook' })
  await database.execute(
    `update subscription set is_active = false, disabled_reason = 'failed for too long' where id = ?`,
    [webhook.id],
  )
  const { data, has_more } = await read('webhooks')
  t.equal(has_more, false)
  t.match(data, [{ id: webhook.id, disabled_reason: 'failed for too long', project: { _id: own.project_id } }])
  t.notMatch(JSON.stringify(data), /secret-of-url/)
})

t.test('tokens are listed by state and revoked, at once', async (t) => {
  const soon = new Date(Date.now() + 86_400_000).toISOString()
  const create = (name: string, expires_at: string | null = null) =>
    made(
      world.operator('POST', 'tokens', {
        project_id: other.project_id,
        user_id: other.user_id,
        name,
        scopes: ['messages:read'],
        expires_at,
      }),
    )
  const [first, second] = [await create('First', soon), await create('Second', soon)]
  const page = await read('tokens?state=expiring&limit=1')
  t.same([page.data[0].name, page.data[0].user._id], ['First', other.user_id])
  t.equal((await read(`tokens?state=expiring&limit=1&cursor=${page.next_cursor}`)).data[0].name, 'Second')
  t.notMatch(JSON.stringify(page), new RegExp(`${first.token}|"hash"`))
  const me = () => world.http('GET', `${world.base_url}/v1/me`, { token: second.token })
  t.equal((await me()).status, 200)
  t.equal((await operator.call('DELETE', `ops/tokens/${second._id}`)).status, 204)
  t.equal((await me()).status, 401)
  const revoked = await read(`tokens?state=revoked&project_id=${other.project_id}`)
  t.same(
    revoked.data.map(({ _id }: Json) => _id),
    [second._id],
  )
  const entry = (await read(`audit?target_id=${second._id}&action=ops_revoke_token`)).data[0]
  t.match(entry, { actor: { kind: 'user', name: 'Olga Operator' }, company_id: other.company_id })
})

t.test('users of any company are found, created and changed', async (t) => {
  const created = await made(
    post('users', {
      company_id: other.company_id,
      full_name: 'Zoë Zander',
      email: 'zoe.zander@example.com',
      password: PASSWORD,
      permissions: ['console.agent'],
    }),
  )
  const found = async (query: string) => (await read(`users?${query}`)).data.map(({ _id }: Json) => _id)
  t.same(await found('search=ZOË'), [created._id], 'by name')
  t.same(await found('search=zoe.zan'), [created._id], 'by address')
  t.same(await found(`search=zoe&company_id=${own.company_id}`), [])
  t.same(await found('search=%25'), [])
  t.same(await found('is_operator=true'), [operator_user._id])
  const others = await found(`is_operator=false&company_id=${own.company_id}`)
  t.ok(others.includes(agent_user._id) && !others.includes(operator_user._id))
  const zoe = await signIn(world, created)
  const changed = await operator.call('PATCH', `ops/users/${created._id}`, { json: { is_active: false } })
  t.match(changed, { status: 200, body: { is_active: false } })
  t.equal((await zoe.call('GET', 'session')).status, 401, 'the session has ended')
  t.equal((await trySignIn(world, { email: created.email, password: PASSWORD })).status, 401)
})

t.test('nobody becomes an operator, or takes over the account of one, through the console', async (t) => {
  const refused = { status: 403, body: { error: { code: 'INSUFFICIENT_ROLE', details: { required: 'admin' } } } }
  const patch = (id: string, json: Json) => operator.call('PATCH', `ops/users/${id}`, { json })
  const user = { company_id: own.company_id, full_name: 'Eve', email: 'eve@example.com', permissions: OPERATOR }
  t.match(await post('users', user), refused, 'by creation')
  t.match(await patch(agent_user._id, { permissions: OPERATOR }), refused, 'by a change')
  const colleague = await makeAgent(world, other, { permissions: OPERATOR })
  for (const json of [
    { password: 'a new password' },
    { email: 'mine@example.com' },
    { permissions: ['console.agent'] },
    { is_active: false },
  ]) {
    t.match(await patch(colleague._id, json), refused, Object.keys(json).join())
    t.match(await patch(operator_user._id, json), refused, `${Object.keys(json).join()}, of oneself`)
  }
  t.ok(await signIn(world, colleague), 'the account is as it was')
  t.match(await world.operator('PATCH', `users/${colleague._id}`, { permissions: ['console.agent'] }), { status: 200 })
})

t.test('a user who loses the permission keeps the session, and none of this', async (t) => {
  const user = await makeAgent(world, other, { permissions: OPERATOR })
  const { call } = await signIn(world, user)
  t.equal((await call('GET', 'ops/overview')).status, 200)
  await made(world.operator('PATCH', `users/${user._id}`, { permissions: ['console.agent'] }))
  t.equal((await call('GET', 'ops/overview')).status, 403)
  t.equal((await call('GET', 'session')).status, 200)
})

t.test('warnings say what is wrong, where, and what to do', async (t) => {
  await park('nowhere', 'left', 1)
  const found = await eventually('the next reading', async () => {
    const { warnings } = await read('overview')
    return warnings.length >= 3 && (warnings as Json[])
  })
  const places = found.map(({ place }) => place)
  for (const place of ['dead-letters', 'webhooks', 'tokens']) t.ok(places.includes(place), place)
  t.ok(found.every(({ title, advice }) => title.length > 10 && advice.length > 20))
})
