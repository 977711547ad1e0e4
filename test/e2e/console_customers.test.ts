/** Customers that agents create and change in the console. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { openConsole, signedIn } from './console_socket.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { company_id, project_id } = tenant
const { call } = await signIn(world, await makeAgent(world, tenant))
const path = `projects/${project_id}/crm/customers`

t.test('an agent creates a customer, and changes only what is sent', async (t) => {
  const fields = { full_name: ' Ana Torres ', email: 'ana@example.com', tags: ['vip', 'vip'] }
  const made_one = await call('POST', path, { json: fields })
  t.match(made_one, {
    status: 201,
    body: { full_name: 'Ana Torres', email: 'ana@example.com', phone: null, tags: ['vip'], chat_users: [] },
  })
  const { _id } = made_one.body
  const changed = await made(call('PATCH', `${path}/${_id}`, { json: { phone: '+5215512345678' } }))
  t.match(changed, { full_name: 'Ana Torres', phone: '+5215512345678', tags: ['vip'] })
  t.same(await made(call('GET', `${path}/${_id}`)), changed)
  const { data } = await made(world.operator('GET', `audit?company_id=${company_id}&limit=10`))
  t.equal(
    data.filter((entry: { target?: { id?: string } }) => JSON.stringify(entry).includes(_id)).length,
    2,
    'audited',
  )
})

t.test('what is wrong is named, and nothing is written', async (t) => {
  await made(
    world.operator('POST', 'custom-fields', { company_id, owner: 'customer', key: 'age', name: 'Age', type: 'number' }),
  )
  const before = await made(call('GET', path))
  t.match(await call('POST', path, { json: { full_name: '', phone: '5512' } }), {
    status: 400,
    body: { error: { details: { violations: [{ path: 'full_name' }, { path: 'phone' }] } } },
  })
  t.match(await call('POST', path, { json: { full_name: 'Ana', custom_fields: { age: 'old' } } }), { status: 400 })
  t.same(await made(call('GET', path)), before)
})

t.test('customers of other companies do not exist', async (t) => {
  const other = await makeTenant(world)
  const theirs = await made(world.operator('POST', 'customers', { company_id: other.company_id, full_name: 'Theirs' }))
  t.match(await call('PATCH', `${path}/${theirs._id}`, { json: { full_name: 'Mine' } }), {
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
  t.equal((await made(world.operator('GET', `customers/${theirs._id}`))).full_name, 'Theirs')
})

t.test('consoles of the company learn at once which customer an agent or an operator has changed', async (t) => {
  const other = await makeTenant(world)
  const watch = async (where: typeof tenant) => {
    const { cookie } = await signedIn(world, where)
    const { socket, ask } = await openConsole(t, world.base_url, cookie)
    const told: Json[] = []
    socket.on('notice', (notice) => told.push(notice))
    await ask('watch', { project_id: where.project_id })
    return told
  }
  const [told, others] = [await watch(tenant), await watch(other)]
  const hears = (count: number) => eventually(`${count} notices`, () => told.length === count)
  const { _id } = await made(call('POST', path, { json: { full_name: 'Eva' } }))
  await hears(1)
  await made(call('PATCH', `${path}/${_id}`, { json: { full_name: 'Eva Luna' } }))
  await hears(2)
  await made(world.operator('PATCH', `customers/${_id}`, { tags: ['vip'] }))
  await hears(3)
  t.equal((await world.operator('DELETE', `customers/${_id}`)).status, 204)
  await hears(4)
  const { _id: second } = await made(world.operator('POST', 'customers', { company_id, full_name: 'Max' }))
  await hears(5)
  t.same(
    told,
    [_id, _id, _id, _id, second].map((one) => ({ project_id, type: 'customer.changed', data: { _id: one } })),
  )
  t.same(others, [])
})
