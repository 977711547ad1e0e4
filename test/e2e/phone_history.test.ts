/**
 * The history of a phone that a WhatsApp account is paired with: messages and names from before, with their own times and
 * authors, once, and without the effects of news.
 */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)

const DAY_S = 86_400
const OWN = '15557831000'
let people = 0
const newPerson = () => `5215598${String(100_000 + ++people)}`
const nowS = () => Math.floor(Date.now() / 1000)
const wamid = () => `wamid.${randomUUID()}`
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

/** A message of a thread. `own`: the business wrote it. */
type Told = { id?: string; text?: string; at: number; own?: boolean; status?: string; more?: Json }

const inThread = (person: string, { id = wamid(), text = 'Hello', at, own, status, more }: Told) => ({
  from: own ? OWN : person,
  ...(own && { to: person }),
  id,
  timestamp: String(at),
  type: 'text',
  text: { body: text },
  history_context: { status: status ?? (own ? 'READ' : 'DELIVERED') },
  ...more,
})

const tell = async ({ number }: Tenant, field: string, value: Json) => {
  const { status } = await callAsProvider(world, number, { field, value })
  if (status !== 200) throw new Error(`answered ${status}`)
}

const tellHistory = (tenant: Tenant, person: string, messages: Told[], progress = 100) =>
  tell(tenant, 'history', {
    history: [
      {
        metadata: { phase: 0, chunk_order: 1, progress },
        threads: [{ id: person, messages: messages.map((one) => inThread(person, one)) }],
      },
    ],
  })

const tellName = (tenant: Tenant, person: string, full_name: string, action = 'add') => {
  const contact =
    action === 'add' ? { full_name, first_name: full_name, phone_number: person } : { phone_number: person }
  return tell(tenant, 'smb_app_state_sync', {
    state_sync: [{ type: 'contact', contact, action, metadata: { timestamp: String(nowS()) } }],
  })
}

const historyPath = ({ number }: Tenant) => `channels/${number.channel_id}/history`
const progressOf = (tenant: Tenant): Promise<Json> => made(world.operator('GET', historyPath(tenant)))
const stored = (tenant: Tenant, what: (row: Json) => boolean = ({ status }) => status === 'completed') =>
  eventually('the history is stored', async () => {
    const { status, body } = await world.operator('GET', historyPath(tenant))
    return status === 200 && body.waiting_count === 0 && what(body) && (body as Json)
  })
const messagesOf = async ({ api }: Tenant, query = ''): Promise<Json[]> =>
  (await made(api('GET', `messages?limit=200${query}`))).data
const contactOf = async ({ api }: Tenant, person: string): Promise<Json> =>
  (await made(api('GET', 'contacts?limit=200'))).data.find(({ user_id }: Json) => user_id === person)

t.test('Imported messages have their own times, authors and statuses, and no effects of news', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('history-silent', ['*'])
  const person = newPerson()
  const at = nowS() - 40 * DAY_S
  // Newest first, as a phone tells them; two of the same second.
  await tellHistory(tenant, person, [
    { text: 'fifth', at: at + 180, own: true, status: 'PENDING' },
    { text: 'fourth', at: at + 120, own: true, status: 'ERROR' },
    { text: 'third', at: at + 60 },
    { text: 'second', at: at + 60, own: true, status: 'DELIVERED' },
    { text: 'first', at, status: 'PENDING' },
  ])
  const row = await stored(tenant)
  t.match(row, { status: 'completed', progress: 100, phase: 0, message_count: 5, known_count: 0, unreadable_count: 0 })
  t.match(row, { requested_at: null, webhooks: false, error: null })
  const messages = await messagesOf(tenant)
  const shown = messages.map(({ message, direction, origin, status, created_at, confirmed }) => [
    message.body,
    direction,
    origin,
    status,
    created_at,
    confirmed,
  ])
  t.same(shown, [
    ['fifth', 'outbound', 'phone', 'sent', iso(at + 180), false],
    ['fourth', 'outbound', 'phone', 'failed', iso(at + 120), true],
    ['third', 'inbound', null, 'read', iso(at + 60), true],
    ['second', 'outbound', 'phone', 'delivered', iso(at + 60), true],
    ['first', 'inbound', null, 'read', iso(at), true],
  ])
  for (const { imported_at } of messages) t.ok(Date.parse(imported_at) > Date.now() - 600_000)
  const contact = await contactOf(tenant, person)
  t.match(contact, { first_seen_at: iso(at), last_seen_at: iso(at + 180), windows: [] })
  t.same((await made(tenant.api('GET', `crm/tickets?chat_user=${contact._id}`))).data, [], 'no ticket')
  const found = await made(tenant.api('GET', 'crm/search?q=fourth'))
  t.match(JSON.stringify(found), messages[1]!.id, 'its words are found')
  // An event of now comes after all that the import could have emitted.
  await tenant.writes(`+${newPerson()}`, 'Hi')
  await eventually('a live event', () => world.sink.events('history-silent').length > 0)
  const told = world.sink.events('history-silent').filter(({ data }) => JSON.stringify(data).includes(person))
  t.same(told, [], 'no event')
})

