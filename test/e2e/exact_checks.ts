/**
 * The checks that every exact promise stays exact from two nodes at once. `exact.test.ts` runs each of them, and
 * `exact_moved.long.test.ts` all of them at the same time while partitions change hands: one file, because they share two
 * nodes.
 */
import type { Test } from 'tap'
import { scopes } from '../../actors/mod.ts'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { identityToken, visitPage } from '../http/visitor_page.ts'
import { leaked, leakReporter } from '../support/mod.ts'
import { type Answer, eventually, type Json, patiently, sleep } from './client.ts'
import { allMessages, type ClusterNode, startCluster, statuses, type TestCluster } from './cluster.ts'
import { makeAgent, ownPage, signIn } from './console_client.ts'
import { connectNumber, made, makeTenant, type Tenant } from './fixture.ts'
import { startPoller } from './poller.ts'
import { callAsProvider } from './provider_call.ts'

const reporter = leakReporter('one')
let cluster: TestCluster
let nodes: TestCluster['nodes']
let world: TestCluster['world']
let database: Database

/** Starts the two nodes that the checks of a file use. */
export async function beginExact(t: Test): Promise<{ cluster: TestCluster; database: Database }> {
  cluster = await startCluster(t, { config: { secret_scanning_keys: { one: reporter.listed.key } } })
  database = await openDatabase({ url: cluster.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  ;({ nodes, world } = cluster)
  return { cluster, database }
}

export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)
const text = (body: string) => ({ type: 'text', body })

/** Runs `ask` `count` times at once, through the nodes in turn. */
function atOnce<Result>(count: number, ask: (node: ClusterNode, n: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(upTo(count).map((n) => ask(nodes[n % nodes.length]!, n)))
}

/** Calls the provider's webhook with one message, signed as the provider does. */
function inbound({ base_url }: ClusterNode, { number }: Tenant, id: string, from: string): Promise<Answer> {
  const contacts = [{ wa_id: from, profile: { name: 'Ana' } }]
  return callAsProvider({ http: cluster.http, base_url }, number, { messages: [{ id, from }], contacts })
}

/**
 * `spread_ms`: milliseconds over which a check spreads its requests, so that a handover falls among them. `begun`: the
 * requests so far.
 */
export const pace = { spread_ms: 0, begun: 0 }
const somewhen = async () => {
  await sleep(Math.random() * pace.spread_ms)
  pace.begun++
}

let keys = 0

export type Window = { name: 'minute' | 'hour' | 'day'; limit: number }

/** Checks a window on which reads from memory, reads of the database and sends all draw. */
export async function windowIsExact(t: Test, { name, limit }: Window): Promise<void> {
  const limits = { minute: 5000, hour: 5000, day: 5000, [name]: limit }
  const tenant = await makeTenant(world, limits)
  const calls = [
    (node: ClusterNode) => node.call(tenant.token, 'GET', 'me'),
    (node: ClusterNode) => node.call(tenant.token, 'GET', 'messages?limit=1'),
    (node: ClusterNode) =>
      node.call(tenant.token, 'POST', 'messages', { channel: 'whatsapp', to: '+15550180000', message: text('Hello') }),
  ]
  const answers = await atOnce(3 * limit, async (node, n) => {
    await somewhen()
    return calls[Math.floor(n / nodes.length) % calls.length]!(node)
  })
  // A busy machine may refuse a request that it has admitted. The window counts the request all the same.
  const admitted = answers.filter(({ status, headers }) => status !== 429 && headers[`x-ratelimit-limit-${name}`])
  t.equal(admitted.length, limit, `the ${name} lets in its limit`)
  const left = admitted.map(({ headers }) => Number(headers[`x-ratelimit-remaining-${name}`]))
  t.same(
    left.sort((a, b) => a - b),
    upTo(limit),
    `and each of the ${name} is counted once`,
  )
  const messages = await database.execute('select id from message where project_id = ?', [tenant.project_id])
  t.equal(messages.length, statuses(answers)[202] ?? 0, 'refused sends were not done')
}

/**
 * Workers at both nodes never stop asking. Every request that begins after the answer to the revocation is refused.
 */
export async function revocationIsExact(
  t: Test,
  what: string,
  revoke: (tenant: Tenant) => Promise<Answer>,
  success = 204,
): Promise<void> {
  const tenant = await makeTenant(world)
  let revoked = false
  const before: Answer[] = []
  const after: Answer[] = []
  const work = atOnce(12, async (node, n) => {
    for (let late = false; after.length < 60; late = revoked) {
      const write = n % 3 === 0
      const send = { channel: 'whatsapp', to: `+1555018${1000 + n}`, message: text('Hello') }
      const answer = await (write
        ? node.call(tenant.token, 'POST', 'messages', send)
        : node.call(tenant.token, 'GET', n % 3 === 1 ? 'me' : 'messages?limit=1'))
      ;(late ? after : before).push(answer)
    }
  })
  await sleep(pace.spread_ms / 2)
  await eventually('both nodes are busy', () => before.length > 50)
  const { status } = await revoke(tenant)
  revoked = true
  await work
  t.equal(status, success, what)
  t.ok((statuses(before)[200] ?? 0) > 0)
  t.same(Object.keys(statuses(after)), ['401'], `a token ${what} opens nothing at either node`)
}

export async function keyIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const body = { channel: 'whatsapp', to: '+15550180000', message: text('Once') }
  const headers = { 'idempotency-key': 'two hundred' }
  const answers = await atOnce(200, async (node) => {
    await somewhen()
    return patiently(() => node.call(tenant.token, 'POST', 'messages', body, { headers }))
  })
  t.same(statuses(answers), { 202: 200 }, 'one key, 200 times')
  t.equal(new Set(answers.map(({ text }) => text)).size, 1, 'one answer')
  t.equal(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true').length, 199)
  await tenant.message(answers[0]!.body.id, 'read')
  t.equal((await tenant.sent()).length, 1, 'one message at the provider')
  t.equal((await allMessages(nodes[1]!, tenant.token)).length, 1)
}

/** A receiver that polls both nodes in turn gets each event once and in order. */
export async function pollIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const events = ['whatsapp.message.received']
  const { id } = await made(() => tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events }))
  let turn = 0
  const poller = startPoller((query) =>
    nodes[turn++ % nodes.length]!.call(tenant.token, 'GET', `webhooks/${id}/poll${query}`),
  )
  const path = `webhooks/${id}/poll`
  const { next_cursor } = await made(() => tenant.api('GET', path))
  // A poll that no news wakes ends with an empty page.
  const woken = nodes.map((node) =>
    patiently(() => node.call(tenant.token, 'GET', `${path}?wait=25&cursor=${next_cursor}`)),
  )
  const count = 30
  await atOnce(count, async (node, n) => {
    await somewhen()
    return patiently(() => inbound(node, tenant, `wamid.poll.${id}.${n}`, `1555767${1000 + n}`))
  })
  await eventually('all events', () => poller.seen.length >= count)
  await poller.stop()
  for (const { body } of await Promise.all(woken)) t.ok(body.data.length > 0, 'a commit wakes polls of both nodes')
  const deliveries = await tenant.deliveries(id)
  t.strictSame(
    poller.seen.map((event) => event.id),
    deliveries.map(({ event_id }) => event_id).reverse(),
    'each event once, in order',
  )
}

