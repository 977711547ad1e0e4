/** What operators set up for the CRM: event types, custom fields, customers, tags, pipelines and their stages. */
import t from 'tap'
import { objectId } from '../../storage/mod.ts'
import type { Answer, Json } from './client.ts'
import { made, makeTenant, startWorld } from './fixture.ts'

const world = await startWorld(t)
const { operator } = world

const tenant = await makeTenant(world)
const neighbour = await makeTenant(world)
const { company_id } = tenant

const long = (length: number) => 'x'.repeat(length)
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const violationsOf = ({ status, body }: Answer) =>
  status === 400 ? body.error.details.violations.map(({ path, code }: Json) => `${path} ${code}`).sort() : status

type Resource = {
  /** The field that names the owner, and the code when there is none such. */
  parent: ['company_id' | 'project_id', string]
  body: Json
  /** As the record is shown, beyond the body. */
  shown?: Json
  change: Json
  taken?: { same: Json; code: string }
  /** Values that are refused, of a creation and of a change, with the path and the code of each violation. */
  wrong: [Json, ...string[]][]
  /** Wrong in a creation only. */
  wrongCreation?: [Json, ...string[]][]
  fixed: string[]
}

const field = (fields: Json) => ({ fields: [{ key: 'total', type: 'number', ...fields }] })
const stage = (rules: Json, fields: Json = {}) => ({ stages: [{ name: 'New', rules, ...fields }] })

