/** Values of events that are written through to the ticket or contact. */
import t from 'tap'
import type { EventField } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made } from './fixture.ts'
import { fieldsOf, startShops } from './shops.ts'

const world = await joinWorld(t)
const { rows, setUp } = await startShops(t, world)

const through: EventField[] = [
  { key: 'urgency', type: 'string', required: false, target: 'ticket.priority' },
  { key: 'kind', type: 'string', required: false, target: 'ticket.category' },
  { key: 'total', type: 'number', required: false, target: 'ticket.amount' },
  { key: 'currency', type: 'string', required: false, target: 'ticket.amount_currency' },
  { key: 'certainty', type: 'string', required: false, target: 'ticket.amount_status' },
  { key: 'order', type: 'string', required: false, target: 'ticket.order_number' },
  { key: 'full_name', type: 'string', required: false, target: 'contact.name' },
  { key: 'mobile', type: 'string', required: false, target: 'contact.phone' },
  { key: 'photo', type: 'string', required: false, target: 'contact.avatar' },
  { key: 'plan', type: 'string', required: false, target: 'contact.plan' },
]

t.test('values that belong to the ticket or contact are written through, and the event keeps its own', async (t) => {
  const shop = await setUp({ 'custom.sale': through })
  await shop.subscribe('changes', ['crm.ticket.updated', 'crm.contact.updated', 'crm.event.recorded'])
  const { _id: chat_user_id } = await shop.contact()
  const sell = (data: Json) => made(shop.record({ event_type: 'custom.sale', chat_user_id, data }))
  const ticketNow = async () => (await shop.tickets())[0]
  const contactNow = async () => (await rows('select * from contact where _id = ?', [chat_user_id]))[0]
  const data = {
    urgency: 'high',
    kind: 'sale',
    total: 1234.5,
    currency: 'MXN',
    certainty: 'estimated',
    order: 'A-1',
    full_name: 'Ana',
    mobile: '+5215512345678',
    photo: 'https://example.com/ana.png',
    plan: 'gold',
  }
  await sell(data)
  const expected = { priority: 'high', category: 'sale', amount_currency: 'MXN', amount_status: 'estimated' }
  t.match(await ticketNow(), { ...expected, custom_fields: { order_number: 'A-1' } })
  t.equal(Number((await ticketNow()).amount), 1234.5)
  t.match(await contactNow(), {
    name: 'Ana',
    phone: '+5215512345678',
    avatar: 'https://example.com/ana.png',
    custom_fields: { plan: 'gold' },
  })
  await sell({ urgency: 'low', total: 1234.5 })
  t.equal((await ticketNow()).priority, 'low', 'the last write wins')
  t.equal((await ticketNow()).category, 'sale', 'an omitted value stays')
  await sell({ urgency: 'low', kind: 'sale', plan: 'gold', extra: 1 })
  await sell({ urgency: null, order: null, plan: null, full_name: null })
  t.match(await ticketNow(), { priority: null, custom_fields: {} }, 'null clears')
  t.match(await contactNow(), { name: null, custom_fields: {} })
  const [, first] = await shop.events()
  t.same(first.data, data, 'the event keeps its data as sent')

  const told = (type: string, count: number) =>
    eventually(`${count} of ${type}`, () => {
      const all = toldOf(type)
      return all.length >= count && all
    })
  const recorded = await told('crm.event.recorded', 5)
  t.equal(recorded.length, 5)
  const updates = await told('crm.ticket.updated', 3)
  t.same(
    updates.map((data) => [...data.changed_fields].sort()),
    [
      [
        ...['amount', 'amount_currency', 'amount_status', 'category', 'chat_user_avatar', 'chat_user_name'],
        ...['custom_fields', 'priority'],
      ],
      ['priority'],
      ['chat_user_name', 'custom_fields', 'priority'],
    ],
    'one event of a ticket for each that changed something, none otherwise',
  )
  t.same(updates[1].previous, { priority: 'high' })
  t.equal(updates[0].ticket.chat_user_name, 'Ana')
  t.equal((await told('crm.contact.updated', 2)).length, 2)
})