t.test('A message that comes live and in the history is one message, in either order', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('history-both', ['whatsapp.*'])
  const { row } = await inboxAgent(world, tenant)
  const [early, late] = [newPerson(), newPerson()]
  const [live_first, history_first, own_late] = [wamid(), wamid(), wamid()]
  const at = nowS() - 60
  const live = (person: string, id: string) =>
    callAsProvider(world, tenant.number, { messages: [{ from: person, id, timestamp: String(at) }] })
  await live(early, live_first)
  await tellHistory(tenant, early, [{ id: live_first, at }])
  await tellHistory(tenant, late, [
    { id: history_first, at },
    { id: own_late, at: at - 5, own: true },
  ])
  await tellHistory(tenant, late, [{ id: history_first, at }])
  t.match(await stored(tenant, ({ known_count }) => known_count === 2), { message_count: 2, known_count: 2 })
  const contact = await contactOf(tenant, late)
  const ticketsOf = async () => (await made(tenant.api('GET', `crm/tickets?chat_user=${contact._id}`))).data
  t.same(await ticketsOf(), [])
  const [imported] = (await messagesOf(tenant)).filter(({ provider_message_id: id }) => id === history_first)
  await live(late, history_first)
  await live(late, history_first)
  const messages = await messagesOf(tenant)
  const ids = messages.map(({ provider_message_id }) => provider_message_id)
  t.same(ids.toSorted(), [live_first, history_first, own_late].toSorted())
  const taken = messages.find(({ id }) => id === imported!.id)
  t.match(taken, { imported_at: null, status: 'received', created_at: imported!.created_at })
  const [ticket, ...more] = await ticketsOf()
  t.same(more, [])
  t.match(await row(ticket._id), { unread_count: 1 }, 'it waits as any live one')
  t.ok((await contactOf(tenant, late)).windows[0].is_open)
  const events = () => world.sink.events('history-both').filter(({ data }) => data.message_id === imported!.id)
  await eventually('its event', () => events().length > 0)
  t.same(
    events().map(({ type }) => type),
    ['whatsapp.message.received'],
  )
  const echo = { from: OWN, to: late, id: own_late, timestamp: String(at - 5), type: 'text', text: { body: 'Hello' } }
  await tell(tenant, 'smb_message_echoes', { message_echoes: [echo] })
  await tell(tenant, 'smb_message_echoes', { message_echoes: [echo] })
  const own = (await messagesOf(tenant)).filter(({ provider_message_id: id }) => id === own_late)
  t.match(own, [{ imported_at: null, origin: 'phone' }])
  t.equal(own.length, 1)
})

t.test('With webhooks, imported messages and contacts emit events that say so', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('history-loud', ['whatsapp.*', 'crm.contact.created'])
  const asked = await world.operator('POST', historyPath(tenant), { webhooks: true })
  t.equal(asked.status, 201, asked.text)
  t.match(asked.body, { webhooks: true, channel_id: tenant.number.channel_id })
  await stored(tenant)
  const events = await eventually('all events', () => {
    const all = world.sink.events('history-loud')
    return all.filter(({ type }) => type.startsWith('whatsapp.message.')).length >= 8 && all
  })
  const kinds = events.map(({ type }) => type)
  t.equal(kinds.filter((type) => type === 'whatsapp.message.received').length, 4)
  t.equal(kinds.filter((type) => type === 'whatsapp.message.read').length, 4, 'what the business wrote, in its status')
  t.equal(kinds.filter((type) => type === 'crm.contact.created').length, 2)
  for (const { type, data } of events) if (type.startsWith('whatsapp.')) t.equal(data.imported, true)
})

