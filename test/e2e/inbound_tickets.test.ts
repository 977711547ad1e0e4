/**
 * Inbound messages in the CRM: the tickets they open and land on, the events they leave there, and the customers they
 * belong to. One file, because every test begins with the same call of a provider, at one cluster of two nodes.
 */
import t from 'tap'
import { scopes } from '../../actors/mod.ts'
import { signCall } from '../../actors/providers/signed_call.ts'
import { broadcastWhen, people, sendBulk } from './broadcast_client.ts'
import { type Answer, eventually, type Json, patiently } from './client.ts'
import { type JoinedNode, joinCluster, statuses } from './cluster.ts'
import { connectNumber, made, makeTenant, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const cluster = await joinCluster(t)
const { nodes, world } = cluster
const { sink, operator } = world

const FLOW_ANSWER = { rating: 4, flow_token: 'the token' }
const TEMPLATE = { type: 'template', name: 'order_update', language: 'en_US', variables: { 1: 'Ana', 2: 'A-1' } }

let written = 0

/** Calls the provider's webhook with one message of a person. */
function writes(tenant: Tenant, from: string, message: Json = {}, node: JoinedNode = nodes[0]!): Promise<Answer> {
  const { number } = tenant
  const said = { id: `wamid.${++written}`, from, ...message }
  const contacts = [{ wa_id: from, profile: { name: 'Ana' } }]
  const place = { http: cluster.http, base_url: node.base_url }
  return patiently(() => callAsProvider(place, number, { messages: [said], contacts }))
}

/** Returns the tickets of a tenant, the oldest first. */
async function tickets({ api }: Tenant): Promise<Json[]> {
  return (await made(api('GET', 'crm/tickets?limit=200'))).data.reverse()
}

/** Returns the events of one type on a ticket, the oldest first. */
async function recorded({ api }: Tenant, ticket_id: string, event_type: string): Promise<Json[]> {
  const { data } = await made(api('GET', `crm/events?ticket_id=${ticket_id}&event_type=${event_type}`))
  return data.map((one: Json) => one.data).reverse()
}

const news = (type: string, more: Json = {}) => ({ type: 'system', system: { body: 'News', type, ...more } })
const interactive = (interactive: Json) => ({ type: 'interactive', interactive, context: { id: 'wamid.quoted' } })
const answer = { body: 'Sent', name: 'flow', response_json: JSON.stringify(FLOW_ANSWER) }

const kinds: { what: string; message: Json; opens: boolean }[] = [
  { what: 'a text', message: {}, opens: true },
  { what: 'a place', message: { type: 'location', location: { latitude: 1, longitude: 2 } }, opens: true },
  { what: 'a reaction', message: { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍' } }, opens: true },
  { what: 'a message that cannot be shown', message: { type: 'unsupported', errors: [{ code: 131051 }] }, opens: true },
  {
    what: 'a pressed button',
    message: interactive({ type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } }),
    opens: true,
  },
  { what: 'the answer of a Flow', message: interactive({ type: 'nfm_reply', nfm_reply: answer }), opens: true },
  { what: 'news of another number', message: news('user_changed_number', { wa_id: '15550191999' }), opens: false },
  { what: 'news of another device', message: news('customer_identity_changed'), opens: false },
]

t.test('a message of a person opens a ticket in the first stage; a notice about a person opens none', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('opened', ['crm.ticket.created', 'whatsapp.message.received'])
  for (const [n, { what, message, opens }] of kinds.entries()) {
    const before = await tickets(tenant)
    t.equal((await writes(tenant, `1555019100${n}`, message)).status, 200)
    const opened = (await tickets(tenant)).slice(before.length)
    t.equal(opened.length, opens ? 1 : 0, what)
    if (!opens) continue
    t.match(opened[0], { is_closed: false, unread_count: 1, version: 1, stage: { stage_id: /^\w{24}$/ } })
    t.same((await recorded(tenant, opened[0]._id, 'ticket.created')).length, 1)
  }
  const all = await tickets(tenant)
  // A receiver that is slow to answer gets a delivery again.
  const told = () => sink.calls('opened').filter(({ body }) => body.type === 'crm.ticket.created')
  const heard = () => new Map(told().map(({ body }) => [body.id, body]))
  await eventually('each is told of', () => heard().size === all.length)
  const ids = [...heard().values()].map(({ data }) => data.ticket._id)
  t.same(ids.sort(), all.map(({ _id }) => _id).sort())
})

t.test('a notice about a person changes nothing on the open ticket', async (t) => {
  const tenant = await makeTenant(world)
  await writes(tenant, '15550192000')
  const [before] = await tickets(tenant)
  await writes(tenant, '15550192000', news('customer_identity_changed'))
  t.same(await tickets(tenant), [before])
})

t.test('further messages land on the open ticket; the next one after its closing opens another', async (t) => {
  const tenant = await makeTenant(world)
  await writes(tenant, '15550192001')
  const [first] = await tickets(tenant)
  for (let n = 0; n < 3; n++) await writes(tenant, '15550192001')
  const [same, ...none] = await tickets(tenant)
  t.same(none, [])
  t.match(same, { _id: first._id, unread_count: 4, version: 1 })
  t.ok(same.last_activity_at > first.last_activity_at)
  t.equal(same.updated_at, first.updated_at, 'the ticket itself stays as it was')
  await made(tenant.api('PATCH', `crm/tickets/${first._id}`, { is_closed: true }))
  await writes(tenant, '15550192001')
  const [closed, open] = await tickets(tenant)
  t.match(closed, { _id: first._id, is_closed: true, unread_count: 4 })
  t.match(open, { is_closed: false, unread_count: 1, chat_user: first.chat_user })
})

t.test('fifty messages at once, each repeated to the other node, are counted once on one ticket', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('at_once', ['crm.ticket.created'])
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      writes(tenant, '15550192002', { id: `wamid.at.once.${n % 50}` }, nodes[Math.floor(n / 50)]),
    ),
  )
  t.same(statuses(answers), { 200: 100 })
  t.match(await tickets(tenant), [{ unread_count: 50, is_closed: false }])
  t.equal((await tickets(tenant)).length, 1)
  await writes(tenant, '15550192002', { id: 'wamid.at.once.7' }, nodes[1])
  t.match(await tickets(tenant), [{ unread_count: 50 }], 'a message repeated later is not counted')
  await eventually('it is told of', () => sink.calls('at_once').length > 0)
  t.equal(sink.calls('at_once').length, 1)
})

