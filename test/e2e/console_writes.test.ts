/** Agents write through the same commands as tokens do: admitted by session and permission, exact, in the audit. */
import { connect } from 'node:net'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { formOf } from '../http/media_client.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { ORDER, people } from './broadcast_client.ts'
import { type Answer, eventually, type Json, patiently } from './client.ts'
import { joinCluster, statuses } from './cluster.ts'
import { type Console, makeAgent, ownPage, signIn } from './console_client.ts'
import { made, makeSister, makeTenant, type Tenant, text } from './fixture.ts'

const cluster = await joinCluster(t)
const { nodes, world } = cluster
const database = await openDatabase({ url: cluster.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const NOBODY = '66f2a0c1d4e5f60718293a4b'
const PERSON = '15550220001'
const routes = allRoutes().filter(({ auth, path }) => auth === 'agent' && path.includes(':project_id'))
const pathOf = (path: string, project_id: string) =>
  path.replace('/console/', '').replace(':project_id', project_id).replace(/:\w+/g, NOBODY)

type Desk = Console & { agent: Json; tenant: Tenant }

async function makeDesk(tenant: Tenant, permissions = ['console.agent'], where = nodes[0]!): Promise<Desk> {
  const agent = await makeAgent(world, tenant, { permissions })
  return { ...(await signIn({ http: world.http, base_url: where.base_url }, agent)), agent, tenant }
}

/** The same session at another node. */
const at = (desk: Desk, base_url: string) => (method: string, path: string, json?: Json, key?: string) =>
  world.http(method, `${base_url}/console/projects/${desk.tenant.project_id}/${path}`, {
    ...(json && { json }),
    headers: { cookie: desk.cookie, ...ownPage({ base_url }), ...(key && { 'idempotency-key': key }) },
  })

const counts = async (project_id: string): Promise<Json> => {
  const tables = ['message', 'ticket', 'contact', 'note', 'crm_event', 'audit_entry', 'subscription', 'idempotency']
  const all = ['bulk_action', 'appointment', 'knowledge_node', 'broadcast', 'media', ...tables]
  const sums = all.map((table) => `(select count(*)::int from ${table} where project_id = '${project_id}') as ${table}`)
  return (await database.execute(`select ${sums.join(', ')}`))[0]
}

t.test('each operation of a project is refused without a session, the permission or the project', async (t) => {
  const tenant = await makeTenant(world)
  const stranger = await makeTenant(world)
  const [desk, ended, dismissed] = [await makeDesk(tenant), await makeDesk(tenant), await makeDesk(tenant)]
  await ended.call('DELETE', 'session')
  await made(world.operator('PATCH', `users/${dismissed.agent._id}`, { permissions: ['developer.manage_webhooks'] }))
  const before = await counts(tenant.project_id)
  const foreign = await counts(stranger.project_id)
  t.ok(routes.length > 60, `${routes.length} operations`)
  const refuse = async ({ method, path, operation, permission }: (typeof routes)[number], place: number) => {
    // Each node allows one address a number of requests without a session.
    const node = nodes[place % nodes.length]!
    const url = `${node.base_url}/console/${pathOf(path, tenant.project_id)}`
    const json = method === 'GET' ? {} : { json: {} }
    const own: Record<string, string> = method === 'GET' ? {} : ownPage(node)
    const here = (console: Console, project_id: string, headers: Record<string, string> = {}) =>
      console.call(method, pathOf(path, project_id), { ...json, headers })
    const unknown = [
      world.http(method, url, { ...json, headers: own, token: tenant.token }),
      world.http(method, url, { ...json, headers: { ...own, cookie: ended.cookie } }),
      world.http(method, url, { ...json, headers: { ...own, cookie: dismissed.cookie } }),
    ]
    for (const { status } of await Promise.all(unknown)) t.equal(status, 401, operation)
    const elsewhere = await here(desk, stranger.project_id)
    t.match(elsewhere, { status: 404, body: { error: { code: 'NOT_FOUND' } } }, `${operation} of another company`)
    if (permission) {
      const lacking = { code: 'INSUFFICIENT_PERMISSION', details: { required: permission } }
      t.match(await here(desk, tenant.project_id), { status: 403, body: { error: lacking } }, operation)
    }
    if (method === 'GET') return
    const origins: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
    ]
    for (const headers of origins) {
      const answer = await here(desk, tenant.project_id, headers)
      t.match(answer, { status: 403, body: { error: { code: 'ORIGIN_NOT_ALLOWED' } } }, `${operation}, origin`)
    }
  }
  for (let n = 0; n < routes.length; n += 8) await Promise.all(routes.slice(n, n + 8).map(refuse))
  t.same(await counts(tenant.project_id), before, 'nothing was written')
  t.same(await counts(stranger.project_id), foreign)
})

t.test('the timeline names the agent who changed a ticket, and nobody for a token', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(tenant)
  const ask = at(desk, nodes[0]!.base_url)
  const user_id = desk.agent._id
  await tenant.writes('+15550220009', 'Good morning')
  const [{ _id }] = (await made(ask('GET', 'crm/tickets'))).data
  const path = `crm/tickets/${_id}`
  const latest = async () => (await made(ask('GET', `${path}/timeline?kind=event&limit=1`))).data[0]
  const pipeline = (await made(ask('GET', 'definitions'))).pipelines[0]
  await made(ask('PATCH', path, { assigned_to: user_id }))
  t.match(await latest(), { event_type: 'ticket.assigned', data: { assigned_to: user_id, user_id } })
  await made(ask('POST', `${path}/stage`, { stage_id: pipeline.stages[1]._id }))
  t.match(await latest(), { event_type: 'ticket.stage_changed', data: { user_id } })
  await made(ask('PATCH', path, { is_closed: true, resolution: 'won' }))
  t.match(await latest(), { event_type: 'ticket.closed', data: { resolution: 'won', user_id } })
  await made(ask('PATCH', path, { is_closed: false }))
  t.match(await latest(), { event_type: 'ticket.reopened', data: { user_id } })
  await made(tenant.api('PATCH', path, { is_closed: true }))
  t.match(await latest(), { event_type: 'ticket.closed', data: { user_id: null } })
  await made(tenant.api('PATCH', path, { is_closed: false }))
  const action = await made(ask('POST', 'bulk_actions', { filter: { ticket_ids: [_id] }, action: { type: 'close' } }))
  await eventually(
    'it is done',
    async () => (await made(ask('GET', `bulk_actions/${action.id}`))).status === 'completed',
  )
  t.match(await latest(), { event_type: 'ticket.closed', data: { user_id } })
})