t.test('The history is asked for once in the life of a pairing', async (t) => {
  const tenant = await makeTenant(world)
  t.equal((await world.operator('GET', historyPath(tenant))).status, 404)
  const both = await Promise.all([1, 2].map(() => world.operator('POST', historyPath(tenant), {})))
  t.same(both.map(({ status }) => status).toSorted(), [201, 409], 'of two at once, one asks')
  const refused = both.find(({ status }) => status === 409)!
  t.match(refused.body.error, { code: 'HISTORY_ALREADY_REQUESTED' })
  t.ok(Date.parse(refused.body.error.details.requested_at) > 0)
  const done = await stored(tenant)
  t.match(done, { message_count: 8, name_count: 2 })
  t.match(await contactOf(tenant, '15551230001'), { name: 'Ana García' })
  const again = await world.operator('POST', historyPath(tenant), {})
  t.match(again.body.error, { code: 'HISTORY_ALREADY_REQUESTED', details: { requested_at: done.requested_at } })
  await callAsProvider(world, tenant.number, { field: 'account_update', value: { event: 'PARTNER_REMOVED' } })
  // The simulated phone was not paired anew, and says so itself.
  const next = await world.operator('POST', historyPath(tenant), {})
  t.match(next.body.error, { code: 'PROVIDER_REFUSED' })
  const failed = await progressOf(tenant)
  t.match(failed, { status: 'failed', error: { code: '100' } })
  t.not(failed._id, done._id, 'a pairing of its own')
  const other = await world.operator('POST', historyPath(tenant), {})
  t.match(other.body.error, { code: 'PROVIDER_REFUSED' }, 'after a refusal it may be asked for again')
})

t.test('A business that does not share its history, and progress that comes in any order', async (t) => {
  const tenant = await makeTenant(world)
  const message = 'History sync is turned off by the business from the WhatsApp Business App'
  const errors = [{ code: 2593109, title: message, message, error_data: { details: message } }]
  await tell(tenant, 'history', { history: [{ errors }] })
  t.match(await progressOf(tenant), { status: 'declined', error: { code: '2593109' } })
  const again = await makeTenant(world)
  const person = newPerson()
  await tellHistory(again, person, [{ at: nowS() - 100 }], 100)
  await stored(again)
  await tellHistory(again, person, [{ at: nowS() - DAY_S }], 55)
  const row = await stored(again, ({ message_count }) => message_count === 2)
  t.match(row, { status: 'completed', progress: 100 })
})

t.test(
  'A status that comes before its message is applied, and the thread of a later ticket begins with the history',
  async (t) => {
    const tenant = await makeTenant(world)
    const { ask } = await inboxAgent(world, tenant)
    const person = newPerson()
    const [id, at] = [wamid(), nowS() - 2 * DAY_S]
    const statuses = [{ id, status: 'read', timestamp: String(nowS()), recipient_id: person }]
    t.equal((await callAsProvider(world, tenant.number, { statuses })).status, 200)
    await tellHistory(tenant, person, [
      { text: 'before', at },
      { id, text: 'answered', at: at + 60, own: true, status: 'SENT' },
    ])
    await stored(tenant)
    await tenant.writes(`+${person}`, 'now')
    const [ticket] = (await made(tenant.api('GET', 'crm/tickets'))).data
    const { data } = await made(ask('GET', `crm/tickets/${ticket._id}/timeline?kind=message&with_former=true`))
    const shown = data.map(({ message, status }: Json) => [message.body, status])
    t.same(shown, [
      ['now', 'received'],
      ['answered', 'read'],
      ['before', 'read'],
    ])
  },
)

t.test('A history without messages is completed, and one that exceeds what may wait comes again', async (t) => {
  const tenant = await makeTenant(world)
  await tell(tenant, 'history', { history: [{ metadata: { phase: 2, chunk_order: 1, progress: 100 }, threads: [] }] })
  t.match(await progressOf(tenant), { status: 'completed', phase: 2, message_count: 0 })
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const waits = (count: number) =>
    database.execute(
      `update history_import set waiting_count = ${count} where channel_id = '${tenant.number.channel_id}'`,
    )
  await waits(1_000_000)
  const threads = [{ id: newPerson(), messages: [inThread(newPerson(), { at: nowS() })] }]
  const value = { history: [{ metadata: { phase: 2, chunk_order: 2, progress: 100 }, threads }] }
  const refused = await callAsProvider(world, tenant.number, { field: 'history', value })
  t.equal(refused.status, 503)
  await waits(0)
  await tell(tenant, 'history', value)
  await stored(tenant, ({ message_count }) => message_count === 1)
})