const resources: Record<string, Resource> = {
  'event-types': {
    parent: ['company_id', 'COMPANY_NOT_FOUND'],
    body: { key: 'order_shipped', name: 'Order shipped', fields: [{ key: 'total', type: 'number', required: true }] },
    shown: {
      key: 'custom.order_shipped',
      is_system: false,
      fields: [{ key: 'total', type: 'number', required: true, target: null }],
    },
    change: { name: 'Shipped', fields: [{ key: 'at', type: 'date', required: false, target: 'ticket.shipped_at' }] },
    taken: { same: { key: 'custom.order_shipped' }, code: 'EVENT_TYPE_ALREADY_EXISTS' },
    wrong: [
      [{ name: ' ' }, 'name too_short'],
      [{ name: long(151) }, 'name too_long'],
      [{ name: 1 }, 'name invalid_type'],
      [{ is_system: true }, 'is_system unknown_property'],
      [{ fields: {} }, 'fields invalid_type'],
      [{ fields: Array.from({ length: 101 }, (_, n) => ({ key: `k${n}`, type: 'date' })) }, 'fields too_long'],
      [field({ key: '' }), 'fields.0.key invalid_format'],
      [field({ key: 'a.b' }), 'fields.0.key invalid_format'],
      [field({ key: long(101) }), 'fields.0.key invalid_format'],
      [field({ key: 'constructor' }), 'fields.0.key invalid_value'],
      [field({ type: 'text' }), 'fields.0.type invalid_value'],
      [field({ required: 'yes' }), 'fields.0.required invalid_type'],
      [field({ default: 1 }), 'fields.0.default unknown_property'],
      [field({ target: 'amount' }), 'fields.0.target invalid_value'],
      [field({ target: 'deal.amount' }), 'fields.0.target invalid_value'],
      [field({ target: 'ticket.is_closed' }), 'fields.0.target invalid_value'],
      [field({ target: 'contact.user_id' }), 'fields.0.target invalid_value'],
      [field({ target: 'ticket.priority' }), 'fields.0.type invalid_value'],
      [field({ target: 'contact.phone' }), 'fields.0.type invalid_value'],
      [field({ type: 'string', target: 'ticket.amount' }), 'fields.0.type invalid_value'],
      [
        {
          fields: [
            { key: 'a', type: 'number', target: 'ticket.amount' },
            { key: 'a', type: 'number', target: 'ticket.amount' },
          ],
        },
        'fields.1.key duplicate',
        'fields.1.target duplicate',
      ],
    ],
    wrongCreation: [
      [{ key: 'Order' }, 'key invalid_format'],
      [{ key: 'order-shipped' }, 'key invalid_format'],
      [{ key: 'a..b' }, 'key invalid_format'],
      [{ key: '' }, 'key invalid_format'],
      [{ key: long(94) }, 'key too_long'],
      [{ key: undefined }, 'key required'],
    ],
    fixed: ['key'],
  },
  'custom-fields': {
    parent: ['company_id', 'COMPANY_NOT_FOUND'],
    body: { owner: 'customer', key: 'size', name: 'Size', type: 'string', options: ['S', 'M'] },
    change: { name: 'Sizes', options: null },
    taken: { same: { type: 'number', options: null }, code: 'CUSTOM_FIELD_ALREADY_EXISTS' },
    wrong: [
      [{ name: '' }, 'name too_short'],
      [{ options: [] }, 'options too_short'],
      [{ options: ['S', 'S'] }, 'options.1 duplicate'],
      [{ options: [''] }, 'options.0 too_short'],
      [{ options: 'S' }, 'options invalid_type'],
    ],
    wrongCreation: [
      [{ owner: 'company' }, 'owner invalid_value'],
      [{ owner: 'ticket', key: 'priority' }, 'key invalid_value'],
      [{ owner: 'ticket', key: 'stage' }, 'key invalid_value'],
      [{ owner: 'contact', key: 'phone' }, 'key invalid_value'],
      [{ key: 'two words' }, 'key invalid_format'],
      [{ type: 'object' }, 'type invalid_value'],
      [{ type: 'number' }, 'options invalid_value'],
    ],
    fixed: ['key', 'type', 'owner'],
  },
  customers: {
    parent: ['company_id', 'COMPANY_NOT_FOUND'],
    body: {
      full_name: 'Ana Díaz',
      email: 'ana@example.com',
      phone: '+5215512345678',
      tags: ['vip'],
      custom_fields: { plan: 'gold' },
    },
    change: { full_name: 'Ana', email: null, phone: null, tags: [], custom_fields: { since: 2020 } },
    wrong: [
      [{ full_name: '' }, 'full_name too_short'],
      [{ full_name: null }, 'full_name invalid_type'],
      [{ email: 'ana' }, 'email invalid_format'],
      [{ phone: '5215512345678' }, 'phone invalid_format'],
      [{ phone: '+0123456789' }, 'phone invalid_format'],
      [{ tags: [''] }, 'tags.0 too_short'],
      [{ tags: 'vip' }, 'tags invalid_type'],
      [{ custom_fields: [] }, 'custom_fields invalid_type'],
      [{ custom_fields: { big: long(40_000) } }, 'custom_fields invalid_value'],
      [{ chat_users: [] }, 'chat_users unknown_property'],
    ],
    fixed: [],
  },
  tags: {
    parent: ['project_id', 'PROJECT_NOT_FOUND'],
    body: { name: 'Urgent', color: '#ff00aa' },
    change: { name: 'Hot', color: null },
    taken: { same: { name: ' uRGENT' }, code: 'TAG_ALREADY_EXISTS' },
    wrong: [
      [{ name: '' }, 'name too_short'],
      [{ color: 'red' }, 'color invalid_format'],
      [{ color: '#fff' }, 'color invalid_format'],
      [{ color: 1 }, 'color invalid_type'],
    ],
    fixed: ['company_id'],
  },
  pipelines: {
    parent: ['project_id', 'PROJECT_NOT_FOUND'],
    body: { name: 'Sales', stages: [{ name: 'Lead' }, { name: 'Won', rules: { close_with: 'won' } }] },
    shown: {
      is_default: false,
      stages: [
        { name: 'Lead', position: 0, rules: {} },
        { name: 'Won', position: 1, rules: { close_with: 'won' } },
      ],
    },
    change: { name: 'Deals' },
    wrong: [
      [{ name: '' }, 'name too_short'],
      [{ is_default: 1 }, 'is_default invalid_type'],
      [{ stages: [] }, 'stages too_short'],
      [{ stages: Array.from({ length: 101 }, () => ({ name: 'New' })) }, 'stages too_long'],
      [stage({}, { name: '' }), 'stages.0.name too_short'],
      [stage({}, { position: -1 }), 'stages.0.position too_small'],
      [stage({}, { position: 1.5 }), 'stages.0.position invalid_value'],
      [stage({}, { assigned_count: 1 }), 'stages.0.assigned_count unknown_property'],
      [stage({ require: [] }), 'stages.0.rules.require unknown_property'],
      [stage({ require_fields: 'category' }), 'stages.0.rules.require_fields invalid_type'],
      [stage({ require_fields: ['stage'] }), 'stages.0.rules.require_fields.0 invalid_value'],
      [stage({ require_fields: ['two words'] }), 'stages.0.rules.require_fields.0 invalid_value'],
      [stage({ require_fields: ['category', 'category'] }), 'stages.0.rules.require_fields.1 duplicate'],
      [stage({ set_fields: { is_closed: true } }), 'stages.0.rules.set_fields.is_closed invalid_value'],
      [stage({ set_fields: { assigned_to: 'x' } }), 'stages.0.rules.set_fields.assigned_to invalid_value'],
      [stage({ set_fields: { priority: 'max' } }), 'stages.0.rules.set_fields.priority invalid_value'],
      [stage({ set_fields: { amount: '5' } }), 'stages.0.rules.set_fields.amount invalid_value'],
      [stage({ set_fields: { amount_currency: 'pesos' } }), 'stages.0.rules.set_fields.amount_currency invalid_value'],
      [stage({ set_fields: { problema: 5 } }), 'stages.0.rules.set_fields.problema invalid_value'],
      [stage({ set_fields: { size: { a: 1 } } }), 'stages.0.rules.set_fields.size invalid_value'],
      [stage({ assign_to: ['Ana'] }), 'stages.0.rules.assign_to.0 invalid_format'],
      [stage({ add_tag_ids: [1] }), 'stages.0.rules.add_tag_ids.0 invalid_type'],
      [stage({ close_with: 'draw' }), 'stages.0.rules.close_with invalid_value'],
    ],
    wrongCreation: [
      [{ stages: undefined }, 'stages required'],
      [{ stages: [{ _id: objectId(), name: 'New' }] }, 'stages.0._id unknown_property'],
    ],
    fixed: ['project_id'],
  },
}

