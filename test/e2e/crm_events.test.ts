/**
 * Events that clients record on the timeline of a contact's ticket: one test for each rule of the contract. The file
 * holds the contract of one resource against one set of shops.
 */
import t from 'tap'
import { type EventField, objectId } from '../../storage/mod.ts'
import type { Answer, Json } from './client.ts'
import { joinWorld, made, type Tenant } from './fixture.ts'
import { fieldsOf, type Shop, startShops } from './shops.ts'

const world = await joinWorld(t)
const { rows, setUp } = await startShops(t, world)

const ABSENT = '0123456789abcdef01234567'

t.test('an event lands on the open ticket of its contact; without one a ticket is opened', async (t) => {
  const shop = await setUp()
  const { _id: chat_user_id } = await shop.contact()
  const first = await shop.record({ chat_user_id, data: { amount: 12.5, nested: { a: [1, null] } } })
  t.equal(first.status, 201)
  t.equal(first.body.duplicated, false)
  const { event } = first.body
  t.same(Object.keys(event), ['_id', 'event_type', 'data', 'ticket_id', 'chat_user', 'created_at'])
  t.match(event, { event_type: 'payment.link_sent', chat_user: chat_user_id })
  t.same(event.data, { amount: 12.5, nested: { a: [1, null] } })
  const second = await shop.record({ chat_user_id })
  t.equal(second.body.event.ticket_id, event.ticket_id)
  const [ticket, ...others] = await shop.tickets()
  t.same(others, [])
  t.match(ticket, { _id: event.ticket_id, chat_user: chat_user_id, is_closed: false })
  const [stage] = await rows(
    `select s._id from pipeline_stage s join pipeline p on p._id = s.pipeline_id
     where p.project_id = ? and p.is_default order by s.position limit 1`,
    [shop.project_id],
  )
  t.equal(ticket.stage_id, stage._id, 'in the first stage of the default pipeline')
  t.same(
    (await shop.events()).map(({ event_type }) => event_type),
    ['ticket.created', 'payment.link_sent', 'payment.link_sent'],
  )
  t.same((await shop.api('GET', `crm/events/${event._id}`)).body, event)
})

t.test('an event names its contact in exactly one way', async (t) => {
  const shop = await setUp()
  const bad: [string, Json, string][] = [
    ['none', {}, 'exactly one of ticket_id, chat_user_id, customer_id, phone; none is given'],
    ['two', { ticket_id: ABSENT, phone: '5215512345678' }, 'ticket_id and phone are given'],
    ['a phone with +', { phone: '+5215512345678' }, 'without \\+'],
    ['a phone with letters', { phone: '52155abc' }, 'digits'],
    ['a phone that begins with 0', { phone: '05512345678' }, 'digits'],
    ['a malformed ticket_id', { ticket_id: 'x' }, '24 hex digits'],
    ['a malformed chat_user_id', { chat_user_id: 'ABCDEF' }, '24 hex digits'],
    ['a malformed customer_id', { customer_id: 7 }, 'must be a string'],
    ['an identifier that is null', { ticket_id: null }, 'must be a string'],
  ]
  for (const [what, body, text] of bad) {
    const answer = await shop.record(body)
    t.equal(answer.status, 400, what)
    t.match(answer.body.error.details.violations[0].message, new RegExp(text), what)
  }
  const shapes: [string, Json][] = [
    ['no type', { event_type: undefined }],
    ['an empty type', { event_type: '' }],
    ['no data', { data: undefined }],
    ['data that is a list', { data: [] }],
    ['data that is null', { data: null }],
    ['data with a key that is lost', JSON.parse('{"data":{"__proto__":1}}')],
    ['an empty idempotency_key', { idempotency_key: '' }],
    ['an idempotency_key of 201 characters', { idempotency_key: 'k'.repeat(201) }],
    ['the company', { company: 'x' }],
    ['the project', { project: 'x' }],
    ['an unknown property', { payload: {} }],
  ]
  for (const [what, body] of shapes) {
    const answer = await shop.record({ phone: '5215512345678', ...body })
    t.equal(answer.status, 400, what)
    t.equal(answer.body.error.code, 'VALIDATION_ERROR', what)
  }
  const large = await shop.record({ phone: '5215512345678', data: { text: 'x'.repeat(1024 * 1024) } })
  t.equal(large.status, 413)
  t.same(await shop.events(), [])
})