t.test('marking the last message as read leaves nothing unread, unless the provider refuses', async (t) => {
  const tenant = await makeTenant(world)
  const first = await tenant.writes('+15550192003', 'Read me')
  const { provider_message_id } = await tenant.writes('+15550192003', 'Read me, too')
  t.match(await tickets(tenant), [{ unread_count: 2 }])
  const { phone_number_id } = tenant.number
  const read = () => tenant.api('POST', 'messages/mark-read', { message_id: provider_message_id })
  await world.control('POST', 'faults', { match: { operation: 'mark_read', phone_number_id }, error: { code: 190 } })
  t.equal((await read()).status, 422)
  await world.control('DELETE', 'faults')
  t.match(await tickets(tenant), [{ unread_count: 2 }])
  t.same((await read()).body, { success: true })
  t.match(await tickets(tenant), [{ unread_count: 0, is_closed: false }])
  await writes(tenant, '15550192003')
  t.match(await tickets(tenant), [{ unread_count: 1 }])
  await made(tenant.api('POST', 'messages/mark-read', { message_id: first.provider_message_id }))
  t.match(await tickets(tenant), [{ unread_count: 1 }], 'an earlier one leaves the last one unread')
})

t.test('an outbound message opens no ticket; a template is recorded on an open one', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('templates', ['crm.event.recorded'])
  const [known, unknown] = ['+15550192004', '+15550192005']
  await tenant.send(unknown)
  await made(tenant.send(unknown, { message: TEMPLATE }))
  t.same(await tickets(tenant), [])
  await writes(tenant, known.slice(1))
  const [ticket] = await tickets(tenant)
  await made(tenant.send(known))
  const [later] = await tickets(tenant)
  t.ok(later.last_activity_at > ticket.last_activity_at, 'the template counts as activity on the open ticket')
  t.match(later, { unread_count: 1, version: ticket.version })
  const { id } = await made(tenant.send(known, { message: TEMPLATE }))
  const sent = { template_name: 'order_update', language: 'en_US', message_id: id }
  t.same(await recorded(tenant, ticket._id, 'message.template_sent'), [sent])
  const raw = { type: 'template', to: known.slice(1), template: { name: 'hello_world', language: { code: 'en_US' } } }
  const forwarded = await made(tenant.api('POST', 'messages/raw', { payload: raw }))
  const second = { template_name: 'hello_world', language: 'en_US', message_id: forwarded.id }
  t.same(await recorded(tenant, ticket._id, 'message.template_sent'), [sent, second])
  const heard = () => sink.calls('templates').map(({ body }) => body.data)
  await eventually('all is told of', () => heard().length === 3)
  t.match(heard(), [{ event_type: 'ticket.created' }, { data: sent }, { data: second }])
  await made(tenant.api('PATCH', `crm/tickets/${ticket._id}`, { is_closed: true }))
  await made(tenant.send(known, { message: TEMPLATE }))
  t.equal(
    (await recorded(tenant, ticket._id, 'message.template_sent')).length,
    2,
    'a closed ticket records no template',
  )
})