for (const [path, { parent, body, shown, change, taken, wrong, wrongCreation = [], fixed }] of Object.entries(
  resources,
)) {
  const [owner, ownerMissing] = parent
  const create = (fields: Json = {}) => operator('POST', path, { [owner]: tenant[owner], ...body, ...fields })

  t.test(`${path} are created, listed by their owner, changed and deleted`, async (t) => {
    const created = await create()
    t.equal(created.status, 201, created.text)
    const record = created.body
    t.match(record, { _id: /^[0-9a-f]{24}$/, ...body, ...shown, [owner]: tenant[owner], company_id })
    t.match(record, { created_at: /Z$/, updated_at: /Z$/ })
    t.same((await operator('GET', `${path}/${record._id}`)).body, record)
    const own = (await operator('GET', `${path}?${owner}=${tenant[owner]}&limit=200`)).body
    t.match(own, { limit: 200, offset: 0, total: own.data.length })
    t.same(own.data[0], record, 'newest first')
    const others = (await operator('GET', `${path}?${owner}=${neighbour[owner]}&limit=200`)).body
    t.notOk(others.data.some(({ _id }: Json) => _id === record._id))
    t.equal((await operator('GET', `${path}?nobody=1`)).status, 400)

    if (taken) t.same(codeOf(await create(taken.same)), [409, taken.code])
    t.same(codeOf(await create({ [owner]: objectId() })), [422, ownerMissing])
    t.same(violationsOf(await create({ [owner]: 'x' })), [`${owner} invalid_format`])
    if (taken)
      t.equal((await create({ ...taken.same, [owner]: neighbour[owner] })).status, 201, 'others have their own')

    const changed = await operator('PATCH', `${path}/${record._id}`, change)
    t.match(changed, { status: 200, body: { ...change, _id: record._id } })
    t.same((await operator('GET', `${path}/${record._id}`)).body, changed.body)
    for (const name of [...fixed, owner]) {
      const refused = await operator('PATCH', `${path}/${record._id}`, { [name]: record[name] })
      t.same(violationsOf(refused), [`${name} unknown_property`], `${name} stays`)
    }
    t.equal((await operator('DELETE', `${path}/${record._id}`)).status, 204)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      for (const id of [record._id, 'x', '%00']) {
        t.same(codeOf(await operator(method, `${path}/${id}`, method === 'PATCH' ? change : undefined)), [
          404,
          'NOT_FOUND',
        ])
      }
    }
  })

  t.test(`wrong values of ${path} are named and nothing is written`, async (t) => {
    const record = await made(create())
    const before = (await operator('GET', path)).body
    for (const [fields, ...expected] of [...wrong, ...wrongCreation]) {
      t.same(violationsOf(await create(fields)), expected, `POST ${JSON.stringify(fields).slice(0, 100)}`)
    }
    for (const [fields, ...expected] of wrong) {
      const answer = await operator('PATCH', `${path}/${record._id}`, fields)
      t.same(violationsOf(answer), expected, `PATCH ${JSON.stringify(fields).slice(0, 100)}`)
    }
    t.same((await operator('GET', path)).body, before)
    await operator('DELETE', `${path}/${record._id}`)
  })
}