const typed: EventField[] = [
  { key: 'name', type: 'string', required: true },
  { key: 'count', type: 'number', required: true },
  { key: 'paid', type: 'boolean', required: false },
  { key: 'day', type: 'date', required: false },
  { key: 'labels', type: 'string[]', required: false },
]
const full = { name: 'A', count: 1, paid: true, day: '2026-09-21', labels: ['a'] }

t.test('data is checked against the fields of the type, and nothing is written when it does not fit', async (t) => {
  const shop = await setUp({ 'custom.order': typed })
  const { _id: chat_user_id } = await shop.contact()
  const cases: [string, Json, unknown[]][] = [
    ['all are missing', {}, [422, 'MISSING_REQUIRED_FIELDS', ['name', 'count']]],
    ['one is missing', { name: 'A' }, [422, 'MISSING_REQUIRED_FIELDS', ['count']]],
    ['one is missing, another is wrong', { name: 1 }, [422, 'MISSING_REQUIRED_FIELDS', ['count']]],
    ['an inherited name is not given', { name: 'A', toString: 1 }, [422, 'MISSING_REQUIRED_FIELDS', ['count']]],
    ['string', { ...full, name: 1 }, [422, 'INVALID_FIELD_VALUE', ['name']]],
    ['number', { ...full, count: '1' }, [422, 'INVALID_FIELD_VALUE', ['count']]],
    ['boolean', { ...full, paid: 'yes' }, [422, 'INVALID_FIELD_VALUE', ['paid']]],
    ['date', { ...full, day: '2026-02-31' }, [422, 'INVALID_FIELD_VALUE', ['day']]],
    ['list', { ...full, labels: ['a', 1] }, [422, 'INVALID_FIELD_VALUE', ['labels']]],
    ['several', { ...full, labels: 'a', paid: 0 }, [422, 'INVALID_FIELD_VALUE', ['paid', 'labels']]],
  ]
  for (const [what, data, expected] of cases) {
    t.same(fieldsOf(await shop.record({ event_type: 'custom.order', chat_user_id, data })), expected, what)
  }
  t.same([await shop.events(), await shop.tickets()], [[], []], 'nothing was written')
  const good: [string, Json][] = [
    ['everything', full],
    ['the required ones', { name: 'A', count: 1 }],
    ['null for any type', { name: null, count: null, paid: null, day: null, labels: null }],
    ['keys without a field', { name: 'A', count: 1, other: { deep: true } }],
  ]
  for (const [what, data] of good) {
    const answer = await shop.record({ event_type: 'custom.order', chat_user_id, data })
    t.equal(answer.status, 201, what)
    t.same(answer.body.event.data, data, `${what}: data is kept as sent`)
  }
})

t.test('an event names its type by the whole key, also a system type', async (t) => {
  const shop = await setUp({ 'custom.order': [] })
  const other = await setUp({ 'custom.elsewhere': [] })
  const { _id: chat_user_id } = await shop.contact()
  for (const [event_type, status] of [
    ['custom.order', 201],
    ['ticket.closed', 201],
    ['payment.confirmed', 201],
    ['order', 422],
    ['custom.Order', 422],
    ['custom.elsewhere', 422],
  ] as const) {
    const answer = await shop.record({ event_type, chat_user_id })
    t.equal(answer.status, status, event_type)
    if (status === 422) t.equal(answer.body.error.code, 'EVENT_TYPE_NOT_FOUND')
  }
  t.equal((await other.events()).length, 0)
})