/** The primary key of `webhook_key`: many subscriptions that want the first key of a project make one. */
export async function signingKeyIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const fields = { url: world.sink.url('exact-keys'), events: ['crm.*'], ed25519: true }
  await atOnce(12, async (node, n) => {
    await somewhen()
    return made(() => node.call(tenant.token, 'POST', 'webhooks', { name: `Signed ${n}`, ...fields }))
  })
  const { keys } = await made(cluster.http('GET', `${nodes[1]!.base_url}/v1/projects/${tenant.project_id}/jwks.json`))
  t.equal(keys.length, 1, 'one key of the project')
}

/** `contact_identity`: fifty sends and inbound messages at once, for a person whom none of the senders knows yet. */
export async function contactIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const to = '+15550180001'
  const answers = await atOnce(50, async (node, n) => {
    await somewhen()
    if (Math.floor(n / nodes.length) % 2) {
      return patiently(() => inbound(node, tenant, `wamid.contact.${n}`, to.slice(1)))
    }
    const headers = { 'idempotency-key': `contact ${n}` }
    const send = { channel: 'whatsapp', to, message: text(`${n}`) }
    return patiently(() => node.call(tenant.token, 'POST', 'messages', send, { headers }))
  })
  t.ok(
    answers.every(({ status }) => status === 202 || status === 200),
    JSON.stringify(statuses(answers)),
  )
  const messages = await allMessages(nodes[0]!, tenant.token)
  t.equal(messages.length, 50)
  t.equal(new Set(messages.map(({ chat_user }) => chat_user)).size, 1, 'one contact')
  const rows = await database.execute('select _id from contact where project_id = ?', [tenant.project_id])
  t.same(rows, [{ _id: messages[0].chat_user }])
}

/** `message_provider`: the provider repeats one call to both nodes. */
export async function inboundIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const answers = await atOnce(50, async (node, n) => {
    await somewhen()
    return patiently(() => inbound(node, tenant, `wamid.repeated.${n % 5}`, '15550180002'))
  })
  t.same(statuses(answers), { 200: 50 })
  const stored = (await allMessages(nodes[1]!, tenant.token)).map(({ provider_message_id }) => provider_message_id)
  t.same(
    stored.sort(),
    upTo(5).map((n) => `wamid.repeated.${n}`),
  )
}