t.test('what an agent writes is what a token would have written, in the name of the agent', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(tenant, ['console.agent', 'developer.manage_webhooks'])
  const ask = at(desk, nodes[1]!.base_url)
  await tenant.writes(`+${PERSON}`, 'Good morning')
  const [ticket] = (await made(ask('GET', 'crm/tickets'))).data
  const message = { channel: 'whatsapp', to: `+${PERSON}`, message: text('What can I do for you?') }
  const sent = await ask('POST', 'messages', message)
  t.equal(sent.status, 202)
  t.notOk(sent.headers['x-ratelimit-limit-minute'])
  await tenant.message(sent.body.id, 'read')
  const inbound = (await made(ask('GET', 'messages?status=received'))).data[0]
  t.same(await made(ask('POST', 'messages/mark-read', { message_id: inbound.id })), { success: true })
  t.equal((await made(ask('GET', `crm/tickets/${ticket._id}`))).unread_count, 0)

  const note = await made(ask('POST', 'crm/notes', { content: 'Polite', ticket_id: ticket._id }))
  t.same(note.created_by, { id: desk.agent._id, full_name: 'Ana Agent' })
  const path = `crm/tickets/${ticket._id}`
  const { version } = await made(tenant.api('GET', path))
  const base_url = nodes[0]!.base_url
  const matched = (etag: string) =>
    world.http('PATCH', `${base_url}/console/projects/${tenant.project_id}/${path}`, {
      json: { priority: 'high' },
      headers: { cookie: desk.cookie, ...ownPage({ base_url }), 'if-match': etag },
    })
  t.equal((await matched(`"${version}"`)).status, 200)
  t.match(await matched(`"${version}"`), { status: 412, body: { error: { code: 'PRECONDITION_FAILED' } } })
  t.equal((await made(tenant.api('GET', path))).priority, 'high')
  const { contact } = ticket
  t.equal((await ask('PATCH', `contacts/${ticket.chat_user ?? contact?._id}`, { name: 'Ana' })).status, 200)

  const hook = { name: 'Shop', url: world.sink.url('console'), events: ['crm.note.created'] }
  const subscription = await made(ask('POST', 'webhooks', hook))
  t.match(subscription.secret, /^whsec_/)
  t.equal((await made(ask('GET', `webhooks/${subscription.id}`))).secret, undefined)
  await made(ask('POST', 'crm/notes', { content: 'Two', ticket_id: ticket._id }))
  const [delivery] = await eventually('a delivery', async () => {
    const { data } = await made(ask('GET', `webhooks/${subscription.id}/deliveries`))
    return data.length > 0 && data
  })
  t.match(await made(ask('GET', `events/${delivery.event_id}`)), { type: 'crm.note.created', data: { content: 'Two' } })
  t.same(await made(ask('GET', 'webhooks/signing-keys')), { data: [], limit: 1000, offset: 0, has_more: false })
  const key = await made(ask('POST', 'webhooks/signing-keys/rotate'))
  t.match(key.public_key, /^whpk_/)
  const bulk = await made(ask('POST', 'messages/bulk', { ...ORDER, recipients: people(3) }))
  const finished = await eventually('it is completed', async () => {
    const one = await made(ask('GET', `messages/bulk/${bulk.broadcast_id}`))
    return one.status === 'completed' && one
  })
  t.equal(finished.user_id, desk.agent._id, 'who sent it')
  const found = await made(ask('GET', 'crm/search?search=Ana'))
  t.same(found.kinds, ['contact', 'ticket', 'message'])
  const { phone_number_id } = tenant.number
  const form = await formOf(Buffer.from('%PDF-1.4 page'), { filename: 'a.pdf', phone_number_id })
  const url = `${base_url}/console/projects/${tenant.project_id}/media/upload`
  const headers = { cookie: desk.cookie, ...ownPage({ base_url }), 'idempotency-key': 'file', ...form.headers }
  const [file, again] = [
    await world.http('POST', url, { ...form, headers }),
    await world.http('POST', url, { ...form, headers }),
  ]
  t.equal(file.status, 200, file.text)
  t.equal(again.text, file.text, 'a repeated upload is one file')
  const download = await ask('GET', `media/${file.body.media_id}/download?phone_number_id=${phone_number_id}`)
  t.equal(download.text, '%PDF-1.4 page')

  const shown = await made(ask('GET', 'definitions'))
  t.match(shown.channels, [{ _id: tenant.number.channel_id, channel_type: 'whatsapp', is_active: true }])
  t.ok(shown.users.some(({ _id, is_agent }: Json) => _id === desk.agent._id && is_agent))
  t.notMatch(JSON.stringify(shown), /access_token|app_secret|password/)

  const { data } = await made(world.operator('GET', `audit?project_id=${tenant.project_id}&actor_kind=user&limit=50`))
  t.same(
    data.map(({ action }: Json) => action).sort(),
    [
      'console_create_note',
      'console_create_note',
      'console_create_webhook',
      'console_rotate_webhook_signing_key',
      'console_send_bulk',
      'console_update_contact',
      'console_update_ticket',
    ],
    'messages, files and reads leave no entry',
  )
  const patched = data.find(({ action }: Json) => action === 'console_update_ticket')
  t.match(patched, {
    actor: { kind: 'user', id: desk.agent._id, name: 'Ana Agent' },
    target: { kind: 'ticket', id: ticket._id },
    before: { priority: null },
    after: { priority: 'high' },
  })
})