t.test('an unknown contact or ticket is refused with its code, after the checks of type and data', async (t) => {
  const shop = await setUp({ 'custom.order': typed })
  const other = await setUp()
  const foreign = await other.contact()
  const theirs = (await made(other.record({ chat_user_id: foreign._id }))).event
  const mine = await shop.contact()
  const { ticket_id } = (await made(shop.record({ chat_user_id: mine._id }))).event
  await made(shop.api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true }))
  const { _id: busy } = await shop.contact()
  const { ticket_id: open } = (await made(shop.record({ chat_user_id: busy }))).event
  const cases: [string, Json, string][] = [
    ['an unknown contact', { chat_user_id: ABSENT }, 'NO_CONTACT'],
    ['a contact of another company', { chat_user_id: foreign._id }, 'NO_CONTACT'],
    ['an unknown phone', { phone: '5215599999999' }, 'NO_CONTACT'],
    ['a phone of another company', { phone: foreign.phone.slice(1) }, 'NO_CONTACT'],
    ['an unknown customer', { customer_id: ABSENT }, 'NO_CONTACT'],
    ['an unknown ticket', { ticket_id: ABSENT }, 'TICKET_NOT_FOUND'],
    ['a ticket of another company', { ticket_id: theirs.ticket_id }, 'TICKET_NOT_FOUND'],
    ['a closed ticket', { ticket_id }, 'TICKET_NOT_OPEN'],
    ['a contact instead of a ticket', { ticket_id: busy }, 'TICKET_NOT_FOUND'],
    ['a ticket instead of a contact', { chat_user_id: open }, 'NO_CONTACT'],
    ['type before contact', { chat_user_id: ABSENT, event_type: 'custom.none' }, 'EVENT_TYPE_NOT_FOUND'],
    ['data before contact', { chat_user_id: ABSENT, event_type: 'custom.order' }, 'MISSING_REQUIRED_FIELDS'],
  ]
  const before = [await shop.events(), await shop.tickets(), await other.events()]
  for (const [what, body, code] of cases) {
    const answer = await shop.record(body)
    t.same([answer.status, answer.body.error.code], [422, code], what)
  }
  t.same([await shop.events(), await shop.tickets(), await other.events()], before, 'nothing was written')
  const people = await rows('select _id from contact where project_id = ?', [shop.project_id])
  t.same(people.map(({ _id }) => _id).sort(), [mine._id, busy].sort(), 'no contact was made')
})

t.test('an event sent while its ticket is being closed lands on it, or on a new one', async (t) => {
  const shop = await setUp()
  const { _id: chat_user_id } = await shop.contact()
  for (let round = 0; round < 10; round++) {
    const { ticket_id } = (await made(shop.record({ chat_user_id }))).event
    const close = () => made(shop.api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true }))
    const record = () => shop.record({ chat_user_id })
    const answers = await Promise.all([record(), record(), close(), record(), shop.record({ ticket_id }), record()])
    const [after] = answers.splice(4, 1)
    t.ok(after.status === 201 || after.body.error.code === 'TICKET_NOT_OPEN')
    const landed = new Set([0, 1, 3, 4].map((n) => answers[n].body.event.ticket_id))
    landed.delete(ticket_id)
    t.ok(landed.size <= 1)
    const open = (await shop.tickets()).filter(({ is_closed }) => !is_closed).map(({ _id }) => _id)
    t.same(open, [...landed])
  }
})

t.test('a customer or phone means the contact with an open ticket, else the one seen last', async (t) => {
  const shop = await setUp()
  const customer_id = objectId()
  await rows(`insert into customer (_id, company_id, full_name) values (?, ?, 'Ana')`, [customer_id, shop.company_id])
  const phone = '+5215512345678'
  const seen = (day: number) => ({ customer_id, phone, last_seen_at: new Date(`2026-01-0${day}T00:00:00Z`) })
  const elsewhere = await made(
    world.operator('POST', 'projects', { company_id: shop.company_id, name: 'Elsewhere', limits: LIMITS }),
  )
  const [old, , recent] = [
    await shop.contact(seen(1)),
    await shop.contact(seen(2)),
    await shop.contact(seen(3)),
    await shop.contact({ ...seen(4), project: elsewhere._id }),
  ]
  const { ticket_id } = (await made(shop.record({ chat_user_id: old!._id }))).event
  for (const who of [{ customer_id }, { phone: phone.slice(1) }]) {
    t.equal((await shop.record(who)).body.event.chat_user, old!._id, `${Object.keys(who)}: open ticket`)
  }
  await made(shop.api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true }))
  t.equal((await shop.record({ customer_id })).body.event.chat_user, recent!._id, 'seen last in this project')
})

const LIMITS = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000, ingest_minute: 1_000_000 }