/** `flow_provider`: one request to register a Flow, repeated to both nodes, beside many different ones. */
export async function flowIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const layout = {
    type: 'SingleColumnLayout',
    children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
  }
  const flow_json = { version: '7.0', screens: [{ id: 'ONE', title: 'One', terminal: true, layout }] }
  const register = (node: ClusterNode, name: string) =>
    patiently(async () => {
      const headers = { 'idempotency-key': name }
      const answer = await node.call(
        tenant.token,
        'POST',
        'flows',
        { name, categories: ['SURVEY'], flow_json },
        { headers },
      )
      // Another request works on the same key. The answer comes when that request is done.
      return answer.status === 409 ? { ...answer, status: 503 } : answer
    })
  const same = await atOnce(20, (node) => register(node, 'Same'))
  t.same(statuses(same), { 201: 20 })
  t.equal(new Set(same.map(({ body }) => body.id)).size, 1, 'one Flow')
  const others = await atOnce(10, (node, n) => register(node, `Other ${n}`))
  t.equal(new Set(others.map(({ body }) => body.provider_flow_id)).size, 10)
  const { body } = await nodes[0]!.call(tenant.token, 'GET', 'flows?limit=200')
  t.equal(body.data.length, 11)
}

/** `history_import_pairing`: twenty requests for the history of one phone. */
export async function historyIsExact(t: Test): Promise<void> {
  const { number } = await makeTenant(world)
  const answers = await atOnce(20, (node) =>
    patiently(() => node.operator('POST', `channels/${number.channel_id}/history`, {})),
  )
  t.same(statuses(answers), { 201: 1, 409: 19 })
}

/** `crm_event_key`: two hundred requests with one key, half of them from another project of the company. */
export async function eventKeyIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const second = await secondProject(tenant)
  const people = await Promise.all([tenant.token, second].map((token) => newContact(token)))
  const projectOf = (n: number) => Math.floor(n / nodes.length) % 2
  const record = (node: ClusterNode, n: number, idempotency_key: string) => {
    const at = projectOf(n)
    const body = { event_type: 'payment.confirmed', data: { n }, chat_user_id: people[at], idempotency_key }
    return patiently(() => node.call(at === 0 ? tenant.token : second, 'POST', 'crm/events', body))
  }
  const answers = await atOnce(200, async (node, n) => {
    await somewhen()
    return record(node, n, 'one event')
  })
  /** Checks that one project has the event, as often as it asked, and that the other project learns nothing of it. */
  const isOneEvent = (answers: Answer[], key: string) => {
    const of = [0, 1].map((project) => answers.filter((_, n) => projectOf(n) === project))
    const winner = of.findIndex((own) => own.some(({ body }) => body.event))
    const { 201: recorded = 0, 200: replayed = 0 } = statuses(of[winner]!)
    // A client asks again when the machine was too busy to answer.
    t.ok(recorded <= 1, `${key} is recorded once`)
    t.equal(recorded + replayed, of[winner]!.length)
    t.equal(new Set(of[winner]!.map(({ body }) => body.event._id)).size, 1, 'every answer names the same event')
    t.same(statuses(of[1 - winner]!), { 409: of[1 - winner]!.length }, 'the other project gets 409 alone')
    for (const { body } of of[1 - winner]!) {
      t.equal(body.error.code, 'IDEMPOTENCY_KEY_REUSED')
      t.same(Object.keys(body.error), ['code', 'message'])
    }
    return of[winner]![0]!.body.event._id
  }
  const _id = isOneEvent(answers, 'one event')
  const rows = await database.execute('select _id from crm_event where company_id = ? and idempotency_key = ?', [
    tenant.company_id,
    'one event',
  ])
  t.same(rows, [{ _id }])
  const races = await Promise.all(upTo(10).map((race) => atOnce(4, (node, n) => record(node, n, `race ${race}`))))
  for (const [race, answers] of races.entries()) isOneEvent(answers, `race ${race}`)
}

/**
 * `contact_identity`: two projects of a company get messages of the same person and create the contact of the whole
 * channel type, all at once.
 */
export async function siblingsAreExact(t: Test): Promise<void> {
  const one = await makeTenant(world)
  const token = await secondProject(one)
  const { body } = await nodes[0]!.call(token, 'GET', 'me')
  const number = await connectNumber(world, body.project.id)
  const two: Tenant = { ...one, project_id: body.project.id, token, number }
  const user_id = '15550180003'
  const wide = { channel_type: 'whatsapp', user_id }
  const answers = await atOnce(60, async (node, n) => {
    await somewhen()
    const [tenant, what] = [Math.floor(n / 2) % 2 ? one : two, Math.floor(n / 4) % 3]
    if (what === 0) return patiently(() => node.call(tenant.token, 'POST', 'contacts', wide))
    if (what === 1) return patiently(() => inbound(node, tenant, `wamid.sibling.${n}`, user_id))
    const headers = { 'idempotency-key': `sibling ${n}` }
    const send = { channel: 'whatsapp', to: `+${user_id}`, message: text(`${n}`) }
    return patiently(() => node.call(tenant.token, 'POST', 'messages', send, { headers }))
  })
  const found = statuses(answers)
  const { 200: heard, 202: sent, 201: created = 0, 400: refused = 0 } = found
  t.same([heard, sent, created + refused], [20, 20, 20], JSON.stringify(found))
  const rows = await database.execute('select 1 from contact where company_id = ? and channel_id is null', [
    one.company_id,
  ])
  t.equal(rows.length, 1, 'there is one contact of the whole channel type')
  for (const { token } of [one, two]) {
    const contacts = (await made(patiently(() => nodes[0]!.call(token, 'GET', 'contacts')))).data as Json[]
    const messages = await allMessages(nodes[1]!, token)
    t.equal(messages.length, 20)
    const ids = contacts.map(({ _id }) => _id)
    t.ok(
      messages.every(({ chat_user }) => ids.includes(chat_user)),
      'all messages of a project are of its own contacts',
    )
    const tickets = (await made(patiently(() => nodes[0]!.call(token, 'GET', 'crm/tickets')))).data as Json[]
    t.ok(tickets.length > 0 && tickets.every(({ chat_user }) => ids.includes(chat_user)))
  }
}