t.test('a value that belongs to the contact alone is a change of the ticket for subscribers', async (t) => {
  const shop = await setUp({ 'custom.sale': through })
  const { _id: chat_user_id } = await shop.contact()
  const sell = (data: Json) => made(shop.record({ event_type: 'custom.sale', chat_user_id, data }))
  const { event } = await sell({})
  await shop.subscribe('alone', ['crm.ticket.updated', 'crm.event.recorded'])
  const before = (await shop.api('GET', `crm/tickets/${event.ticket_id}`)).body
  for (const data of [
    { full_name: 'Ana' },
    { full_name: 'Ana' },
    { full_name: 'Eva', plan: 'gold' },
    { plan: 'free' },
  ]) {
    await sell(data)
  }
  await eventually('all events are told', () => {
    return world.sink.events('alone').filter(({ type }) => type === 'crm.event.recorded').length === 4
  })
  const updates = () => world.sink.events('alone').filter(({ type }) => type === 'crm.ticket.updated')
  await eventually('and all changes', () => updates().length >= 3)
  t.same(
    updates().map(({ data }) => [data.changed_fields, data.previous]),
    [
      [['chat_user_name'], { chat_user_name: null }],
      [['chat_user_name'], { chat_user_name: 'Ana' }],
      [[], {}],
    ],
    'the ticket shows no custom field of its contact',
  )
  t.match(updates()[1]!.data.ticket, { _id: event.ticket_id, chat_user_name: 'Eva', version: before.version })
})

/** Returns the data of the events of a type, in the order in which they happened. */
function toldOf(type: string): Json[] {
  return world.sink
    .events('changes')
    .filter((event) => event.type === type)
    .map(({ data }) => data)
}

t.test('an event is refused when its ticket or contact would refuse a value', async (t) => {
  const shop = await setUp({ 'custom.sale': through })
  const { _id: chat_user_id } = await shop.contact()
  const cases: [string, Json, string[]][] = [
    ['a priority that there is not', { urgency: 'asap' }, ['urgency']],
    ['a currency that there is not', { currency: 'XXQ' }, ['currency']],
    ['an amount_status that there is not', { certainty: 'maybe' }, ['certainty']],
    ['an empty category', { kind: '' }, ['kind']],
    ['a phone without +', { mobile: '5215512345678' }, ['mobile']],
    ['an avatar that is no URL', { photo: 'ana.png' }, ['photo']],
    ['a name that a PATCH of the contact would refuse', { full_name: 'n'.repeat(257) }, ['full_name']],
    ['several', { urgency: 'asap', photo: 'x', plan: 'gold' }, ['urgency', 'photo']],
  ]
  for (const [what, data, fields] of cases) {
    const answer = await shop.record({ event_type: 'custom.sale', chat_user_id, data })
    t.same(fieldsOf(answer), [422, 'INVALID_FIELD_VALUE', fields], what)
    t.match(answer.body.error.message, `data.${fields[0]} must be`)
  }
  const plan = 'x'.repeat(33_000)
  const large = await shop.record({ event_type: 'custom.sale', chat_user_id, data: { order: 'A-1', plan } })
  t.same(fieldsOf(large), [422, 'INVALID_FIELD_VALUE', ['plan']], 'custom fields must not become too large')
  t.same([await shop.events(), await shop.tickets()], [[], []])
  const longest = { full_name: 'n'.repeat(256) }
  t.equal((await shop.record({ event_type: 'custom.sale', chat_user_id, data: longest })).status, 201)
})

t.test('amounts are kept with all their decimals, as they were sent', async (t) => {
  const shop = await setUp({ 'custom.sale': through })
  const { _id: chat_user_id } = await shop.contact()
  for (const total of [1.23456789, 0.1 + 0.2, 1e-9, 123456789.123456, 1e300, -0.00001, 0]) {
    const { body } = await shop.record({ event_type: 'custom.sale', chat_user_id, data: { total } })
    t.equal(body.event.data.total, total)
    const { ticket_id } = body.event
    t.equal((await shop.api('GET', `crm/tickets/${ticket_id}`)).body.amount, total)
    t.equal((await shop.api('GET', 'crm/tickets')).body.data[0].amount, total)
  }
  // JSON has no word for an infinite number, but enough digits make one.
  const raw = `{"event_type":"custom.sale","chat_user_id":"${chat_user_id}","data":{"total":1e400}}`
  const headers = { 'content-type': 'application/json' }
  const infinite = await shop.api('POST', 'crm/events', undefined, { raw, headers })
  t.ok([400, 422].includes(infinite.status), infinite.text)
  t.match(infinite.body.error.message, /total must be a number that a double holds exactly/)
})

t.test('a record that has become too large by other means takes the values of events', async (t) => {
  const shop = await setUp({ 'custom.sale': through })
  const { _id: chat_user_id } = await shop.contact()
  const stored = { notes: 'x'.repeat(40_000), plan: 'silver' }
  await rows('update contact set custom_fields = ? where _id = ?', [JSON.stringify(stored), chat_user_id])
  const sell = (plan: string) => shop.record({ event_type: 'custom.sale', chat_user_id, data: { plan } })
  t.equal((await sell('gold, and more')).status, 201)
  const { body } = await shop.api('GET', `contacts/${chat_user_id}`)
  t.strictSame(body.custom_fields, { ...stored, plan: 'gold, and more' })
  t.same(
    fieldsOf(await sell('x'.repeat(33_000))),
    [422, 'INVALID_FIELD_VALUE', ['plan']],
    'a value that is itself too large',
  )
})