t.test('an idempotency key is exact over nodes, for each agent alone', async (t) => {
  const tenant = await makeTenant(world)
  const [desk, colleague] = [await makeDesk(tenant), await makeDesk(tenant)]
  const json = { channel: 'whatsapp', to: '+15550180000', message: text('Once') }
  const once = (console: Desk) => (n: number) =>
    patiently(() => at(console, nodes[n % 2]!.base_url)('POST', 'messages', json, 'one key'))
  const repeats = (console: Desk) => Promise.all(Array.from({ length: 40 }, (_, n) => once(console)(n)))
  const [own, others] = await Promise.all([repeats(desk), repeats(colleague)])
  const by_token = await tenant.send(
    '+15550180000',
    { message: text('Once') },
    { headers: { 'idempotency-key': 'one key' } },
  )
  for (const answers of [own, others]) {
    t.same(statuses(answers), { 202: 40 })
    t.equal(new Set(answers.map(({ text }) => text)).size, 1)
    t.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 39)
  }
  const ids = new Set([...own, ...others, by_token].map(({ body }) => body.id))
  t.equal(ids.size, 3, 'two agents and a token have keys of their own')
  t.equal((await made(tenant.api('GET', 'messages'))).data.length, 3)
  const changed = await at(desk, nodes[0]!.base_url)('POST', 'messages', { ...json, to: '+15550180001' }, 'one key')
  t.match(changed, { status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } })
  const sister = await makeSister(world, tenant)
  const elsewhere = at({ ...desk, tenant: sister }, nodes[1]!.base_url)
  const other = await elsewhere('POST', 'messages', json, 'one key')
  t.equal(other.status, 202, 'projects have keys of their own')
  t.notOk(ids.has(other.body.id))
})