t.test('a bulk send is recorded for each recipient with an open ticket', async (t) => {
  const tenant = await makeTenant(world)
  const recipients = people(120)
  const open = recipients.filter((_, n) => n % 30 === 0)
  for (const { phone } of open) await writes(tenant, phone.slice(1))
  const id = await sendBulk(tenant, [...recipients, open[0]!])
  await broadcastWhen(tenant, id, 'is read by all', ({ read_count }) => read_count === 121)
  const all = await tickets(tenant)
  t.equal(all.length, open.length)
  for (const [n, { _id }] of all.entries()) {
    const sent = await recorded(tenant, _id, 'message.template_sent')
    t.match(sent[0], { template_name: 'order_update', language: 'en_US', message_id: /^msg_/ })
    t.equal(sent.length, n === 0 ? 2 : 1)
  }
})

t.test('the answer of a Flow is recorded on the ticket', async (t) => {
  const tenant = await makeTenant(world)
  const flow = interactive({ type: 'nfm_reply', nfm_reply: answer })
  for (const node of nodes) await writes(tenant, '15550192006', { id: 'wamid.flow.answer', ...flow }, node)
  const [ticket] = await tickets(tenant)
  const [message] = (await tenant.api('GET', 'messages')).body.data
  const expected = { flow_token: 'the token', response: FLOW_ANSWER, message_id: message.id }
  t.same(await recorded(tenant, ticket._id, 'flow.response_received'), [expected])
})

/** Makes another project of the same company, with a number of its own. */
async function sisterOf(tenant: Tenant): Promise<Tenant> {
  const { company_id, user_id } = tenant
  const { _id: project_id } = await made(operator('POST', 'projects', { company_id, name: 'Sister' }))
  const { token } = await made(operator('POST', 'tokens', { project_id, user_id, name: 'Token', scopes }))
  const number = await connectNumber(world, project_id)
  const api: Tenant['api'] = (method, path, json) => nodes[0]!.call(token, method, path, json)
  return { ...tenant, project_id, token, number, api }
}

t.test('a person who writes to two projects of a company has a contact and a ticket in each', async (t) => {
  const tenant = await makeTenant(world)
  const sister = await sisterOf(tenant)
  const contact = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '15550192007' }))
  await writes(sister, '15550192007')
  const [message] = (await sister.api('GET', 'messages')).body.data
  t.not(message.chat_user, contact._id)
  t.match(await tickets(sister), [{ unread_count: 1, chat_user: message.chat_user, chat_user_name: 'Ana' }])
  t.same(await tickets(tenant), [])
  const hers = await tickets(sister)
  await writes(tenant, '15550192007')
  t.match(await tickets(tenant), [{ unread_count: 1, chat_user: contact._id }])
  t.same(await tickets(sister), hers)
})

const MAIL_SECRET = 'the secret of the inbound hook'