t.test('A provider that does not answer, or takes the credentials no more, may be asked again', async (t) => {
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  const ask = () => world.operator('POST', historyPath(tenant), {})
  const match = { channel: 'whatsapp', operation: 'numbers', phone_number_id }
  for (const [error, status, code] of [
    [{ code: 190, status: 401 }, 422, 'CHANNEL_NOT_CONNECTED'],
    [{ code: 131000, status: 500 }, 503, 'SERVICE_UNAVAILABLE'],
  ] as const) {
    await made(world.control('POST', 'faults', { match, error }))
    const answer = await ask()
    t.match([answer.status, answer.body.error.code], [status, code])
    t.match(await progressOf(tenant), { status: 'failed', error: { code: String(error.code) } })
    await world.control('DELETE', 'faults')
  }
  t.match((await ask()).body, { error: null })
  await stored(tenant)
})

t.test('The file of a placeholder fills it in, in either order', async (t) => {
  const tenant = await makeTenant(world)
  const person = newPerson()
  const at = nowS() - 3 * DAY_S
  const [before, after, own] = [wamid(), wamid(), wamid()]
  const file = (id: string, more: Json = { from: person }) =>
    tell(tenant, 'history', {
      messages: [
        {
          ...more,
          id,
          timestamp: String(at),
          type: 'image',
          image: { id: '1234567', mime_type: 'image/jpeg', sha256: 'abc', caption: 'The receipt' },
        },
      ],
    })
  const placeholder = { type: 'media_placeholder', text: undefined }
  await file(before)
  await tellHistory(tenant, person, [
    { id: before, at, more: placeholder },
    { id: after, at, more: placeholder },
    { id: own, at, own: true, more: placeholder },
  ])
  await stored(tenant)
  const kinds = async () => Object.fromEntries((await messagesOf(tenant)).map((one) => [one.provider_message_id, one]))
  t.match(await kinds(), { [before]: { type: 'image' }, [after]: { type: 'media_placeholder' } })
  await file(after)
  await file(own, { from: OWN, to: person })
  await stored(tenant, ({ known_count }) => known_count >= 3)
  const all = await kinds()
  for (const id of [before, after, own]) {
    t.match(all[id], { type: 'image', message: { caption: 'The receipt', provider_media_id: '1234567' } })
    t.match(all[id]!.message.media_id, /^[0-9a-f]{24}$/, 'it is fetched as that of a live message')
  }
  t.match(all[own], { direction: 'outbound', origin: 'phone' })
  t.equal(Object.keys(all).length, 3)
})

t.test('Names of the address book stand behind those of the person and of agents', async (t) => {
  const tenant = await makeTenant(world)
  const [shown, own, edited] = [newPerson(), newPerson(), newPerson()]
  const nameOf = async (person: string) => (await contactOf(tenant, person))?.name
  for (const person of [shown, own, edited]) await tellName(tenant, person, 'Book')
  await stored(tenant, ({ name_count }) => name_count === 3)
  t.equal(await nameOf(shown), 'Book')
  const { _id } = await contactOf(tenant, edited)
  await made(tenant.api('PATCH', `contacts/${_id}`, { name: 'Agent' }))
  await tenant.writes(`+${own}`, 'Hi', { name: 'Profile' })
  t.equal(await nameOf(own), 'Profile')
  for (const person of [shown, own, edited]) await tellName(tenant, person, 'Book 2')
  await stored(tenant, ({ name_count }) => name_count === 6)
  t.same([await nameOf(shown), await nameOf(own), await nameOf(edited)], ['Book 2', 'Profile', 'Agent'])
  for (const person of [shown, own, edited]) await tellName(tenant, person, '', 'remove')
  const gone = newPerson()
  await tellName(tenant, gone, '', 'remove')
  await stored(tenant, ({ name_count }) => name_count === 9)
  t.same([await nameOf(shown), await nameOf(own), await nameOf(edited)], [null, 'Profile', 'Agent'])
  t.equal(await nameOf(gone), undefined, 'nobody new')
})

t.test('A channel without a phone has no history', async (t) => {
  const tenant = await makeTenant(world)
  const fields = { project_id: tenant.project_id, channel_type: 'web', provider: 'simulator', name: 'Chat' }
  const credentials = { visitor_secret: 'a secret of the pages' }
  const { _id } = await made(world.operator('POST', 'channels', { ...fields, credentials }))
  const { status, body } = await world.operator('POST', `channels/${_id}/history`, {})
  t.equal(status, 422)
  t.match(body.error, { code: 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL' })
})
