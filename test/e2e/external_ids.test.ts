/** `external_id`: the id that a record has in the client's own system. */
import t from 'tap'
import type { Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

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