/** Connects a mailbox, and returns the address that its mails are posted to. */
async function connectMailbox({ project_id }: Tenant): Promise<string> {
  const from = `support-${project_id}@parley.test`
  const credentials = { smtp_url: 'smtp://user:password@127.0.0.1:9', from, inbound_secret: MAIL_SECRET }
  const channel = { project_id, channel_type: 'email', name: 'Mail', provider: 'cloud', credentials }
  return (await made(operator('POST', 'channels', channel))).webhook_path
}

function mails(webhook_path: string, address: string): Promise<Answer> {
  const raw = JSON.stringify({ message_id: `<${++written}@example.com>`, from: { address }, text: 'Hi' })
  const headers = { 'content-type': 'application/json', 'x-parley-signature': signCall(MAIL_SECRET, raw, new Date()) }
  return patiently(() => cluster.http('POST', `${world.base_url}${webhook_path}`, { raw, headers }))
}

const BSUID = 'US.13491208655302741918'

/** The ways in which a person with this phone or address becomes a contact. */
const makers: { what: string; make(tenant: Tenant, phone: string, email: string): Promise<unknown> }[] = [
  { what: 'by writing', make: (tenant, phone) => writes(tenant, phone.slice(1)) },
  { what: 'by being written to', make: (tenant, phone) => made(tenant.send(phone)) },
  { what: 'by a bulk send', make: (tenant, phone) => sendBulk(tenant, [{ phone, variables: { 1: 'Ana', 2: 'A' } }]) },
  {
    what: 'by a request, on WhatsApp',
    make: ({ api }, phone) => made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: phone.slice(1) })),
  },
  {
    what: 'by a request that names the phone',
    make: ({ api }, phone) => made(api('POST', 'contacts', { channel_type: 'telegram', user_id: '4711', phone })),
  },
  {
    what: 'by a request, on e-mail',
    make: ({ api }, _, email) => made(api('POST', 'contacts', { channel_type: 'email', user_id: email })),
  },
  { what: 'by a mail', make: async (tenant, _, email) => mails(await connectMailbox(tenant), email) },
  {
    what: 'by showing a number that was hidden',
    async make(tenant, phone) {
      await tenant.writes(BSUID, 'Guess')
      await tenant.writes(phone, 'It is me', { user_id: BSUID })
    },
  },
  {
    what: 'by a change of the number',
    async make(tenant, phone) {
      await writes(tenant, '15550193999')
      await writes(tenant, '15550193999', news('user_changed_number', { wa_id: phone.slice(1) }))
    },
  },
]

for (const [n, { what, make }] of makers.entries()) {
  t.test(`a contact made ${what} belongs to the oldest customer with its phone or address`, async (t) => {
    const [tenant, stranger] = [await makeTenant(world), await makeTenant(world)]
    const { company_id } = tenant
    const [phone, email] = [`+1555019300${n}`, `Ana.${n}@Example.com`]
    const customer = (fields: Json) => made(operator('POST', 'customers', { company_id, full_name: 'Ana', ...fields }))
    await made(operator('POST', 'customers', { company_id: stranger.company_id, full_name: 'Not', phone, email }))
    const { _id } = await customer({ phone, email })
    await customer({ phone, email })
    await customer({ phone: '+15550193998' })
    await make(tenant, phone, email)
    const contacts = async () => (await made(tenant.api('GET', 'contacts?limit=200'))).data
    const [contact, ...others] = await eventually('the contact is there', async () => {
      const all = await contacts()
      return all.length > 0 && all
    })
    t.equal(contact.customer_id, _id)
    t.same(others, [])
    await make(stranger, '+15550193997', 'nobody@example.com')
    const [unknown] = await eventually('the other is there', async () => {
      const all = (await made(stranger.api('GET', 'contacts?limit=200'))).data
      return all.length > 0 && all
    })
    t.equal(unknown.customer_id, null, 'a person who is no customer stays without one')
  })
}

t.test('an existing contact keeps its customer, whatever customers are made later', async (t) => {
  const tenant = await makeTenant(world)
  const phone = '+15550192008'
  await writes(tenant, phone.slice(1))
  await made(operator('POST', 'customers', { company_id: tenant.company_id, full_name: 'Late', phone }))
  await writes(tenant, phone.slice(1))
  t.match((await made(tenant.api('GET', 'contacts'))).data, [{ phone, customer_id: null }])
})