/** `ticket_open`: fifty events of a contact that has no ticket. */
export async function openTicketIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const chat_user_id = await newContact(tenant.token)
  const answers = await atOnce(50, async (node, n) => {
    await somewhen()
    const body = { event_type: 'payment.confirmed', data: { n }, chat_user_id, idempotency_key: `event ${n}` }
    return patiently(() => node.call(tenant.token, 'POST', 'crm/events', body))
  })
  t.ok(answers.every(({ status }) => status === 201 || status === 200))
  t.equal(new Set(answers.map(({ body }) => body.event.ticket_id)).size, 1, 'one ticket')
  const rows = await database.execute('select _id from ticket where chat_user = ?', [chat_user_id])
  t.same(rows, [{ _id: answers[0]!.body.event.ticket_id }])
  const { body } = await nodes[1]!.call(tenant.token, 'GET', `crm/events?event_type=payment.confirmed&limit=200`)
  t.equal(body.data.length, 50, 'with every event on it')
}

/**
 * `ticket_open`: two closed tickets of a contact are reopened, each twenty-five times, beside events of the contact.
 */
export async function reopeningIsExact(t: Test): Promise<void> {
  const { token } = await makeTenant(world)
  const chat_user_id = await newContact(token)
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id }
  const closed: string[] = []
  for (const node of nodes) {
    const { ticket_id } = (await made(patiently(() => node.call(token, 'POST', 'crm/events', event)))).event
    await made(patiently(() => node.call(token, 'PATCH', `crm/tickets/${ticket_id}`, { is_closed: true })))
    closed.push(ticket_id)
  }
  const answers = await atOnce(60, async (node, n) => {
    await somewhen()
    if (n % 6 === 5) return patiently(() => node.call(token, 'POST', 'crm/events', event))
    const id = closed[Math.floor(n / nodes.length) % 2]
    return patiently(() => node.call(token, 'PATCH', `crm/tickets/${id}`, { is_closed: false }))
  })
  const found = statuses(answers)
  t.equal((found[200] ?? 0) + (found[201] ?? 0) + (found[409] ?? 0), 60, JSON.stringify(found))
  const rows = await database.execute('select _id from ticket where chat_user = ? and not is_closed', [chat_user_id])
  t.equal(rows.length, 1, 'one ticket is open')
  const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body.error)
  for (const { code, details } of refused) t.same([code, details], ['TICKET_ALREADY_OPEN', { ticket_id: rows[0]!._id }])
  t.ok(refused.length > 0)
}

/** Makes a token of another project of the same company. */
async function secondProject({ company_id, user_id }: Tenant): Promise<string> {
  const limits = { minute: 5000, hour: 5000, day: 5000 }
  const project = await made(world.operator('POST', 'projects', { company_id, name: 'Second', limits }))
  const token = { project_id: project._id, user_id, name: 'Second', scopes }
  return (await made(world.operator('POST', 'tokens', token))).token
}

let people = 0

async function newContact(token: string): Promise<string> {
  const contact = { channel_type: 'telegram', user_id: `u${++people}` }
  return (await made(nodes[0]!.call(token, 'POST', 'contacts', contact)))._id
}

/** `user_email`, `channel_account` and the other records that operators may make only once. */
export async function recordsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { company_id, project_id } = tenant
  const spellings = ['One@example.com', 'one@EXAMPLE.com', 'one@example.com']
  const email = (n: number) => `${project_id}.${spellings[n % 3]}`
  const users = await atOnce(50, (node, n) =>
    node.operator('POST', 'users', { company_id, full_name: 'One', email: email(n) }),
  )
  t.same(statuses(users), { 201: 1, 409: 49 }, 'one user of an e-mail address')

  const second = await connectNumber(world, tenant.project_id)
  const stored = (await world.operator('GET', `channels?project_id=${project_id}`)).body.data
  t.equal(stored.length, 2)
  const other = await makeTenant(world)
  const { channel_id, ...account } = second
  const credentials = { ...account, business_account_id: '1', access_token: 'x', api_base_url: world.simulator_url }
  const channel = {
    project_id: other.project_id,
    channel_type: 'whatsapp',
    provider: 'simulator',
    name: 'Same',
    credentials,
  }
  const channels = await atOnce(20, (node) => node.operator('POST', 'channels', channel))
  t.same(statuses(channels), { 201: 1, 409: 19 }, 'one channel of an account in a project')

  const checks = await atOnce(20, (node) => node.operator('POST', `channels/${channel_id}/check`))
  t.same(statuses(checks), { 200: 20 }, 'templates are synchronised by many at once')
  const templates = (await tenant.api('GET', `messages/templates?channel_id=${channel_id}&limit=200`)).body.data
  const names = templates.map(({ name, language }: Json) => `${name} ${language}`)
  t.ok(names.length > 0)
  t.equal(new Set(names).size, names.length, 'no template is stored twice')

  const tokens = await atOnce(50, (node, n) =>
    node.operator('POST', 'tokens', { project_id, user_id: tenant.user_id, name: `Token ${n}`, scopes }),
  )
  t.equal(new Set(tokens.map(({ body }) => body.token)).size, 50)
  const opened = await atOnce(50, (node, n) =>
    patiently(() => node.call(tokens[(n + 1) % 50]!.body.token, 'GET', 'me')),
  )
  t.same(
    opened.map(({ body }, n) => body.token?.id === tokens[(n + 1) % 50]!.body._id),
    upTo(50).map(() => true),
    'each token is known to the other node at once',
  )
  const patches = await atOnce(40, (node, n) =>
    patiently(() =>
      node.operator(
        'PATCH',
        `users/${tenant.user_id}`,
        n % 4 < 2 ? { full_name: 'New' } : { permissions: ['console.agent'] },
      ),
    ),
  )
  t.same(statuses(patches), { 200: 40 })
  t.match((await world.operator('GET', `users/${tenant.user_id}`)).body, {
    full_name: 'New',
    permissions: ['console.agent'],
  })
}

