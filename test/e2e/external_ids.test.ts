/** `external_id`: the id that a record has in the client's own system. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world

/** Values that are refused, and those that are kept in another form. */
const REFUSED: unknown[] = ['', '   ', 'x'.repeat(256), 'two\nlines', 7, true, ['A-1'], {}]
const KEPT: [sent: string | null, kept: string | null][] = [
  [' A-1001 ', 'A-1001'],
  ['x'.repeat(255), 'x'.repeat(255)],
  ['a1', 'a1'],
  ['A1', 'A1'],
  ["Robert'); drop table customer; --", "Robert'); drop table customer; --"],
  ['Cafe\u0301', 'Café'],
  [null, null],
]

const taken = (id: string) => ({ status: 409, body: { error: { code: 'EXTERNAL_ID_TAKEN', details: { id } } } })
const invalid = { status: 400, body: { error: { details: { violations: [{ path: 'external_id' }] } } } }

t.test('a customer has an external id of 1 to 255 characters, without blanks around it', async (t) => {
  const { company_id } = await makeTenant(world)
  const one = await made(operator('POST', 'customers', { company_id, full_name: 'Ana' }))
  t.equal(one.external_id, null)
  for (const external_id of REFUSED) {
    t.match(await operator('PATCH', `customers/${one._id}`, { external_id }), invalid, JSON.stringify(external_id))
    t.match(await operator('POST', 'customers', { company_id, full_name: 'Eva', external_id }), invalid)
  }
  t.equal((await made(operator('GET', `customers?company_id=${company_id}`))).total, 1, 'nothing was written')
  for (const [external_id, kept] of KEPT) {
    t.equal((await made(operator('PATCH', `customers/${one._id}`, { external_id }))).external_id, kept)
    t.equal((await made(operator('GET', `customers/${one._id}`))).external_id, kept)
  }
  const created = await made(operator('POST', 'customers', { company_id, full_name: 'Eva', external_id: ' 7 ' }))
  t.equal(created.external_id, '7')
})

t.test('no two customers of a company have the same external id', async (t) => {
  const [{ company_id }, other] = [await makeTenant(world), await makeTenant(world)]
  const create = (external_id: string, company = company_id) =>
    operator('POST', 'customers', { company_id: company, full_name: 'Ana', external_id })
  const first = await made(create('C-1'))
  t.match(await create(' C-1 '), taken(first._id))
  await made(create('C-1', other.company_id))
  await made(create('c-1'))
  const second = await made(create('C-2'))
  t.match(await operator('PATCH', `customers/${second._id}`, { external_id: 'C-1', tags: ['x'] }), taken(first._id))
  t.match(await made(operator('GET', `customers/${second._id}`)), { external_id: 'C-2', tags: [] })
  await made(operator('PATCH', `customers/${first._id}`, { external_id: 'C-1' }))
  await made(operator('PATCH', `customers/${first._id}`, { external_id: null }))
  await made(operator('PATCH', `customers/${second._id}`, { external_id: 'C-1' }))
  const third = await made(create('C-3'))
  await made(operator('DELETE', `customers/${third._id}`))
  await made(create('C-3'))
})

t.test('of many customers that take an external id at once, one gets it', async (t) => {
  const { company_id } = await makeTenant(world)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      operator('POST', 'customers', { company_id, full_name: `Ana ${at}`, external_id: 'C-1' }),
    ),
  )
  const [winner] = answers.filter(({ status }) => status === 201)
  for (const answer of answers.filter((one) => one !== winner)) t.match(answer, taken(winner!.body._id))
  t.equal((await made(operator('GET', `customers?company_id=${company_id}`))).total, 1)
})