/** A tenant of its own, whose contacts get tickets in the first stage of the default pipeline. */
async function setUp() {
  const own = await makeTenant(world)
  const { project_id } = own
  const post = (path: string, body: Json) => operator('POST', path, body)
  let people = 0
  const contact = async (fields: Json = {}) => {
    const user_id = `52155300${String(++people).padStart(5, '0')}`
    return made(own.api('POST', 'contacts', { channel_type: 'whatsapp', user_id, ...fields }))
  }
  /** An event opens it. */
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
  t.same(codeOf(await own.api('POST', 'crm/events', event)), [422, 'MISSING_REQUIRED_FIELDS'], 'from now on')
  const { event: recorded } = await made(own.api('POST', 'crm/events', { ...event, data: { amount: 12.5 } }))
  t.equal((await made(own.api('GET', `crm/tickets/${recorded.ticket_id}`))).amount, 12.5)
  t.same(codeOf(await operator('DELETE', `event-types/${_id}`)), [409, 'SYSTEM_EVENT_TYPE'])
})

t.test('a deleted event type is no longer taken; its events stay', async (t) => {
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
  const withRules = (rules: Json) => post('pipelines', { project_id, name: 'Sizes', ...stage(rules) })
  const define = (owner: string, key: string, type: string, options: string[] | null = null) =>
    post('custom-fields', { company_id, owner, key, name: key, type, options })

  const early = await made(type({ key: 'size', type: 'number', target: 'ticket.size' }))
  t.same(violationsOf(await define('ticket', 'size', 'string')), ['type invalid_value'], 'events write numbers')
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

t.test('stages are kept by their _id, added without and deleted when left out', async (t) => {
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
  t.same((await operator('GET', path)).body.stages, pipeline!.stages, 'nothing is changed by what is refused')

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
  t.equal((await own.ticket()).stage.stage_id, done._id, 'the first stage is another one')

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
  const withRules = (rules: Json) => post('pipelines', { project_id, name: 'Rules', ...stage(rules) })
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
  t.equal((await operator('PATCH', `pipelines/${_id}`, { stages })).status, 200, 'who was there may stay')
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

t.test('customers are found by what they contain, within their company', async (t) => {
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