/**
 * `event_type_key`, `custom_field_key`, `tag_name` and `pipeline_default`: the records that operators set up for the
 * CRM.
 */
export async function definitionsAreExact(t: Test): Promise<void> {
  const { company_id, project_id } = await makeTenant(world)
  const once: [string, (n: number) => Json][] = [
    ['event-types', (n) => ({ company_id, key: n % 2 ? 'once' : 'custom.once', name: 'Once' })],
    ['custom-fields', () => ({ company_id, owner: 'ticket', key: 'once', name: 'Once', type: 'string' })],
    ['tags', (n) => ({ project_id, name: n % 2 ? 'Once' : 'ONCE' })],
  ]
  for (const [path, body] of once) {
    const answers = await atOnce(20, (node, n) => node.operator('POST', path, body(n)))
    t.same(statuses(answers), { 201: 1, 409: 19 }, `one of ${path}`)
  }
  const stages = [{ name: 'New' }]
  const made = await atOnce(20, (node, n) =>
    node.operator('POST', 'pipelines', { project_id, name: `${n}`, is_default: true, stages }),
  )
  t.same(statuses(made), { 201: 20 }, 'each of many pipelines becomes the default')
  const taken = await atOnce(20, (node, n) =>
    node.operator('PATCH', `pipelines/${made[n]!.body._id}`, { is_default: true }),
  )
  t.same(statuses(taken), { 200: 20 })
  const { data } = (await world.operator('GET', `pipelines?project_id=${project_id}&limit=200`)).body
  t.equal(data.length, 21)
  t.equal(data.filter(({ is_default }: Json) => is_default).length, 1, 'one pipeline is the default in the end')
  const added = await atOnce(20, (node, n) =>
    node.operator('POST', `pipelines/${data[0]._id}/stages`, { name: `${n}`, position: 0 }),
  )
  t.same(statuses(added), { 201: 20 })
  const { body } = await world.operator('GET', `pipelines/${data[0]._id}`)
  t.same(
    body.stages.map(({ position }: Json) => position),
    upTo(21),
    'each stage has a place of its own',
  )
}

/** `customer_external_id` and `ticket_external_id`: one of many records takes an id, and another when it was given back. */
export async function externalIdsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { company_id, token } = tenant
  const made_customers = await atOnce(20, async (node, n) => {
    await somewhen()
    return node.operator('POST', 'customers', { company_id, full_name: `Ana ${n}`, external_id: 'C-1' })
  })
  t.same(statuses(made_customers), { 201: 1, 409: 19 }, 'one customer of an external id')
  await Promise.all(upTo(10).map((n) => tenant.writes(`+1555745${1000 + n}`, 'Hello')))
  const tickets = await eventually('ten tickets', async () => {
    const { data } = await made(patiently(() => nodes[0]!.call(token, 'GET', 'crm/tickets')))
    return data.length === 10 && (data as Json[])
  })
  const take = (external_id: string | null) => (node: ClusterNode, n: number) =>
    patiently(() => node.call(token, 'PATCH', `crm/tickets/${tickets[n]!._id}`, { external_id }))
  t.same(statuses(await atOnce(10, take('T-1'))), { 200: 1, 409: 9 }, 'one ticket of an external id')
  t.same(statuses(await atOnce(10, take(null))), { 200: 10 })
  t.same(statuses(await atOnce(10, take('T-1'))), { 200: 1, 409: 9 }, 'and one when it was given back')
}

