/** Tokens and users change state, and both nodes act on it with the next request. */
import { io } from 'socket.io-client'
import t from 'tap'
import { AuditEntry, openDatabase, readRows } from '../../storage/mod.ts'
import { leaked, leakReporter, type Owner, startSmtp } from '../support/mod.ts'
import { eventually } from './client.ts'
import { startCluster } from './cluster.ts'
import { lightHash, signIn } from './console_client.ts'
import { made, makeSister, makeTenant, type Tenant } from './fixture.ts'

const reporter = leakReporter('one')
const smtp = await startSmtp(t)
const cluster = await startCluster(t, {
  config: {
    smtp_url: smtp.url,
    mail_from: 'parley@example.com',
    token_mail_to: ['owner', 'security@example.com'],
    secret_scanning_keys: { one: reporter.listed.key },
  },
  waits: { token_search_ms: 100 },
})
const database = await openDatabase({ url: cluster.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const { nodes, world } = cluster
const [first, second] = [nodes[0]!, nodes[1]!]

const report = (node: (typeof nodes)[number], matches: object[]) =>
  cluster.http('POST', `${node.base_url}/secret-scanning/alerts`, reporter.report(matches))

const SEND = { channel: 'whatsapp', to: '+15550180000', message: { type: 'text', body: 'Hello' } }

/** Statuses of a read and a write with the token, at each node. */
async function tried(token: string): Promise<number[]> {
  const answers = await Promise.all(
    nodes.flatMap((node) => [node.call(token, 'GET', 'me'), node.call(token, 'POST', 'messages', SEND)]),
  )
  return answers.map(({ status }) => status)
}

t.test(
  'tokens of several projects that are reported as public stop at every node, and their owners are told once',
  async (t) => {
    const one = await makeTenant(world)
    const other = await makeTenant(world)
    const sister = await makeSister(world, one)
    const tenants = [one, other, sister]
    for (const { token } of tenants) t.same(await tried(token), [200, 202, 200, 202])
    const matches = [...tenants, one].map(({ token }, n) => leaked(token, `https://github.com/acme/shop/blob/${n}`))
    const answers = await Promise.all([report(first, matches), report(second, matches), report(first, matches)])
    for (const { status, body } of answers) {
      t.equal(status, 200)
      t.same(new Set(body.map(({ label }: { label: string }) => label)), new Set(['true_positive']))
    }
    for (const { token } of tenants) t.same(await tried(token), [401, 401, 401, 401])
    const { body } = await world.operator('GET', `tokens/${one.token_id}`)
    t.match(body, { status: 'revoked', revoked_at: /Z$/ })
    await eventually('each owner and the second recipient have a mail', () => smtp.mails.length >= 6)
    const about = (id: string) => smtp.mails.filter((mail) => mail.text.includes(id))
    for (const { token_id, token } of tenants) {
      const mails = about(token_id)
      t.equal(mails.length, 2, 'one for each recipient')
      t.same(new Set(mails.map(({ to }) => to.length)), new Set([1]))
      t.ok(mails.some(({ to }) => to[0] === 'security@example.com'))
      t.ok(mails.some(({ to }) => to[0]!.startsWith('owner-')))
      t.notOk(
        mails.some(({ text }) => text.includes(token)),
        'the token itself is in no mail',
      )
    }
    t.match(about(one.token_id)[0]!.text, /blob\/0 \(commit\).*blob\/3 \(commit\)/s, 'every place is named')
    const entries = await readRows(database, AuditEntry, { target_id: one.token_id })
    const revocations = entries.filter(({ action }) => action !== 'create_token')
    t.match(revocations, [
      {
        actor_kind: 'system',
        actor_id: null,
        address: '127.0.0.1',
        action: 'report_leaked_tokens',
        target_kind: 'token',
        company_id: one.company_id,
        project_id: one.project_id,
        before: { revoked_at: null },
        after: { revoked_at: body.revoked_at, found: 2, found_at: [{ url: matches[0]!.url, source: 'commit' }, {}] },
      },
    ])
    t.equal(revocations.length, 1)
  },
)

t.test('a token that is revoked already is labelled, and its owner gets no mail', async (t) => {
  const { token, token_id } = await makeTenant(world)
  await world.operator('DELETE', `tokens/${token_id}`)
  const before = (await world.operator('GET', `tokens/${token_id}`)).body
  t.match((await report(second, [leaked(token)])).body, [{ label: 'true_positive' }])
  t.same((await world.operator('GET', `tokens/${token_id}`)).body, before)
  const dry = await makeTenant(world)
  const answer = await cluster.http(
    'POST',
    `${first.base_url}/secret-scanning/alerts?dry_run=true`,
    reporter.report([leaked(dry.token)]),
  )
  t.match(answer.body, [{ label: 'true_positive' }])
  t.same(await tried(dry.token), [200, 202, 200, 202], 'a dry run revokes nothing')
  t.notOk(smtp.mails.some(({ text }) => text.includes(token_id) || text.includes(dry.token_id)))
})

/** A tenant whose project is at this node. */
async function tenantAt(node: (typeof nodes)[number]): Promise<Tenant> {
  for (;;) {
    const tenant = await makeTenant(world)
    if ((await cluster.ownerOf(`project/${tenant.project_id}`)) === node) return tenant
  }
}

/** Opens the socket of a console. `watch` asks for the events of a project; `ended` has the last event. */
async function openSocket(t: Owner, base_url: string, cookie: string) {
  const socket = io(base_url, {
    path: '/console/socket.io',
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: { origin: base_url, cookie },
  })
  t.teardown(() => socket.disconnect())
  let last = ''
  socket.onAny((name) => (last = name))
  const ended = new Promise<string>((resolve) => socket.on('disconnect', () => resolve(last)))
  await new Promise<void>((resolve, reject) => socket.on('connect', resolve).on('connect_error', reject))
  return { watch: (project_id: string) => socket.timeout(10_000).emitWithAck('watch', { project_id }), ended }
}

t.test('everything of a deactivated user ends at both nodes with the answer to the operator', async (t) => {
  const tenant = await tenantAt(first)
  let sister = await makeSister(world, tenant)
  while ((await cluster.ownerOf(`project/${sister.project_id}`)) !== second) sister = await makeSister(world, tenant)
  const permissions = ['developer.manage_tokens', 'console.agent']
  const user = await made(world.operator('PATCH', `users/${tenant.user_id}`, { permissions }))
  await database.execute('update "user" set password_hash = ? where _id = ?', [await lightHash(), tenant.user_id])
  const console_ = await signIn(world, user)
  const sockets = await Promise.all(nodes.map(({ base_url }) => openSocket(t, base_url, console_.cookie)))
  for (const socket of sockets) t.match(await socket.watch(tenant.project_id), { resync: false })
  const { cookie } = console_
  const calls = nodes.flatMap((node) => [
    () => node.call(tenant.token, 'GET', 'me'),
    () => node.call(sister.token, 'GET', 'messages?limit=1'),
    () => node.call(sister.token, 'POST', 'messages', SEND),
    () => cluster.http('GET', `${node.base_url}/console/session`, { headers: { cookie } }),
    () =>
      cluster.http('GET', `${node.base_url}/console/projects/${tenant.project_id}/messages/bulk`, {
        headers: { cookie },
      }),
  ])
  let over = false
  const before: number[] = []
  const after: number[] = []
  const work = Promise.all(
    calls.map(async (call) => {
      for (let late = false, n = 0; n < 5; late = over) {
        const { status } = await call()
        if (late) n++
        ;(late ? after : before).push(status)
      }
    }),
  )
  await eventually('all are at work', () => before.length > 100)
  t.same(new Set(before), new Set([200, 202]))
  await made(world.operator('PATCH', `users/${tenant.user_id}`, { is_active: false }))
  over = true
  await work
  t.same(new Set(after), new Set([401]))
  t.same(await Promise.all(sockets.map(({ ended }) => ended)), ['signed_out', 'signed_out'])
  await t.rejects(openSocket(t, second.base_url, cookie), { message: 'UNAUTHORIZED' })
})

t.test('a deactivation that the projects were not told of shows when a use of the token is stored', async (t) => {
  const { token, user_id } = await makeTenant(world)
  await database.execute('update "user" set is_active = false where _id = ?', [user_id])
  await eventually('the token is refused', async () => (await second.call(token, 'GET', 'me')).status === 401)
  t.equal((await first.call(token, 'GET', 'me')).status, 401)
})

t.test('owners are warned before a token expires, once for each threshold, and of no token that ended', async (t) => {
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  const token = async (name: string, { project_id, user_id } = tenant): Promise<string> =>
    (await made(world.operator('POST', 'tokens', { project_id, user_id, name, scopes: ['messages:read'] })))._id
  /** The token was made `age` days ago and expires `left` days from now. */
  const date = (id: string, age: number, left: number) =>
    database.execute(
      `update token set created_at = now() - ? * interval '1 hour', expires_at = now() + ? * interval '1 hour'
        where _id = ?`,
      [age * 24, left * 24, id],
    )
  const warnings = (id: string) =>
    smtp.mails
      .filter(({ text, to }) => text.includes(id) && to[0]!.startsWith('owner-'))
      .map(({ text }) => text.split('\n')[0]!.trim())
  const warned = (id: string, ...subjects: string[]) =>
    eventually(`${subjects.length} warnings`, () => warnings(id).length === subjects.length).then(() =>
      t.same(warnings(id), subjects),
    )

  const [short, expired, far, revoked, foreign] = await Promise.all([
    token('short-lived'),
    token('expired'),
    token('far'),
    token('revoked'),
    token('of a deactivated owner', other),
  ])
  await world.operator('PATCH', `users/${other.user_id}`, { is_active: false })
  await world.operator('DELETE', `tokens/${revoked}`)
  await date(short, 0.1, 0.5)
  await date(expired, 30, -1)
  await date(far, 30, 15)
  await date(revoked, 30, 2)
  await date(foreign, 30, 2)
  const due = await token('due')
  await date(due, 30, 2.5)
  await warned(due, 'The access token "due" expires in 3 days.')
  // A later search has found what an earlier one would have found.
  const next = await token('next')
  await date(next, 30, 13.5)
  await warned(next, 'The access token "next" expires in 14 days.')
  for (const id of [short, expired, far, revoked, foreign]) t.same(warnings(id), [])

  const pass = (hours: number) =>
    database.execute(
      `update token set expires_at = expires_at - ? * interval '1 hour',
        warned_expires_at = warned_expires_at - ? * interval '1 hour' where _id = ?`,
      [hours, hours, due],
    )
  await pass(36)
  await warned(due, 'The access token "due" expires in 3 days.', 'The access token "due" expires within a day.')
  await pass(12)
  const expires_at = new Date(Date.now() + 2.5 * 86_400_000).toISOString()
  await made(world.operator('PATCH', `tokens/${due}`, { expires_at }))
  const all = ['in 3 days', 'within a day', 'in 3 days'].map((when) => `The access token "due" expires ${when}.`)
  await warned(due, ...all)
  t.same(warnings(next), ['The access token "next" expires in 14 days.'])
})

t.test('the last use of a token is stored once a minute, and the next owner of its project goes on', async (t) => {
  const [stays, moves, ahead] = [await tenantAt(first), await tenantAt(second), await tenantAt(second)]
  const tenants = [stays, moves, ahead]
  const lastUses = async () => {
    const tokens = await Promise.all(tenants.map(({ token_id }) => world.operator('GET', `tokens/${token_id}`)))
    return tokens.map(({ body }) => body.last_used_at as string | null)
  }
  const use = (path: string) =>
    Promise.all(tenants.flatMap(({ token }) => nodes.map((node) => node.call(token, 'GET', path))))
  t.same(await lastUses(), [null, null, null])
  const begun = new Date().toISOString()
  await use('me')
  const used = await eventually('all are stored', async () => {
    const found = await lastUses()
    return found.every((at) => at !== null) && found
  })
  for (const at of used) t.ok(at! >= begun && at! <= new Date().toISOString(), `${begun} ${at}`)
  for (let n = 0; n < 20; n++) await use('messages?limit=1')
  t.same(await lastUses(), used, 'later requests write nothing for now')
  const { data } = (await world.operator('GET', `tokens?project_id=${moves.project_id}&unused_since=${begun}`)).body
  t.same(data, [], 'a token that was used since is not listed')
  const date = (at: string, { token_id }: Tenant) =>
    database.execute('update token set last_used_at = ? where _id = ?', [at, token_id])
  await date('2020-01-01T00:00:00.000Z', moves)
  await date('2100-01-01T00:00:00.000Z', ahead)
  await cluster.drain(second)
  await use('me')
  await eventually('the next owner stores a later use', async () => (await lastUses())[1]! >= begun)
  t.equal((await lastUses())[2], '2100-01-01T00:00:00.000Z', 'a clock that is behind takes nothing back')
})