t.test('events draw on a budget of their own, and need their scopes', async (t) => {
  const shop = await setUp({}, { minute: 3, hour: 100, day: 100, ingest_minute: 5 })
  const { _id: chat_user_id } = await shop.contact()
  const left = []
  for (const body of [{ chat_user_id }, { chat_user_id: ABSENT }, {}, { chat_user_id }, { chat_user_id }]) {
    const { headers } = await shop.record(body)
    t.equal(headers['x-ratelimit-limit-ingest'], '5')
    t.notOk(headers['x-ratelimit-limit-minute'])
    left.push(headers['x-ratelimit-remaining-ingest'])
  }
  t.same(left, ['4', '3', '2', '1', '0'], 'refused events count as well')
  const over = await shop.record({ chat_user_id })
  t.equal(over.status, 429)
  t.match(over.body.error, { code: 'THROTTLED', message: /5 requests per minute of event ingest/ })
  t.ok(Number(over.headers['retry-after-ingest']) >= 1)
  const list = await shop.api('GET', 'crm/events')
  t.equal(list.status, 200)
  t.equal(list.headers['x-ratelimit-remaining-minute'], '2', 'events drew nothing from the shared pool of the reads')

  const { project_id, user_id } = shop
  const fields = { project_id, user_id, name: 'Reader', scopes: ['crm:events:read'] }
  const { token } = await made(world.operator('POST', 'tokens', fields))
  const reader = await setUp()
  t.equal((await shop.api('GET', 'crm/events', undefined, { token })).status, 200)
  const denied = await reader.record({}, { token: (await made(tokenOf(reader, 'crm:events:read'))).token })
  t.equal(denied.status, 403)
  t.same(denied.body.error.details.required, ['crm:events:write'])
})

function tokenOf({ project_id, user_id }: Tenant, scope: string): Promise<Answer> {
  return world.operator('POST', 'tokens', { project_id, user_id, name: 'Token', scopes: [scope] })
}

t.test('events are listed newest first by ticket, contact and type, to their own project alone', async (t) => {
  const shop = await setUp({ 'custom.a': [], 'custom.b': [] })
  const [one, two] = [await shop.contact(), await shop.contact()]
  const of: Record<string, string> = {}
  for (let n = 0; n < 12; n++) {
    const { _id: chat_user_id } = n % 3 === 0 ? two : one
    const event_type = n % 2 === 0 ? 'custom.a' : 'custom.b'
    const { event } = await made(shop.record({ chat_user_id, event_type, data: { n } }))
    of[chat_user_id] = event.ticket_id
  }
  const list = async (query: string) => (await shop.api('GET', `crm/events?${query}`)).body
  const numbers = async (query: string) => (await list(query)).data.map(({ data }: Json) => data.n)
  t.same(await numbers('event_type=custom.a'), [10, 8, 6, 4, 2, 0])
  t.same(await numbers(`chat_user=${two._id}&event_type=custom.b`), [9, 3])
  t.same(await numbers(`ticket_id=${of[one._id]}&event_type=custom.a`), [10, 8, 4, 2])
  t.same(await numbers(`ticket_id=${of[one._id]}&chat_user=${two._id}`), [])
  t.same(await numbers(`event_type=ticket.created&chat_user=${two._id}`), [undefined])
  for (const filter of ['event_type=custom.b', `chat_user=${one._id}`, `ticket_id=${of[two._id]}`, '']) {
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await list(`limit=2&${filter}${cursor && `&cursor=${cursor}`}`)
      t.ok(page.data.length <= 2)
      seen.push(...page.data.map(({ _id }: Json) => _id))
      cursor = page.next_cursor
    } while (cursor)
    const whole = (await list(filter)).data.map(({ _id }: Json) => _id)
    t.same(seen, whole, `pages of ${filter || 'everything'}`)
    t.ok(seen.length >= 5)
  }
  t.equal((await list('')).data.length, 14, 'the list includes the opening of each ticket')
  const stranger = await setUp()
  t.same((await stranger.api('GET', 'crm/events')).body, { data: [], next_cursor: null, has_more: false })
  t.same((await stranger.api('GET', `crm/events?chat_user=${one._id}`)).body.data, [])
  const { _id } = (await list('limit=1')).data[0]
  for (const [who, id] of [
    [stranger, _id],
    [shop, ABSENT],
    [shop, 'nonsense'],
  ] as [Shop, string][]) {
    t.equal((await who.api('GET', `crm/events/${id}`)).status, 404, id)
  }
  for (const query of ['ticket_id=x', 'chat_user=x', 'cursor=x', 'limit=0', 'limit=201', 'contact=x', 'event_type=']) {
    t.equal((await shop.api('GET', `crm/events?${query}`)).status, 400, query)
  }
})