/** `operator_key_name` and `operator_key_hash`: requests that begin after the answer to the revocation are refused. */
export async function operatorKeysAreExact(t: Test): Promise<void> {
  const name = `Key ${++keys}`
  const answers = await atOnce(20, async (node, n) => {
    await somewhen()
    return node.operator('POST', 'operator-keys', { name: n % 2 ? name : name.toUpperCase(), role: 'read' })
  })
  t.same(statuses(answers), { 201: 1, 409: 19 }, 'one key of a name')
  const { key, _id } = answers.find(({ status }) => status === 201)!.body
  const open = (node: ClusterNode) => cluster.http('GET', `${node.base_url}/admin/v1/companies?limit=1`, { token: key })
  t.same(statuses(await atOnce(4, open)), { 200: 4 }, 'both nodes know it at once')
  let revoked = false
  const after: Answer[] = []
  const work = atOnce(6, async (node) => {
    for (let late = false; after.length < 30; late = revoked) {
      const answer = await open(node)
      if (late) after.push(answer)
    }
  })
  t.equal((await world.operator('DELETE', `operator-keys/${_id}`)).status, 204)
  revoked = true
  await work
  t.same(Object.keys(statuses(after)), ['401'], 'a revoked key opens nothing at either node')
}

/** `assistant_block_identity`: of one identity type, an assistant has one block. */
export async function identityIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { assistant } = await made(patiently(() => tenant.api('POST', 'assistants', { name: 'Once' })))
  const blocks = await atOnce(20, (node, n) =>
    patiently(() => node.call(tenant.token, 'POST', 'blocks/response-format', { name: `${n}` })),
  )
  const answers = await atOnce(20, async (node, n) => {
    await somewhen()
    const block_id = blocks[n]!.body.block._id
    return patiently(() => node.call(tenant.token, 'POST', `assistants/${assistant._id}/blocks`, { block_id }))
  })
  const codes = answers.map(({ status, body }) => body.error?.code ?? status)
  t.equal(codes.filter((code) => code === 201).length, 1, 'one of twenty blocks is attached')
  t.equal(codes.filter((code) => code === 'ASSISTANT_DUPLICATE_IDENTITY_BLOCK').length, 19)
  const attached = await patiently(() => tenant.api('GET', `assistants/${assistant._id}/blocks`))
  t.equal(attached.body.data.filter(({ type }: Json) => type === 'response_format').length, 1)
}

/** `knowledge_node_number` and `knowledge_term_project`: documents of two nodes that share a word count it exactly. */
export async function knowledgeIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { project_id } = tenant
  const documents = await atOnce(20, async (node, n) => {
    await somewhen()
    const document = { type: 'document', name: `Document ${n}`, content: 'A quetzal.', language: 'en' }
    return patiently(() => node.call(tenant.token, 'POST', 'knowledge/nodes', document))
  })
  t.same(statuses(documents), { 201: 20 })
  const counted = () =>
    database.execute<{ documents: number }>(
      `select documents from knowledge_term where project_id = ? and term like 'quetzal%'`,
      [project_id],
    )
  await eventually('all are indexed', async () => (await counted())[0]?.documents === 20)
  t.same(await counted(), [{ documents: 20 }], 'the word exists once')
  const [numbers] = await database.execute<{ count: number }>(
    'select count(distinct number)::integer as count from knowledge_node where project_id = ?',
    [project_id],
  )
  t.equal(numbers!.count, 20, 'each has a number of its own')
}

/** An erasure that both nodes are asked for, while the person writes and is written to. */
export async function erasureIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const wa_id = '15550180007'
  const first = await patiently(() => inbound(nodes[0]!, tenant, 'wamid.erased.first', wa_id))
  t.equal(first.status, 200)
  const contacts = () =>
    database.execute<{ _id: string }>('select _id from contact where project_id = ?', [tenant.project_id])
  const [known] = await contacts()
  const begin = { kind: 'contact', id: known!._id, confirm: true }
  const answers = await atOnce(40, async (node, n) => {
    await somewhen()
    if (n % 8 < 2) return patiently(() => node.operator('POST', 'erasures', begin))
    if (n % 8 < 5) return patiently(() => inbound(node, tenant, `wamid.erased.${n}`, wa_id))
    const headers = { 'idempotency-key': `erased ${n}` }
    const send = { channel: 'whatsapp', to: `+${wa_id}`, message: text(`${n}`) }
    return patiently(() => node.call(tenant.token, 'POST', 'messages', send, { headers }))
  })
  const begun = answers.filter((_, n) => n % 8 < 2)
  // The contact may be gone when a later request comes, or while it is on its way.
  t.same(
    [...new Set(begun.map(({ status }) => status))].filter((status) => ![202, 404].includes(status)),
    [],
  )
  const ids = new Set(begun.flatMap(({ status, body }) => (status === 202 ? [body._id as string] : [])))
  let erased = 0
  for (const id of ids) {
    const proof: Json = await eventually(`the erasure ${id} has ended`, async () => {
      const { body } = await nodes[0]!.operator('GET', `erasures/${id}`)
      return body?.status === 'done' && body
    })
    erased += proof.counts.message ?? 0
  }
  const [left] = await database.execute<{ messages: number; strange: number }>(
    `select count(*)::int as messages, count(*) filter (where chat_user not in (
      select _id from contact where project_id = message.project_id))::int as strange
    from message where project_id = ?`,
    [tenant.project_id],
  )
  t.equal(left!.messages + erased, 31, 'each message was erased, or belongs to the new contact')
  t.equal(left!.strange, 0)
  const people = await contacts()
  t.ok(people.length <= 1 && people[0]?._id !== known!._id, 'there is one new contact at most')
}

