/**
 * The records that operators set up for the CRM: the links between them, and their effect in the CRM. One file, because
 * each rule is about two of these records.
 */
import t from 'tap'
import { objectId } from '../../storage/mod.ts'
import type { Answer, Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { codeOf, ruled, violationsOf } from './operator_answers.ts'

const world = await joinWorld(t)
const { operator } = world
const neighbour = await makeTenant(world)

/** Makes a tenant whose contacts get tickets in the first stage of the default pipeline. */
async function setUp() {
  const own = await makeTenant(world)
  const { project_id } = own
  const post = (path: string, body: Json) => operator('POST', path, body)
  let people = 0
  const contact = async (fields: Json = {}) => {
    const user_id = `52155300${String(++people).padStart(5, '0')}`
    return made(own.api('POST', 'contacts', { channel_type: 'whatsapp', user_id, ...fields }))
  }
  /** Opens a ticket by an event. */
  const ticket = async () => {
    const { _id } = await contact()
    const event = { event_type: 'payment.link_sent', data: {}, chat_user_id: _id }
    const { event: recorded } = await made(own.api('POST', 'crm/events', event))
    return (await made(own.api('GET', `crm/tickets/${recorded.ticket_id}`))) as Json
  }
  const pipelines = async () => (await made(operator('GET', `pipelines?project_id=${project_id}`))).data as Json[]
  return { ...own, post, contact, ticket, pipelines }
}

t.test('a company has the event types of the system, which take fields and stay', async (t) => {
  const own = await setUp()
  const { data, total } = (await operator('GET', `event-types?company_id=${own.company_id}`)).body
  t.equal(total, 13)
  t.ok(data.every(({ is_system }: Json) => is_system))
  const { _id, key } = data.find((type: Json) => type.key === 'payment.link_sent')
  const fields = [{ key: 'amount', type: 'number', required: true, target: 'ticket.amount' }]
  t.match(await operator('PATCH', `event-types/${_id}`, { fields }), { status: 200, body: { fields, is_system: true } })
  const { _id: chat_user_id } = await own.contact()
  const event = { event_type: key, chat_user_id, data: {} }
  t.same(
    codeOf(await own.api('POST', 'crm/events', event)),
    [422, 'MISSING_REQUIRED_FIELDS'],
    'the new field is required from now on',
  )
  const { event: recorded } = await made(own.api('POST', 'crm/events', { ...event, data: { amount: 12.5 } }))
  t.equal((await made(own.api('GET', `crm/tickets/${recorded.ticket_id}`))).amount, 12.5)
  t.same(codeOf(await operator('DELETE', `event-types/${_id}`)), [409, 'SYSTEM_EVENT_TYPE'])
})

t.test('events of a deleted type are refused; its earlier events stay', async (t) => {
  const own = await setUp()
  const type = await made(own.post('event-types', { company_id: own.company_id, key: 'visited', name: 'Visited' }))
  const { _id: chat_user_id } = await own.contact()
  const event = { event_type: type.key, chat_user_id, data: {} }
  await made(own.api('POST', 'crm/events', event))
  t.equal((await operator('DELETE', `event-types/${type._id}`)).status, 204)
  t.same(codeOf(await own.api('POST', 'crm/events', event)), [422, 'EVENT_TYPE_NOT_FOUND'])
  const { data } = await made(own.api('GET', 'crm/events?event_type=custom.visited'))
  t.equal(data.length, 1)
})

t.test('once custom fields are defined, events, rules and customers name no others', async (t) => {
  const { company_id, project_id, post } = await setUp()
  const type = (fields: Json) => post('event-types', { company_id, key: 'sized', name: 'Sized', fields: [fields] })
  const withRules = (rules: Json) => post('pipelines', { project_id, name: 'Sizes', ...ruled(rules) })
  const define = (owner: string, key: string, type: string, options: string[] | null = null) =>
    post('custom-fields', { company_id, owner, key, name: key, type, options })

  const early = await made(type({ key: 'size', type: 'number', target: 'ticket.size' }))
  t.same(
    violationsOf(await define('ticket', 'size', 'string')),
    ['type invalid_value'],
    'a field that events fill with numbers stays a number',
  )
  const size = await made(define('ticket', 'size', 'number'))
  const colour = await made(define('ticket', 'colour', 'string', ['red', 'blue']))
  await made(define('customer', 'since', 'date'))
  t.same(violationsOf(await operator('PATCH', `custom-fields/${size._id}`, { options: ['1'] })), [
    'options invalid_value',
  ])

  const cases: [Promise<Answer>, string[]][] = [
    [type({ key: 'a', type: 'string', target: 'ticket.size' }), ['fields.0.type invalid_value']],
    [type({ key: 'a', type: 'string', target: 'ticket.sizes' }), ['fields.0.target invalid_value']],
    [withRules({ require_fields: ['sizes'] }), ['stages.0.rules.require_fields.0 unknown_property']],
    [withRules({ set_fields: { sizes: 1 } }), ['stages.0.rules.set_fields.sizes unknown_property']],
    [withRules({ set_fields: { size: '1' } }), ['stages.0.rules.set_fields.size invalid_type']],
    [withRules({ set_fields: { colour: 'green' } }), ['stages.0.rules.set_fields.colour invalid_value']],
    [
      post('customers', { company_id, full_name: 'Ana', custom_fields: { since: 'May', plan: 1 } }),
      ['custom_fields.plan unknown_property', 'custom_fields.since invalid_type'],
    ],
  ]
  for (const [answer, expected] of cases) t.same(violationsOf(await answer), expected)
  const pipeline = await made(withRules({ set_fields: { colour: 'red', size: null }, require_fields: ['size'] }))
  await made(post('customers', { company_id, full_name: 'Ana', custom_fields: { since: '2020-05-01' } }))

  t.match(await operator('DELETE', `custom-fields/${size._id}`), {
    status: 409,
    body: { error: { code: 'IN_USE', details: { held_by: { event_types: 1, stages: 1 } } } },
  })
  t.equal((await operator('DELETE', `event-types/${early._id}`)).status, 204)
  t.equal((await operator('DELETE', `pipelines/${pipeline._id}`)).status, 204)
  for (const { _id } of [size, colour]) t.equal((await operator('DELETE', `custom-fields/${_id}`)).status, 204)
})

t.test('a project has one default pipeline, and tickets are opened in its first stage', async (t) => {
  const own = await setUp()
  const [first] = await own.pipelines()
  t.match(first, {
    name: 'Default',
    is_default: true,
    stages: [{ name: 'New' }, { name: 'In progress' }, { name: 'Done' }],
  })
  t.same(codeOf(await operator('DELETE', `pipelines/${first!._id}`)), [409, 'PIPELINE_IS_DEFAULT'])
  t.same(codeOf(await operator('PATCH', `pipelines/${first!._id}`, { is_default: false })), [
    409,
    'PIPELINE_IS_DEFAULT',
  ])
  const stages = [
    { name: 'Late', position: 9 },
    { name: 'Soon', position: 2 },
  ]
  const body = { project_id: own.project_id, name: 'Sales', is_default: true, stages }
  const sales = await made(own.post('pipelines', body))
  t.match(
    sales.stages,
    [
      { name: 'Soon', position: 0 },
      { name: 'Late', position: 1 },
    ],
    'in the order of their positions',
  )
  const ranks = async () => (await own.pipelines()).map(({ name, is_default }) => [name, is_default])
  t.same(await ranks(), [
    ['Sales', true],
    ['Default', false],
  ])
  t.equal((await own.ticket()).stage.stage_id, sales.stages[0]._id)
  await made(operator('PATCH', `pipelines/${first!._id}`, { is_default: true }))
  t.same(await ranks(), [
    ['Sales', false],
    ['Default', true],
  ])
  t.equal((await own.ticket()).stage.stage_id, first!.stages[0]._id)
  t.match(await operator('DELETE', `pipelines/${sales._id}`), {
    status: 409,
    body: { error: { code: 'IN_USE', details: { held_by: { open_tickets: 1 } } } },
  })
})

t.test('a stage with its _id is kept, one without is added, and one left out is deleted', async (t) => {
  const own = await setUp()
  const [pipeline] = await own.pipelines()
  const path = `pipelines/${pipeline!._id}`
  const [fresh, working, done] = pipeline!.stages
  const ticket = await own.ticket()
  t.same(codeOf(await operator('PATCH', path, { stages: [{ _id: objectId() }] })), [422, 'STAGE_NOT_FOUND'])
  t.same(violationsOf(await operator('PATCH', path, { stages: [{ rules: {} }] })), ['stages.0.name invalid_value'])
  const twice = [{ _id: done._id }, { _id: done._id }]
  t.same(violationsOf(await operator('PATCH', path, { stages: twice })), ['stages.1._id duplicate'])
  t.match(await operator('PATCH', path, { stages: [working, done] }), {
    status: 409,
    body: { error: { code: 'IN_USE', details: { held_by: { open_tickets: 1 } } } },
  })
  t.same((await operator('GET', path)).body.stages, pipeline!.stages, 'a refused request changes nothing')

  const rules = { close_with: 'lost' }
  const changed = await made(
    operator('PATCH', path, {
      stages: [{ _id: done._id, rules }, { _id: fresh._id, name: 'Fresh' }, { name: 'Waiting' }],
    }),
  )
  t.match(changed.stages, [
    { _id: done._id, name: 'Done', position: 0, rules },
    { _id: fresh._id, name: 'Fresh', position: 1, rules: {} },
    { name: 'Waiting', position: 2, rules: {} },
  ])
  t.equal(changed.stages.length, 3)
  t.same((await operator('GET', path)).body, changed)
  t.equal((await own.ticket()).stage.stage_id, done._id, 'new tickets go to the new first stage')

  const names = async () => (await operator('GET', path)).body.stages.map(({ name }: Json) => name)
  const second = await made(own.post(`${path}/stages`, { name: 'Second', position: 1, rules: { close_with: 'won' } }))
  t.match(second, { position: 1, pipeline_id: pipeline!._id, project_id: own.project_id })
  t.same((await operator('GET', `stages/${second._id}`)).body, second)
  await made(own.post(`${path}/stages`, { name: 'Last' }))
  t.same(await names(), ['Done', 'Second', 'Fresh', 'Waiting', 'Last'])
  t.match(await operator('PATCH', `stages/${second._id}`, { position: 99, rules: {} }), {
    body: { position: 4, rules: {} },
  })
  t.same(await names(), ['Done', 'Fresh', 'Waiting', 'Last', 'Second'])
  t.same(violationsOf(await operator('PATCH', `stages/${second._id}`, { pipeline_id: 'x' })), [
    'pipeline_id unknown_property',
  ])
  t.same(violationsOf(await own.post(`${path}/stages`, { rules: 'none' })), ['name required', 'rules invalid_type'])
  t.same(codeOf(await own.post(`pipelines/${objectId()}/stages`, { name: 'x' })), [404, 'NOT_FOUND'])
  t.equal((await operator('DELETE', `stages/${changed.stages[2]._id}`)).status, 204)
  t.same(await names(), ['Done', 'Fresh', 'Last', 'Second'])
  t.same(codeOf(await operator('DELETE', `stages/${fresh._id}`)), [409, 'IN_USE'])
  await made(own.api('PATCH', `crm/tickets/${ticket._id}`, { is_closed: true }))
  t.equal((await operator('DELETE', `stages/${fresh._id}`)).status, 204, 'closed tickets hold no stage')

  const alone = await made(
    own.post('pipelines', { project_id: own.project_id, name: 'One', stages: [{ name: 'Only' }] }),
  )
  t.same(codeOf(await operator('DELETE', `stages/${alone.stages[0]._id}`)), [409, 'LAST_STAGE'])
})

t.test('rules assign to active people of the company and add tags of the project', async (t) => {
  const own = await setUp()
  const { project_id, post } = own
  const tag = await made(post('tags', { project_id, name: 'Won' }))
  const strange = await made(post('tags', { project_id: neighbour.project_id, name: 'Strange' }))
  const withRules = (rules: Json) => post('pipelines', { project_id, name: 'Rules', ...ruled(rules) })
  for (const id of [strange._id, objectId()]) {
    t.match(await withRules({ add_tag_ids: [tag._id, id] }), {
      status: 422,
      body: { error: { code: 'TAG_NOT_FOUND', details: { tag_ids: [id] } } },
    })
  }
  for (const id of [neighbour.user_id, objectId()]) {
    t.match(await withRules({ assign_to: [own.user_id, id] }), {
      status: 422,
      body: { error: { code: 'ASSIGNEE_NOT_FOUND', details: { assign_to: [id] } } },
    })
  }
  const { stages, _id } = await made(withRules({ add_tag_ids: [tag._id], assign_to: [own.user_id] }))
  await made(operator('PATCH', `users/${own.user_id}`, { is_active: false }))
  t.equal((await operator('PATCH', `pipelines/${_id}`, { stages })).status, 200, 'a person already assigned may stay')
  t.same(codeOf(await withRules({ assign_to: [own.user_id] })), [422, 'ASSIGNEE_NOT_FOUND'])
  t.match(await operator('DELETE', `tags/${tag._id}`), {
    status: 409,
    body: { error: { code: 'IN_USE', details: { held_by: { stages: 1 } } } },
  })
  await made(operator('PATCH', `stages/${stages[0]._id}`, { rules: {} }))
  t.equal((await operator('DELETE', `tags/${tag._id}`)).status, 204)
})

t.test('tickets show a tag as it is now, and a deleted one no more', async (t) => {
  const own = await setUp()
  const tag = await made(own.post('tags', { project_id: own.project_id, name: 'Hot', color: '#FF0000' }))
  const { _id } = await own.ticket()
  const path = `crm/tickets/${_id}`
  await made(own.api('PATCH', path, { add_tag_ids: [tag._id] }))
  const tags = async () => (await made(own.api('GET', path))).tags
  t.same(await tags(), [{ id: tag._id, name: 'Hot', color: '#ff0000' }])
  await made(operator('PATCH', `tags/${tag._id}`, { name: 'Cold', color: null }))
  t.same(await tags(), [{ id: tag._id, name: 'Cold', color: null }])
  t.match(
    (await made(own.api('PATCH', path, { priority: 'high' }))).ticket.tags,
    [{ name: 'Cold' }],
    'in the actor too',
  )
  t.equal((await operator('DELETE', `tags/${tag._id}`)).status, 204)
  t.same(await tags(), [])
  t.same(codeOf(await own.api('PATCH', path, { add_tag_ids: [tag._id] })), [422, 'TAG_NOT_FOUND'])
})

t.test('a customer stays as long as contacts are linked to it', async (t) => {
  const { company_id, post, contact, api } = await setUp()
  const customer = await made(post('customers', { company_id, full_name: 'Eva' }))
  const { _id } = await contact({ name: 'Eva' })
  t.same(customer.chat_users, [])
  await made(api('PATCH', `contacts/${_id}`, { customer_id: customer._id }))
  t.same((await operator('GET', `customers/${customer._id}`)).body.chat_users, [_id])
  const refused = await operator('DELETE', `customers/${customer._id}`)
  t.match(refused, { status: 409, body: { error: { code: 'IN_USE', details: { held_by: { contacts: 1 } } } } })
  t.match(refused.body.error.message, 'PATCH /v1/contacts/{id} with "customer_id": null')
  await made(api('PATCH', `contacts/${_id}`, { customer_id: null }))
  t.equal((await operator('DELETE', `customers/${customer._id}`)).status, 204)
})

t.test('customers are found by parts of their values, within their company', async (t) => {
  const { company_id, post } = await setUp()
  const people = [
    { full_name: 'Óscar Núñez', email: 'oscar@example.com', phone: '+5215500000001' },
    { full_name: 'Maria 100%', phone: '+5215500000002' },
    { full_name: 'Mario Díaz', email: 'md@example.com', phone: '+5215500000001' },
  ]
  for (const person of people) await made(post('customers', { company_id, ...person }))
  const found = async (query: string) => {
    const { status, body } = await operator('GET', `customers?company_id=${company_id}&${query}`)
    return status === 200 ? [body.total, ...body.data.map(({ full_name }: Json) => full_name)] : status
  }
  const cases: [string, unknown[]][] = [
    ['', [3, 'Mario Díaz', 'Maria 100%', 'Óscar Núñez']],
    ['search=mari', [2, 'Mario Díaz', 'Maria 100%']],
    ['search=EXAMPLE.COM', [2, 'Mario Díaz', 'Óscar Núñez']],
    [`search=${encodeURIComponent('100%')}`, [1, 'Maria 100%']],
    ['search=mari&limit=1&offset=1', [2, 'Maria 100%']],
    [`phone=${encodeURIComponent('+5215500000001')}`, [2, 'Mario Díaz', 'Óscar Núñez']],
    [`search=oscar&phone=${encodeURIComponent('+5215500000001')}`, [1, 'Óscar Núñez']],
    ['search=nobody', [0]],
  ]
  for (const [query, expected] of cases) t.same(await found(query), expected, query)
  t.same(violationsOf(await operator('GET', 'customers?search=mari')), ['company_id invalid_value'])
})