t.test('customers are found by their external id, in every list', async (t) => {
  const tenant = await makeTenant(world)
  const { company_id, project_id } = tenant
  const ids: string[] = []
  for (const external_id of ['C-1', 'C-10', null]) {
    ids.push((await made(operator('POST', 'customers', { company_id, full_name: 'Ana', external_id })))._id)
  }
  const found = async (list: Promise<Json>) => {
    const { data, total } = await list
    return { ids: data.map(({ _id }: Json) => _id), total }
  }
  const { call } = await signIn(world, await makeAgent(world, tenant))
  for (const query of ['external_id=C-1', 'external_id=%20C-1%20', 'external_id=C-1&search=an']) {
    for (const list of [
      tenant.api('GET', `crm/customers?${query}`),
      operator('GET', `customers?company_id=${company_id}&${query}`),
      call('GET', `projects/${project_id}/crm/customers?${query}`),
    ]) {
      t.same(await found(made(list)), { ids: [ids[0]], total: 1 }, query)
    }
  }
  t.same(await found(made(tenant.api('GET', 'crm/customers?external_id=c-1'))), { ids: [], total: 0 })
  t.equal((await tenant.api('GET', 'crm/customers?external_id=')).status, 400)
  t.equal((await operator('GET', 'customers?external_id=C-1')).status, 400, 'needs the company')
})

t.test('agents give customers external ids, and are told whose it is', async (t) => {
  const tenant = await makeTenant(world)
  const { call } = await signIn(world, await makeAgent(world, tenant))
  const path = `projects/${tenant.project_id}/crm/customers`
  const first = await made(call('POST', path, { json: { full_name: 'Ana', external_id: 'C-1' } }))
  t.equal(first.external_id, 'C-1')
  t.match(await call('POST', path, { json: { full_name: 'Eva', external_id: 'C-1' } }), taken(first._id))
  const second = await made(call('POST', path, { json: { full_name: 'Eva' } }))
  t.match(await call('PATCH', `${path}/${second._id}`, { json: { external_id: 'C-1' } }), taken(first._id))
  const { data } = await made(operator('GET', `audit?company_id=${tenant.company_id}&target_id=${first._id}`))
  t.match(data, [{ target: { id: first._id }, after: { external_id: 'C-1' } }], 'audited')
})

let people = 0

/** Returns the open ticket of a new contact. */
async function opened({ api }: Tenant): Promise<Json> {
  const user_id = `5215557${String(++people).padStart(6, '0')}`
  const { _id } = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: _id }
  return made(api('GET', `crm/tickets/${(await made(api('POST', 'crm/events', event))).event.ticket_id}`))
}

const patcher =
  ({ api }: Tenant) =>
  ({ _id }: Json, body: object) =>
    api('PATCH', `crm/tickets/${_id}`, body)

t.test('a ticket has an external id of 1 to 255 characters, without blanks around it', async (t) => {
  const tenant = await makeTenant(world)
  const ticket = await opened(tenant)
  const patch = patcher(tenant)
  t.equal(ticket.external_id, null)
  for (const external_id of REFUSED) t.match(await patch(ticket, { external_id }), invalid, JSON.stringify(external_id))
  t.same(await made(tenant.api('GET', `crm/tickets/${ticket._id}`)), ticket, 'nothing was written')
  for (const [external_id, kept] of KEPT) {
    t.equal((await made(patch(ticket, { external_id }))).ticket.external_id, kept)
    t.equal((await made(tenant.api('GET', `crm/tickets/${ticket._id}`))).external_id, kept)
  }
})

t.test('no two tickets of a project have the same external id', async (t) => {
  const [tenant, other] = [await makeTenant(world), await makeTenant(world)]
  const patch = patcher(tenant)
  const [first, second] = [await opened(tenant), await opened(tenant)]
  await made(patch(first, { external_id: 'T-1' }))
  await made(patcher(other)(await opened(other), { external_id: 'T-1' }))
  t.match(await patch(second, { external_id: ' T-1 ', category: 'x' }), taken(first._id))
  t.match(await made(tenant.api('GET', `crm/tickets/${second._id}`)), { external_id: null, category: null })
  t.match(await made(patch(first, { external_id: 'T-1' })), { action: 'unchanged' })
  await made(patch(first, { is_closed: true }))
  t.match(await patch(second, { external_id: 'T-1' }), taken(first._id), 'closed tickets keep theirs')
  await made(patch(first, { external_id: null }))
  await made(patch(second, { external_id: 'T-1' }))
  t.match(await patch(first, { external_id: 'T-1' }), taken(second._id))
})