/** Sends the head of a request and half of its body; `finish` sends the rest and resolves to the status. */
async function begun(desk: Desk, path: string, json: Json): Promise<{ finish(): Promise<number> }> {
  const { host, hostname, port } = new URL(world.base_url)
  const body = JSON.stringify(json)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const head = [
    `POST /console/projects/${desk.tenant.project_id}/${path} HTTP/1.1`,
    `Host: ${host}`,
    `Cookie: ${desk.cookie}`,
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`)
  return {
    async finish() {
      socket.write(body.slice(-1))
      await eventually('it answers', () => answer.includes('\r\n\r\n'))
      socket.destroy()
      return Number(answer.split(' ')[1])
    },
  }
}

t.test('a session that ends while a request is under way does nothing any more', async (t) => {
  const tenant = await makeTenant(world)
  const json = { content: 'x'.repeat(4900), ticket_id: NOBODY }
  const ends: Record<string, (desk: Desk) => Promise<Answer>> = {
    'a sign-out': (desk) => desk.call('DELETE', 'session'),
    'a deactivation': ({ agent }) => world.operator('PATCH', `users/${agent._id}`, { is_active: false }),
    'the loss of the permission': ({ agent }) => world.operator('PATCH', `users/${agent._id}`, { permissions: [] }),
    nothing: (desk) => desk.call('GET', 'session'),
  }
  for (const [what, end] of Object.entries(ends)) {
    const desk = await makeDesk(tenant)
    const request = await begun(desk, 'crm/notes', json)
    // A later request of the same session has been served, so the node has found the session of the first one.
    await desk.call('GET', 'session')
    t.ok((await end(desk)).status < 300)
    t.equal(await request.finish(), what === 'nothing' ? 201 : 401, what)
  }
  t.equal((await made(tenant.api('GET', 'crm/notes'))).data.length, 1)
})

t.test('requests that begin after an answered sign-out are refused on every node', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(tenant)
  let over = false
  const before: Answer[] = []
  const after: Answer[] = []
  const work = Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      for (let late = false; after.length < 24; late = over) {
        const ask = at(desk, nodes[n % 2]!.base_url)
        const answer = await (n % 3 === 0
          ? ask('GET', 'crm/notes')
          : ask('POST', 'crm/notes', { content: `${n}`, ticket_id: NOBODY }))
        ;(late ? after : before).push(answer)
      }
    }),
  )
  await eventually('both nodes are busy', () => before.length > 40)
  t.equal((await desk.call('DELETE', 'session')).status, 204)
  over = true
  await work
  t.same(Object.keys(statuses(after)), ['401'])
  const written = before.filter(({ status }) => status === 201).length
  const { count } = (
    await database.execute<{ count: number }>(`select count(*)::int as count from note where project_id = ?`, [
      tenant.project_id,
    ])
  )[0]!
  t.equal(count, written, 'answered writes are there, and no others')
})

t.test('agents draw on limits of their own', async (t) => {
  const tenant = await makeTenant(world, { minute: 3, hour: 3, day: 3 })
  const [desk, colleague] = [await makeDesk(tenant), await makeDesk(tenant)]
  const ask = at(desk, nodes[0]!.base_url)
  const answers: Answer[] = []
  while (answers.length < 2000 && answers.at(-1)?.status !== 429) {
    answers.push(
      ...(await Promise.all(Array.from({ length: 50 }, () => ask('POST', 'webhooks/none/test', { event_type: '?' })))),
    )
  }
  const refused = answers.find(({ status }) => status === 429)!
  t.match(refused.body, { error: { code: 'THROTTLED', details: { exceeded: ['minute'] } } })
  t.ok(Number(refused.headers['retry-after']) >= 1)
  t.equal((await ask('GET', 'crm/notes')).status, 200, 'reads go on')
  t.equal(
    (await at(colleague, nodes[0]!.base_url)('POST', 'crm/notes', { content: 'x', ticket_id: NOBODY })).status,
    201,
  )
  const { headers } = await tenant.api('GET', 'crm/notes')
  t.equal(headers['x-ratelimit-remaining-day'], '2', 'the budget of the project is untouched')
})