/**
 * `appointment_slot` and `appointment_number`: fifty requests for one slot of a user, from two projects of the company;
 * twenty confirmations of one appointment; and numbers without gaps.
 */
export async function appointmentsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { company_id, project_id, user_id: assigned_to } = tenant
  const second = (await made(world.operator('POST', 'projects', { company_id, name: 'Second' })))._id
  const projects = [project_id, second]
  const at = (hour: number) => ({ starts_at: `2030-01-01T${hour}:00:00Z`, ends_at: `2030-01-01T${hour + 1}:00:00Z` })
  const book = (node: ClusterNode, n: number, fields: Json) => {
    const appointment = { project_id: projects[Math.floor(n / nodes.length) % 2], ...fields }
    return patiently(() => node.operator('POST', 'appointments', appointment))
  }
  /** A client who is told to come again may find the effect of its own first request. */
  const isOne = (answers: Answer[], won: number, code: string, what: string) => {
    t.ok((statuses(answers)[won] ?? 0) <= 1, `${what}: ${JSON.stringify(statuses(answers))}`)
    const refused = answers.filter(({ status }) => status !== won)
    for (const { status, body } of refused) t.same([status, body.error?.code], [409, code])
  }
  const racers = await atOnce(50, async (node, n) => {
    await somewhen()
    return book(node, n, { ...at(10), assigned_to })
  })
  isOne(racers, 201, 'APPOINTMENT_SLOT_TAKEN', 'one of fifty gets the slot')
  const held = await database.execute<{ id: string }>('select id from appointment where assigned_to = ?', [assigned_to])
  t.equal(held.length, 1)
  const races = await Promise.all(
    upTo(8).map((race) => atOnce(4, (node, n) => book(node, n, { ...at(11 + race), assigned_to }))),
  )
  for (const answers of races) isOne(answers, 201, 'APPOINTMENT_SLOT_TAKEN', 'one of four')
  const { id } = await made(patiently(() => world.operator('POST', 'appointments', { project_id, ...at(10) })))
  const confirmations = await atOnce(20, (node) =>
    patiently(() => node.call(tenant.token, 'POST', `scheduling/appointments/${id}/confirm`)),
  )
  isOne(confirmations, 200, 'APPOINTMENT_NOT_PENDING', 'one of twenty confirms')
  await atOnce(30, (node, n) => book(node, n, at(10)))
  for (const project of projects) {
    const rows = await database.execute<{ number: number }>(
      'select number from appointment where project_id = ? order by number',
      [project],
    )
    t.same(
      rows.map(({ number }) => number),
      rows.map((_, n) => n + 1),
      'numbers have no gaps',
    )
  }
}

/**
 * `loyalty_membership_customer`, `loyalty_membership_serial_number`, `loyalty_entry_number`, `loyalty_entry_key` and
 * `loyalty_entry_expiry`: tills at both nodes move one membership, which expires meanwhile.
 */
export async function ledgerIsExact(t: Test): Promise<void> {
  const { company_id, project_id } = await makeTenant(world)
  const rules = (expiration_days: number) => ({ rules: { points: { expiration_days } } })
  const program = await made(() =>
    world.operator('POST', 'programs', { project_id, name: 'Club', type: 'points', ...rules(30) }),
  )
  const enrol = (node: ClusterNode, fields: Json) =>
    patiently(() => node.operator('POST', 'memberships', { program_id: program._id, ...fields }))
  const customers: string[] = []
  for (const n of upTo(10)) {
    customers.push((await made(() => world.operator('POST', 'customers', { company_id, full_name: `${n}` })))._id)
  }
  const enrolled_at = new Date(Date.now() - 10 * 86_400_000).toISOString()
  const enrolled = await atOnce(10, (node) => enrol(node, { customer_id: customers[0], enrolled_at }))
  t.same(statuses(enrolled), { 201: 1, 409: 9 }, 'one membership of a customer')
  const cards = await atOnce(9, (node, n) => enrol(node, { customer_id: customers[n + 1], serial_number: 'A-1' }))
  t.same(statuses(cards), { 201: 1, 409: 8 }, 'one membership with a serial number')
  const { _id } = enrolled.find(({ status }) => status === 201)!.body
  const earn = { kind: 'earn', amount: 3 }
  const earned = Promise.withResolvers<void>()
  const answers = await atOnce(100, async (node, n) => {
    await somewhen()
    // In the middle, both nodes are told that the points end after less time than the customer is a member.
    if (n === 50 || n === 51) {
      // A membership without points expires without an entry.
      await earned.promise
      return patiently(() => node.operator('PATCH', `programs/${program._id}`, rules(5)))
    }
    const movement = { ...earn, key: `receipt ${Math.floor(n / 4)}` }
    const answer = await patiently(() => node.operator('POST', `memberships/${_id}/ledger`, movement))
    earned.resolve()
    return answer
  })
  t.equal(answers.filter(({ status }) => status === 201).length, 98)
  const ledger = async (): Promise<Json[]> =>
    (await made(() => nodes[0]!.operator('GET', `memberships/${_id}/ledger?limit=200`))).data.reverse()
  const has_expired = (entries: Json[]) => entries.some(({ kind }) => kind === 'expire')
  const entries = await eventually('the points expire', async () => {
    const entries = await ledger()
    return has_expired(entries) && entries
  })
  t.same(
    entries.map(({ number }) => number),
    upTo(26).map((n) => n + 1),
    'twenty-five receipts and one expiry, without a gap',
  )
  let sum = 0
  for (const { amount, balance_after } of entries) {
    sum += amount
    t.equal(balance_after, sum)
  }
  const { body } = await nodes[1]!.operator('GET', `memberships/${_id}`)
  t.match(body, { balance_points: sum, entry_count: 26 })
}

