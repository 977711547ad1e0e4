/**
 * Tickets: the fields they take, the requests they refuse, the events subscribers get and the answers of reads. The
 * file holds the contract of one resource against the tags and stages of one project.
 */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator, sink } = world
const tenant = await makeTenant(world)
const { api, company_id, project_id, user_id } = tenant

const tag = async (name: string) => (await made(operator('POST', 'tags', { project_id, name, color: '#f59e0b' })))._id
const [vip, late, third] = [await tag('VIP'), await tag('Late'), await tag('Third')]
const shownTag = (id: string, name: string) => ({ id, name, color: '#f59e0b' })

let people = 0

/** Returns the open ticket of a new contact. */
async function opened({ api }: Tenant = tenant): Promise<Json> {
  const user_id = `5215551${String(++people).padStart(6, '0')}`
  const contact = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id, name: 'Ana' }))
  return openedFor(contact._id, api)
}

async function openedFor(chat_user_id: string, call = api): Promise<Json> {
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id }
  const { ticket_id } = (await made(call('POST', 'crm/events', event))).event
  return made(call('GET', `crm/tickets/${ticket_id}`))
}

const get = ({ _id }: Json) => made(api('GET', `crm/tickets/${_id}`))
const patch = ({ _id }: Json, body: object, headers = {}) => api('PATCH', `crm/tickets/${_id}`, body, { headers })

const owner = { id: user_id, full_name: 'Owner', email: (await operator('GET', `users/${user_id}`)).body.email }
const summary = { motivo: 'Late order', estado: 'open', proximos_pasos: 'Ask the carrier', is_final: false }

type Field = { sent: string; to: unknown; shown?: unknown; as?: string; clear?: unknown; cleared?: unknown }

/** The fields that follow the assignee. */
const followed = ({ assigned_to }: Json) => ({ handled_by: assigned_to ? 'person' : 'nobody' })

const fields: Field[] = [
  { sent: 'priority', to: 'high' },
  { sent: 'category', to: 'orders' },
  { sent: 'assigned_to', to: user_id, shown: owner },
  { sent: 'custom_fields', to: { order: { id: 'A-1' } }, clear: {}, cleared: {} },
  { sent: 'amount', to: 1499.5 },
  { sent: 'amount', to: -0.0001 },
  { sent: 'amount', to: 0.1 + 0.2 },
  { sent: 'amount', to: 1.23456789 },
  { sent: 'amount', to: 5e-324 },
  { sent: 'amount', to: -Number.MAX_VALUE },
  { sent: 'amount_currency', to: 'MXN' },
  { sent: 'amount_status', to: 'estimated' },
  { sent: 'resolution', to: 'won' },
  { sent: 'conversation_summary', to: summary },
  { sent: 'conversation_summary', to: { motivo: null } },
  { sent: 'tag_ids', to: [late, vip], shown: [shownTag(late, 'Late'), shownTag(vip, 'VIP')], as: 'tags', clear: [] },
]

t.test('each field is set, stays as it is, and is cleared; subscribers hear of every change once', async (t) => {
  const events = ['crm.ticket.updated', 'crm.ticket.closed', 'crm.ticket.reopened', 'crm.ticket.stage_changed']
  await tenant.subscribe('fields', events, { ordering: 'subscription' })
  let ticket = await opened()
  const expected: Json[] = []
  for (const { sent, to, shown = to, as = sent, clear = null, cleared = clear } of fields) {
    for (const [value, now] of [
      [to, shown],
      [clear, cleared],
    ]) {
      const { body, status, headers } = await patch(ticket, { [sent]: value })
      t.same([status, body.action, body.just_closed], [200, 'updated', false], `${sent} ${JSON.stringify(value)}`)
      const { updated_at, version } = body.ticket
      t.same(
        body.ticket,
        { ...ticket, [as]: now, updated_at, version, ...followed(body.ticket) },
        'nothing else changes',
      )
      t.equal(version, ticket.version + 1)
      t.equal(headers.etag, `"${version}"`)
      t.ok(updated_at >= ticket.updated_at)
      t.same(await get(ticket), body.ticket, 'a read shows the same ticket')
      const previous = { [as]: ticket[as], ...(as === 'assigned_to' && followed(ticket)) }
      expected.push({ changed_fields: Object.keys(previous), previous, [as]: now })
      const again = await patch(ticket, { [sent]: value })
      t.same([again.status, again.body], [200, { ticket: body.ticket, just_closed: false, action: 'unchanged' }])
      ticket = body.ticket
    }
  }
  t.match((await patch(ticket, {})).body, { action: 'unchanged', ticket })
  const all = { priority: 'low', amount: 7, amount_currency: 'EUR', is_closed: true, resolution: 'lost' }
  await made(patch(ticket, all))
  const heard = await eventually('the last event arrives', () => {
    const events = sink.events('fields')
    return events.at(-1)?.type === 'crm.ticket.closed' && events
  })
  const updated = heard.filter(({ type }) => type === 'crm.ticket.updated').map(({ data }) => data)
  t.equal(heard.length, expected.length + 2, 'no other event is told')
  for (const [at, { changed_fields, previous, ...now }] of expected.entries()) {
    t.same(updated[at].changed_fields, changed_fields)
    t.same(updated[at].previous, previous)
    t.has(updated[at].ticket, now)
  }
  const last = heard.slice(-2).map(({ data }) => data)
  const changed = ['amount', 'amount_currency', 'closed_at', 'is_closed', 'priority', 'resolution']
  t.same(last[0].changed_fields.sort(), changed, 'many fields are one change')
  t.same(last[1], { ...last[0], changed_fields: last[1].changed_fields })
})

