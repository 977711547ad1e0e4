/**
 * Each kind of record that operators set up for the CRM: it is made, listed, changed and deleted, and refuses wrong
 * values.
 */
import t from 'tap'
import { objectId } from '../../storage/mod.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { codeOf, ruled, violationsOf } from './operator_answers.ts'

const world = await joinWorld(t)
const { operator } = world

const tenant = await makeTenant(world)
const neighbour = await makeTenant(world)
const { company_id } = tenant

const long = (length: number) => 'x'.repeat(length)

type Resource = {
  /** The field that names the owner, and the error code for an unknown owner. */
  parent: ['company_id' | 'project_id', string]
  body: Json
  /** Fields of the shown record beyond the body. */
  shown?: Json
  change: Json
  taken?: { same: Json; code: string }
  /** Values that a creation and a change refuse, with the path and the code of each violation. */
  wrong: [Json, ...string[]][]
  /** Values that only a creation refuses. */
  wrongCreation?: [Json, ...string[]][]
  fixed: string[]
}

const field = (fields: Json) => ({ fields: [{ key: 'total', type: 'number', ...fields }] })

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
      [ruled({}, { name: '' }), 'stages.0.name too_short'],
      [ruled({}, { position: -1 }), 'stages.0.position too_small'],
      [ruled({}, { position: 1.5 }), 'stages.0.position invalid_value'],
      [ruled({}, { assigned_count: 1 }), 'stages.0.assigned_count unknown_property'],
      [ruled({ require: [] }), 'stages.0.rules.require unknown_property'],
      [ruled({ require_fields: 'category' }), 'stages.0.rules.require_fields invalid_type'],
      [ruled({ require_fields: ['stage'] }), 'stages.0.rules.require_fields.0 invalid_value'],
      [ruled({ require_fields: ['two words'] }), 'stages.0.rules.require_fields.0 invalid_value'],
      [ruled({ require_fields: ['category', 'category'] }), 'stages.0.rules.require_fields.1 duplicate'],
      [ruled({ set_fields: { is_closed: true } }), 'stages.0.rules.set_fields.is_closed invalid_value'],
      [ruled({ set_fields: { assigned_to: 'x' } }), 'stages.0.rules.set_fields.assigned_to invalid_value'],
      [ruled({ set_fields: { priority: 'max' } }), 'stages.0.rules.set_fields.priority invalid_value'],
      [ruled({ set_fields: { amount: '5' } }), 'stages.0.rules.set_fields.amount invalid_value'],
      [ruled({ set_fields: { amount_currency: 'pesos' } }), 'stages.0.rules.set_fields.amount_currency invalid_value'],
      [ruled({ set_fields: { problema: 5 } }), 'stages.0.rules.set_fields.problema invalid_value'],
      [ruled({ set_fields: { size: { a: 1 } } }), 'stages.0.rules.set_fields.size invalid_value'],
      [ruled({ assign_to: ['Ana'] }), 'stages.0.rules.assign_to.0 invalid_format'],
      [ruled({ add_tag_ids: [1] }), 'stages.0.rules.add_tag_ids.0 invalid_type'],
      [ruled({ close_with: 'draw' }), 'stages.0.rules.close_with invalid_value'],
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
      t.equal(
        (await create({ ...taken.same, [owner]: neighbour[owner] })).status,
        201,
        'another owner may have the same',
      )

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
    const written = () =>
      Promise.all(
        [tenant, neighbour].map(async (one) => (await operator('GET', `${path}?${owner}=${one[owner]}`)).body),
      )
    const before = await written()
    for (const [fields, ...expected] of [...wrong, ...wrongCreation]) {
      t.same(violationsOf(await create(fields)), expected, `POST ${JSON.stringify(fields).slice(0, 100)}`)
    }
    for (const [fields, ...expected] of wrong) {
      const answer = await operator('PATCH', `${path}/${record._id}`, fields)
      t.same(violationsOf(answer), expected, `PATCH ${JSON.stringify(fields).slice(0, 100)}`)
    }
    t.same(await written(), before)
    await operator('DELETE', `${path}/${record._id}`)
  })
}