/** Ten devices at two nodes say at once that they are one person of the site. Then two people claim one visitor. */
export async function visitorIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const identity_secret = 'the secret with which the site signs'
  const credentials = { visitor_secret: 'the secret of the visitors', identity_secret }
  const fields = { project_id: tenant.project_id, channel_type: 'web', provider: 'cloud', name: 'Shop', credentials }
  const { _id: channel } = await made(() => nodes[0]!.operator('POST', 'channels', fields))
  const exp = Math.floor(Date.now() / 1000) + 3600
  const identity = (sub: string) => identityToken({ sub, aud: channel, exp }, identity_secret)
  const visit = ({ base_url }: ClusterNode, token?: string) => visitPage(t, { base_url, channel, token })
  const named = await atOnce(10, async (node) => (await visit(node)).ask('identify', { token: identity('ana') }))
  const people = new Set(named.map(({ visitor_token }) => visitor_token.split('.')[0]))
  t.equal(people.size, 1, 'one person is one visitor')
  const { token } = await visit(nodes[0]!)
  const tabs = await Promise.all(upTo(6).map((n) => visit(nodes[n % 2]!, token)))
  // The first one ends the session, and so the sockets, of the others.
  const claims = tabs.map((tab, n) => tab.ask('identify', { token: identity(`person-${n}`) }).catch((): Json => ({})))
  const claimed = await Promise.all(claims)
  const won = claimed.filter(({ visitor_token }) => visitor_token?.split('.')[0] === token.split('.')[0])
  t.equal(won.length, 1, 'one visitor is one person')
  const rows = await database.execute<{ count: number }>(
    'select count(*)::int as count from visitor_identity where channel_id = ? and user_id = ?',
    [channel, token.split('.')[0]],
  )
  t.same(rows, [{ count: 1 }])
}

/**
 * `canned_response_own`, `canned_response_shared` and `message_retry`: a shortcut names one text of an agent and one of
 * the project, and a failed message is sent again once.
 */
export async function agentRecordsAreExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const { cookie } = await signIn(world, await makeAgent(world, tenant))
  const ask = (node: ClusterNode, path: string, json?: Json): Promise<Answer> =>
    patiently(() =>
      cluster.http('POST', `${node.base_url}/console/projects/${tenant.project_id}/${path}`, {
        ...(json && { json }),
        headers: { cookie, ...ownPage(node) },
      }),
    )
  for (const is_shared of [true, false]) {
    const content = is_shared ? 'Shared' : 'Own'
    const answers = await atOnce(10, (node) => ask(node, 'canned_responses', { shortcut: 'late', content, is_shared }))
    t.equal(answers.filter(({ status }) => status === 201).length, 1, `one ${content.toLowerCase()} text of a shortcut`)
  }
  const { phone_number_id } = tenant.number
  await patiently(() => inbound(nodes[0]!, tenant, `wamid.retried.${phone_number_id}`, '15550180017'))
  await made(world.control('POST', 'faults', { match: { phone_number_id }, error: { code: 131009 } }))
  const { id } = await made(tenant.send('+15550180017', { message: text('Your parcel') }))
  await tenant.message(id, 'failed')
  const answers = await atOnce(10, (node) => ask(node, `messages/${id}/retry`))
  t.same(statuses(answers), { 202: 10 })
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1, 'a failed message is sent again once')
}

export const windows: Window[] = [
  { name: 'minute', limit: 60 },
  { name: 'hour', limit: 61 },
  { name: 'day', limit: 62 },
]
export const revocations: [string, (tenant: Tenant) => Promise<Answer>, number?][] = [
  ['revoked by itself', ({ token }) => nodes[0]!.call(token, 'DELETE', 'me/token')],
  ['revoked by the operator', ({ token_id }) => nodes[1]!.operator('DELETE', `tokens/${token_id}`)],
  [
    'found in public',
    ({ token }) =>
      cluster.http('POST', `${nodes[0]!.base_url}/secret-scanning/alerts`, reporter.report([leaked(token)])),
    200,
  ],
  [
    'of a user who was deactivated',
    ({ user_id }) => nodes[0]!.operator('PATCH', `users/${user_id}`, { is_active: false }),
    200,
  ],
]