const wrong: [body: object, ...paths: string[]][] = [
  [{ is_closed: 'true' }, 'is_closed'],
  [{ is_closed: null }, 'is_closed'],
  [{ resolution: 'maybe' }, 'resolution'],
  [{ priority: 'HIGH' }, 'priority'],
  [{ category: '' }, 'category'],
  [{ category: 'x'.repeat(201) }, 'category'],
  [{ category: 5 }, 'category'],
  [{ assigned_to: 'nobody' }, 'assigned_to'],
  [{ custom_fields: null }, 'custom_fields'],
  [{ custom_fields: ['a'] }, 'custom_fields'],
  [{ custom_fields: { long: 'x'.repeat(33_000) } }, 'custom_fields'],
  [{ amount: '5' }, 'amount'],
  [{ amount_currency: 'mxn' }, 'amount_currency'],
  [{ amount_currency: 'QQQ' }, 'amount_currency'],
  [{ amount_status: 'guessed' }, 'amount_status'],
  [{ tag_ids: null }, 'tag_ids'],
  [{ tag_ids: vip }, 'tag_ids'],
  [{ add_tag_ids: ['VIP'] }, 'add_tag_ids.0'],
  [{ tag_ids: [], add_tag_ids: [vip], remove_tag_ids: [] }, 'add_tag_ids', 'remove_tag_ids'],
  [{ conversation_summary: { reason: 'x' } }, 'conversation_summary.reason'],
  [
    { conversation_summary: { motivo: 5, is_final: 'no' } },
    'conversation_summary.motivo',
    'conversation_summary.is_final',
  ],
  [{ company: 'x', project: 'x', created_by: 'x' }, 'company', 'created_by', 'project'],
  [{ stage_id: vip, version: 3, tags: [] }, 'stage_id', 'tags', 'version'],
  [
    { priority: 'x', amount: 'x', extra: 1, tag_ids: 'x', add_tag_ids: [] },
    'add_tag_ids',
    'amount',
    'extra',
    'priority',
    'tag_ids',
  ],
]

t.test('a refusal names every violation, and nothing is written', async (t) => {
  const ticket = await opened()
  for (const [body, ...paths] of wrong) {
    const answer = await patch(ticket, { ...body, ...('amount' in body ? {} : { amount: 5 }) })
    t.equal(answer.status, 400, answer.text)
    const { code, details } = answer.body.error
    t.equal(code, 'VALIDATION_ERROR')
    t.same(details.violations.map(({ path }: Json) => path).sort(), paths.sort())
  }
  const other = await makeTenant(world)
  const gone = await made(
    operator('POST', 'users', { company_id, full_name: 'Gone', email: `gone-${randomUUID()}@example.com` }),
  )
  await made(operator('PATCH', `users/${gone._id}`, { is_active: false }))
  const unknown = 'f'.repeat(24)
  const theirs = (await made(operator('POST', 'tags', { project_id: other.project_id, name: 'VIP' })))._id
  for (const [body, code, details] of [
    [{ tag_ids: [vip, unknown] }, 'TAG_NOT_FOUND', { tag_ids: [unknown] }],
    [{ add_tag_ids: [theirs] }, 'TAG_NOT_FOUND', { tag_ids: [theirs] }],
    [{ remove_tag_ids: [unknown] }, 'TAG_NOT_FOUND', { tag_ids: [unknown] }],
    [{ assigned_to: unknown }, 'ASSIGNEE_NOT_FOUND', { assigned_to: unknown }],
    [{ assigned_to: other.user_id }, 'ASSIGNEE_NOT_FOUND', { assigned_to: other.user_id }],
    [{ assigned_to: gone._id }, 'ASSIGNEE_NOT_FOUND', { assigned_to: gone._id }],
  ] as const) {
    const { status, body: answer } = await patch(ticket, { amount: 5, ...body })
    t.match([status, answer.error], [422, { code, details }])
  }
  t.same(await get(ticket), ticket)
})