t.test(
  'of many tickets that take an external id at once, one gets it, and others may take what one gives away',
  async (t) => {
    const tenant = await makeTenant(world)
    const patch = patcher(tenant)
    const tickets = await Promise.all(Array.from({ length: 8 }, () => opened(tenant)))
    const answers = await Promise.all(tickets.map((ticket) => patch(ticket, { external_id: 'T-1' })))
    const winner = tickets[answers.findIndex(({ status }) => status === 200)]!
    t.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 200)) t.match(answer, taken(winner._id))
    for (let round = 0; round < 10; round++) {
      const [from, to] = [tickets[round % 8]!, tickets[(round + 1) % 8]!]
      await made(patch(round === 0 ? winner : from, { external_id: null }))
      await made(patch(from, { external_id: 'T-1' }))
      const [cleared, moved] = await Promise.all([
        patch(from, { external_id: null }),
        patch(to, { external_id: 'T-1' }),
      ])
      t.equal(cleared.status, 200)
      if (moved.status !== 200) t.match(moved, taken(from._id))
      const { data } = await made(tenant.api('GET', 'crm/tickets?external_id=T-1'))
      t.equal(data.length, moved.status === 200 ? 1 : 0)
      await made(patch(to, { external_id: null }))
    }
  },
)

t.test('tickets are found by their external id', async (t) => {
  const tenant = await makeTenant(world)
  const [first, second] = [await opened(tenant), await opened(tenant)]
  await made(patcher(tenant)(first, { external_id: 'T-1' }))
  await made(patcher(tenant)(second, { external_id: 'T-10' }))
  const found = async (query: string) => {
    const { data, total } = await made(tenant.api('GET', `crm/tickets?${query}`))
    return { ids: data.map(({ _id }: Json) => _id), total }
  }
  for (const query of ['external_id=T-1', 'external_id=%20T-1', 'external_id=T-1&is_closed=false']) {
    t.same(await found(query), { ids: [first._id], total: 1 }, query)
  }
  t.same(await found('external_id=t-1'), { ids: [], total: 0 })
  t.equal((await tenant.api('GET', 'crm/tickets?external_id=')).status, 400)
})

t.test('subscribers and the audit learn the external id of a ticket, and the former one', async (t) => {
  const tenant = await makeTenant(world)
  const path = `/external-ids-${tenant.project_id}`
  await made(tenant.api('POST', 'webhooks', { name: 'Ids', url: world.sink.url(path), events: ['crm.ticket.updated'] }))
  const ticket = await opened(tenant)
  const patch = patcher(tenant)
  for (const external_id of ['T-1', 'T-2', null]) await made(patch(ticket, { external_id }))
  const expected = [
    { ticket: { external_id: 'T-1' }, changed_fields: ['external_id'], previous: { external_id: null } },
    { ticket: { external_id: 'T-2' }, changed_fields: ['external_id'], previous: { external_id: 'T-1' } },
    { ticket: { external_id: null }, changed_fields: ['external_id'], previous: { external_id: 'T-2' } },
  ]
  await eventually('three events', async () => world.sink.events(path).length === 3)
  const told = world.sink.events(path).map(({ data }) => data)
  const byVersion = told.sort((a, b) => a.ticket.version - b.ticket.version)
  t.match(byVersion, expected)
  const { call } = await signIn(world, await makeAgent(world, tenant))
  await made(call('PATCH', `projects/${tenant.project_id}/crm/tickets/${ticket._id}`, { json: { external_id: 'T-3' } }))
  const { data } = await made(operator('GET', `audit?company_id=${tenant.company_id}&target_id=${ticket._id}`))
  t.match(data, [{ before: { external_id: null }, after: { external_id: 'T-3' } }])
})