t.test('tags are added and removed one by one', async (t) => {
  const ticket = await opened()
  const steps: [body: object, tags: string[], action: string][] = [
    [{ tag_ids: [vip, vip, late] }, ['VIP', 'Late'], 'updated'],
    [{ add_tag_ids: [third, vip] }, ['VIP', 'Late', 'Third'], 'updated'],
    [{ remove_tag_ids: [vip] }, ['Late', 'Third'], 'updated'],
    [{ remove_tag_ids: [vip], add_tag_ids: [late] }, ['Late', 'Third'], 'unchanged'],
    [{ tag_ids: [third, late] }, ['Late', 'Third'], 'unchanged'],
    [{ add_tag_ids: [vip], remove_tag_ids: [late] }, ['Third', 'VIP'], 'updated'],
  ]
  for (const [body, tags, action] of steps) {
    const answer = (await patch(ticket, body)).body
    t.same([answer.ticket.tags.map(({ name }: Json) => name), answer.action], [tags, action], JSON.stringify(body))
  }
})

t.test('custom fields are those that the company has defined, once it has defined any', async (t) => {
  const other = await makeTenant(world)
  const ticket = await opened(other)
  const define = { company_id: other.company_id, owner: 'ticket', key: 'order', name: 'Order', type: 'string' }
  await made(operator('POST', 'custom-fields', define))
  const write = (custom_fields: object) => other.api('PATCH', `crm/tickets/${ticket._id}`, { custom_fields, amount: 1 })
  const { status, body } = await write({ order: 5, oder: 'A-1' })
  t.equal(status, 400)
  const violations = body.error.details.violations.map(({ path, code }: Json) => [path, code])
  t.same(violations, [
    ['custom_fields.order', 'invalid_type'],
    ['custom_fields.oder', 'unknown_property'],
  ])
  t.match((await write({ order: 'A-1' })).body.ticket, { custom_fields: { order: 'A-1' }, amount: 1, version: 2 })
})

t.test('a closed ticket reopens as long as its contact has no other open one', async (t) => {
  const ticket = await opened()
  const closed = (await patch(ticket, { is_closed: true, resolution: 'won' })).body
  t.match(closed, { action: 'closed', just_closed: true, ticket: { is_closed: true, resolution: 'won' } })
  t.match(closed.ticket.closed_at, /Z$/)
  const again = (await patch(ticket, { is_closed: true, category: 'done' })).body
  t.match(again, { action: 'updated', just_closed: false, ticket: { closed_at: closed.ticket.closed_at } })
  const reopened = (await patch(ticket, { is_closed: false })).body
  t.match(reopened, { action: 'reopened', ticket: { is_closed: false, closed_at: null, resolution: null } })
  await made(patch(ticket, { is_closed: true, resolution: 'won' }))
  const kept = (await patch(ticket, { is_closed: false, resolution: 'won' })).body
  t.match(kept, { action: 'reopened', ticket: { resolution: 'won' } }, 'fields sent with the reopening are written')
  await made(patch(ticket, { is_closed: true }))
  const next = await openedFor(ticket.chat_user)
  t.not(next._id, ticket._id)
  const refused = await patch(ticket, { is_closed: false, priority: 'low' })
  t.match(
    [refused.status, refused.body.error],
    [409, { code: 'TICKET_ALREADY_OPEN', details: { ticket_id: next._id } }],
  )
  t.match(await get(ticket), { is_closed: true, priority: null })
})

t.test('a change can be bound to the version that was seen', async (t) => {
  const ticket = await opened()
  await made(patch(ticket, { amount: 1 }))
  const read = (headers: object) => api('GET', `crm/tickets/${ticket._id}`, undefined, { headers: headers as never })
  for (const [if_match, status] of [
    ['"2"', 200],
    ['"1", "2"', 200],
    ['*', 200],
    ['"1"', 412],
    ['W/"2"', 412],
    ['2', 412],
  ] as const) {
    const answer = await patch(ticket, { category: `never written` }, { 'if-match': status === 412 ? if_match : '"9"' })
    t.equal(answer.body.error.code, 'PRECONDITION_FAILED')
    t.equal((await patch(ticket, { amount: 1 }, { 'if-match': if_match })).status, status, if_match)
    const seen = await read({ 'if-match': if_match })
    t.equal(seen.status, status)
    if (status === 412) t.same(seen.body.error.details, { version: 2 })
  }
  for (const [if_none_match, status] of [
    ['"2"', 304],
    ['W/"2"', 304],
    ['"1", "2"', 304],
    ['*', 304],
    ['"1"', 200],
  ] as const) {
    const { status: answered, headers, text } = await read({ 'if-none-match': if_none_match })
    t.same([answered, headers.etag, text === ''], [status, '"2"', status === 304], if_none_match)
  }
  t.match(await get(ticket), { version: 2, category: null })
})

t.test('tickets of other projects are not found', async (t) => {
  const ticket = await opened()
  const other = await makeTenant(world)
  const malformed = ['1', 'F'.repeat(24), `${ticket._id}0`, 'undefined', '%00']
  for (const [who, id] of [[other, ticket._id] as const, ...malformed.map((id) => [tenant, id] as const)]) {
    const stage_id = ticket.stage.stage_id
    const answers = await Promise.all([
      who.api('GET', `crm/tickets/${id}`),
      who.api('PATCH', `crm/tickets/${id}`, { is_closed: true }),
      who.api('PATCH', `crm/tickets/${id}`, { is_closed: true }, { headers: { 'if-match': '"1"' } }),
      who.api('POST', `crm/tickets/${id}/stage`, { stage_id }),
      who.api('GET', `crm/tickets/${id}/timeline`),
    ])
    t.same(
      answers.map(({ status, body }) => [status, body.error.code]),
      answers.map(() => [404, 'NOT_FOUND']),
      id,
    )
  }
  t.equal((await other.api('GET', `crm/tickets?chat_user=${ticket.chat_user}`)).body.total, 0)
  t.same(await get(ticket), ticket)
})

t.test('tickets are listed by their fields', async (t) => {
  const lister = await makeTenant(world)
  const { api } = lister
  const made_tag = await made(operator('POST', 'tags', { project_id: lister.project_id, name: 'A' }))
  const [pipeline] = (await operator('GET', `pipelines?project_id=${lister.project_id}`)).body.data
  const other = await made(
    operator('POST', 'pipelines', { project_id: lister.project_id, name: 'Other', stages: [{ name: 'One' }] }),
  )
  const tickets: Json[] = []
  for (let n = 0; n < 5; n++) tickets.push(await opened(lister))
  const [first, second, closed, moved, last] = tickets.map(({ _id }) => _id)
  const write = (id: string, body: object) => made(api('PATCH', `crm/tickets/${id}`, body))
  await write(second, { assigned_to: lister.user_id, priority: 'urgent', tag_ids: [made_tag._id] })
  await write(closed, { is_closed: true, tag_ids: [made_tag._id] })
  await made(api('POST', `crm/tickets/${moved}/stage`, { stage_id: other.stages[0]._id }))
  const ids = async (query: string) => {
    const { data, total, limit, offset } = await made(api('GET', `crm/tickets?${query}`))
    for (const one of data)
      t.same(one, await made(api('GET', `crm/tickets/${one._id}`)), 'the list shows a ticket as its own route does')
    return { ids: data.map(({ _id }: Json) => _id), total, limit, offset }
  }
  for (const [query, expected] of [
    ['', [last, moved, closed, second, first]],
    ['sort=created_at', [last, moved, closed, second, first]],
    ['sort=updated_at', [moved, closed, second, last, first]],
    ['is_closed=true', [closed]],
    ['is_closed=false', [last, moved, second, first]],
    [`stage_id=${other.stages[0]._id}`, [moved]],
    [`pipeline_id=${other._id}`, [moved]],
    [`pipeline_id=${pipeline._id}&is_closed=false`, [last, second, first]],
    [`assigned_to=${lister.user_id}`, [second]],
    [`chat_user=${tickets[0].chat_user}`, [first]],
    [`tag_id=${made_tag._id}`, [closed, second]],
    ['priority=urgent', [second]],
    ['priority=low', []],
  ] as [string, string[]][]) {
    t.same(await ids(query), { ids: expected, total: expected.length, limit: 50, offset: 0 }, query)
  }
  t.same(await ids('limit=2&offset=1'), { ids: [moved, closed], total: 5, limit: 2, offset: 1 })
  await openedFor(tickets[1].chat_user, api)
  t.equal((await ids('sort=last_activity_at')).ids[0], second, 'an event is activity')
  for (const query of [
    'limit=0',
    'limit=201',
    'offset=-1',
    'is_closed=1',
    'priority=x',
    'sort=name',
    'stage_id=x',
    'x=1',
  ]) {
    t.equal((await api('GET', `crm/tickets?${query}`)).status, 400, query)
  }
})
