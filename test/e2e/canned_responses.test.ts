/** Canned responses and saved views: those of an agent, and those that all agents of a project share. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { type Desk, makeDesk, ticketOf } from './desk.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const canned = (desk: Desk, shortcut: string, content: string, more: object = {}) =>
  made(desk.ask('POST', 'canned_responses', { shortcut, content, ...more }))
const shortcuts = async (desk: Desk, query = ''): Promise<string[]> =>
  (await made(desk.ask('GET', `canned_responses${query}`))).data.map((row: Json) => row.shortcut)
const names = async (desk: Desk): Promise<string[]> =>
  (await made(desk.ask('GET', 'inbox/views'))).data.map((row: Json) => row.name)

t.test('canned responses are an agent’s own or shared, and found by any part', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant, 'Eva Luna')]
  const late = await canned(ana, 'Late', 'Dear {{contact.name}}', { title: 'Order is late', is_shared: true })
  t.match(late, {
    shortcut: 'late',
    title: 'Order is late',
    content: 'Dear {{contact.name}}',
    is_shared: true,
    created_by: { id: ana.user_id, full_name: 'Ana Agent' },
  })
  await canned(ana, 'bye', 'See you_later')
  await canned(eva, 'grüße', '100% late')
  t.same(await shortcuts(ana), ['bye', 'late'])
  t.same(await shortcuts(eva), ['grüße', 'late'])
  t.same(await shortcuts(eva, '?is_shared=true'), ['late'])
  t.same(await shortcuts(eva, '?is_shared=false'), ['grüße'])
  t.same(await shortcuts(ana, '?search=LATE'), ['late', 'bye'], 'shortcuts that begin with it come first')
  t.same(await shortcuts(ana, '?search=order'), ['late'])
  t.same(await shortcuts(ana, '?search=u_l'), ['bye'])
  t.same(await shortcuts(eva, '?search=0%25'), ['grüße'])
  t.same(await made(eva.ask('GET', `canned_responses/${late._id}`)), late)
  t.equal((await ana.ask('GET', `canned_responses/${(await canned(eva, 'x', 'y'))._id}`)).status, 404)

  const page = await made(ana.ask('GET', 'canned_responses?search=a&limit=1'))
  const next = await made(
    ana.ask('GET', `canned_responses?search=a&limit=1&cursor=${encodeURIComponent(page.next_cursor)}`),
  )
  t.same(
    [...page.data, ...next.data].map(({ shortcut }) => shortcut),
    ['late', 'bye'],
  )
  t.equal(next.next_cursor, null)
})

t.test('a shortcut is unique among the shared ones, and among those of an agent', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const ask = (desk: Desk, is_shared: boolean) =>
    desk.ask('POST', 'canned_responses', { shortcut: 'hi', content: 'Hello', is_shared })
  const all = await Promise.all([ana, eva, ana, eva].flatMap((desk) => [ask(desk, true), ask(desk, false)]))
  const statuses = all.map(({ status }) => status).sort()
  t.same(statuses, [201, 201, 201, 409, 409, 409, 409, 409], 'one is shared, one is of each agent')
  const refused = all.find(({ status }) => status === 409)!
  t.match(refused.body.error, { code: 'SHORTCUT_ALREADY_EXISTS', details: { canned_response_id: /^[0-9a-f]{24}$/ } })
  const own = all.find(({ status, body }) => status === 201 && !body.is_shared)!.body
  const owner = own.created_by.id === ana.user_id ? ana : eva
  const path = `canned_responses/${own._id}`
  t.equal((await owner.ask('PATCH', path, { is_shared: true })).status, 409, 'nor by sharing')
  t.match(await made(owner.ask('PATCH', path, { shortcut: 'hi', content: 'Hey' })), { content: 'Hey' })
  t.match(await made(owner.ask('PATCH', path, { shortcut: 'hey', is_shared: true })), { is_shared: true })
  const sister = await makeDesk(world, await makeSister(world, tenant))
  t.equal((await ask(sister, true)).status, 201, 'other projects have their own')
})

t.test('agents hear of changes to what they see, and of nothing else', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const [anas, evas] = [await ana.watch(t, 'canned_response.changed'), await eva.watch(t, 'canned_response.changed')]
  const one = await canned(ana, 'one', 'First')
  const path = `canned_responses/${one._id}`
  const shared = await made(ana.ask('PATCH', path, { is_shared: true, title: 'First' }))
  t.same(shared.title, 'First')
  const own = await made(eva.ask('PATCH', path, { is_shared: false }))
  t.match(own, { is_shared: false, created_by: { id: ana.user_id } })
  t.equal((await ana.ask('PATCH', path, { content: 'x' })).status, 404, 'it is of the other agent now')
  t.equal((await eva.ask('DELETE', path)).status, 204)
  const data = (record: Json) => ({ _id: one._id, canned_response: record })
  t.same(
    (await anas.until(3)).map((event) => event.data),
    [data(one), data(shared), data(null)],
    'the former owner hears that it is gone',
  )
  t.same(
    (await evas.until(4)).map((event) => event.data),
    [data(shared), data(null), data(own), data(null)],
  )
})

t.test('operators manage the shared ones, and see no other', async (t) => {
  const [tenant, nobody] = [await makeTenant(world), '65f000000000000000000000']
  const { project_id } = tenant
  const desk = await makeDesk(world, tenant)
  const own = await canned(desk, 'own', 'Mine')
  const heard = await desk.watch(t, 'canned_response.changed')
  const create = (fields: object) => world.operator('POST', 'canned-responses', { content: 'Hello', ...fields })
  const one = await made(create({ project_id, shortcut: 'Hi', title: 'Greeting' }))
  t.match(one, { project_id, shortcut: 'hi', title: 'Greeting', content: 'Hello', created_by: null })
  t.match(await create({ project_id, shortcut: 'hi' }), {
    status: 409,
    body: { error: { code: 'SHORTCUT_ALREADY_EXISTS' } },
  })
  t.match(await create({ project_id: nobody, shortcut: 'x' }), {
    status: 422,
    body: { error: { code: 'PROJECT_NOT_FOUND' } },
  })
  t.same((await made(world.operator('GET', `canned-responses?project_id=${project_id}`))).data, [one])
  const path = `canned-responses/${one._id}`
  t.same(await made(world.operator('GET', path)), one)
  await canned(desk, 'bye', 'Bye', { is_shared: true })
  t.equal((await world.operator('PATCH', path, { shortcut: 'bye' })).status, 409)
  t.match(await made(world.operator('PATCH', path, { content: 'Hello again' })), {
    content: 'Hello again',
    shortcut: 'hi',
  })
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const answer = await world.operator(
      method,
      `canned-responses/${own._id}`,
      method === 'PATCH' ? { content: 'x' } : undefined,
    )
    t.equal(answer.status, 404, `${method} of an agent’s own`)
  }
  t.equal((await world.operator('DELETE', path)).status, 204)
  t.equal((await world.operator('GET', path)).status, 404)
  const changes = (await heard.until(4)).map(({ data }) => data.canned_response?.content ?? null)
  t.same(changes, ['Hello', 'Bye', 'Hello again', null])
  await database.execute(`
    insert into canned_response (_id, company_id, project_id, shortcut, content, created_at, updated_at)
    select left(md5('${project_id}' || n), 24), '${tenant.company_id}', '${project_id}', 's' || n, 'x', now(), now()
    from generate_series(1, 999) n`)
  t.match(await create({ project_id, shortcut: 'x' }), { status: 422, body: { error: { details: { limit: 1000 } } } })
})

t.test('saved views are an agent’s own or shared, in an order, with counts', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const [anas, evas] = [await ana.watch(t, 'view.changed'), await eva.watch(t, 'view.changed')]
  const view = (desk: Desk, name: string, filter: object, more: object = {}) =>
    made(desk.ask('POST', 'inbox/views', { name, filter, ...more }))
  const urgent = await view(ana, 'Urgent', { priority: 'high', is_closed: false }, { is_shared: true })
  t.match(urgent, { name: 'Urgent', filter: { priority: 'high', is_closed: false }, is_shared: true, position: 1 })
  const mine = await view(ana, 'Mine', { view: 'mine', sort: 'last_activity' })
  await view(eva, 'Waiting', { sort: 'waiting' })
  t.same(
    [await names(ana), await names(eva)],
    [
      ['Urgent', 'Mine'],
      ['Urgent', 'Waiting'],
    ],
  )
  const path = `inbox/views/${mine._id}`
  await made(ana.ask('PATCH', path, { position: 0, name: 'To me' }))
  t.same(await names(ana), ['To me', 'Urgent'])
  t.equal((await eva.ask('PATCH', path, { name: 'x' })).status, 404)

  const tickets = [await ticketOf(tenant, '+15550196001'), await ticketOf(tenant, '+15550196002')]
  await made(ana.ask('PATCH', `crm/tickets/${tickets[0]._id}`, { priority: 'high', assigned_to: ana.user_id }))
  await made(ana.ask('PATCH', `crm/tickets/${tickets[1]._id}`, { priority: 'high' }))
  const counted = { tickets: 2, unread: 2 }
  t.same((await made(ana.ask('GET', 'inbox/views/counts'))).data, [
    { _id: mine._id, tickets: 1, unread: 1 },
    { _id: urgent._id, ...counted },
  ])
  t.match((await made(eva.ask('GET', 'inbox/views/counts'))).data, [counted, { tickets: null, unread: null }])
  const query = new URLSearchParams(urgent.filter)
  t.equal((await made(ana.ask('GET', `inbox?${query}`))).data.length, 2, 'a filter is the query of the list')

  const changed = await made(eva.ask('PATCH', `inbox/views/${urgent._id}`, { filter: { tag_id: urgent._id } }))
  t.same(changed.filter, { tag_id: urgent._id }, 'the filter is replaced as a whole')
  t.equal((await eva.ask('DELETE', `inbox/views/${urgent._id}`)).status, 204)
  t.match(
    (await evas.until(4)).map(({ data }) => data.view?.name ?? null),
    ['Urgent', 'Waiting', 'Urgent', null],
  )
  t.match((await anas.until(5)).at(-1), { data: { _id: urgent._id, view: null } })
})

t.test('a view that searches for an erased person keeps its other filters', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(world, tenant)
  const ticket = await ticketOf(tenant, '+15550196009')
  const filters = [{ search: '+15550196009', is_unread: true }, { search: '+15550196008' }]
  for (const filter of filters) await made(desk.ask('POST', 'inbox/views', { name: 'Zora', filter }))
  const erasure = { kind: 'contact', id: ticket.chat_user, confirm: true }
  const { _id } = await made(world.operator('POST', 'erasures', erasure))
  await eventually('the erasure is done', async () => {
    return (await world.operator('GET', `erasures/${_id}`)).body.status === 'done'
  })
  const left = (await made(desk.ask('GET', 'inbox/views'))).data.map(({ filter }: Json) => filter)
  t.same(left, [{ is_unread: true }, filters[1]])
})

t.test('what does not fit is refused, and nothing is written', async (t) => {
  const [tenant, stranger] = [await makeTenant(world), await makeTenant(world)]
  const [desk, other] = [await makeDesk(world, tenant), await makeDesk(world, stranger)]
  const refused: [string, object, string][] = [
    ['canned_responses', { content: 'x' }, 'shortcut'],
    ['canned_responses', { shortcut: 'a b', content: 'x' }, 'shortcut'],
    ['canned_responses', { shortcut: 'x'.repeat(51), content: 'x' }, 'shortcut'],
    ['canned_responses', { shortcut: 'x', content: ' ' }, 'content'],
    ['canned_responses', { shortcut: 'x', content: 'x'.repeat(4097) }, 'content'],
    ['canned_responses', { shortcut: 'x', content: 'x', title: '\n' }, 'title'],
    ['inbox/views', { name: ' ', filter: {} }, 'name'],
    ['inbox/views', { name: 'x' }, 'filter'],
    ['inbox/views', { name: 'x', filter: { limit: 5 } }, 'filter.limit'],
    ['inbox/views', { name: 'x', filter: { is_closed: 'true' } }, 'filter.is_closed'],
    ['inbox/views', { name: 'x', filter: {}, position: -1 }, 'position'],
  ]
  for (const [path, json, field] of refused) {
    const { status, body } = await desk.ask('POST', path, json)
    t.match({ status, path: body.error.details.violations[0].path }, { status: 400, path: field })
  }
  const shared = await canned(other, 'x', 'y', { is_shared: true })
  for (const [method, json] of [
    ['PATCH', { content: 'z' }],
    ['DELETE', undefined],
    ['GET', undefined],
  ] as const) {
    t.equal((await desk.ask(method, `canned_responses/${shared._id}`, json)).status, 404, 'of another project')
  }
  const many = (table: string, columns: string, values: string, count: number) =>
    database.execute(`
      insert into ${table} (_id, company_id, project_id, owner_id, ${columns}, created_at, updated_at)
      select left(md5('${tenant.project_id}' || n), 24), '${tenant.company_id}', '${tenant.project_id}',
        '${desk.user_id}', ${values}, now(), now() from generate_series(1, ${count}) n`)
  await many('canned_response', 'shortcut, content', `'s' || n, 'x'`, 200)
  await many('saved_view', 'name, filter, position', `'v' || n, '{}', n`, 50)
  t.match(await desk.ask('POST', 'canned_responses', { shortcut: 'x', content: 'x' }), {
    status: 422,
    body: { error: { code: 'CANNED_RESPONSE_LIMIT_REACHED', details: { limit: 200 } } },
  })
  t.match(await desk.ask('POST', 'inbox/views', { name: 'x', filter: {} }), {
    status: 422,
    body: { error: { code: 'VIEW_LIMIT_REACHED', details: { limit: 50 } } },
  })
  t.match(await desk.ask('POST', 'inbox/views', { name: 'x', filter: {}, is_shared: true }), { status: 201 })
})

t.test('changes leave audit entries, and what an agent owns goes with the agent', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const one = await canned(ana, 'one', 'First', { is_shared: true })
  await canned(ana, 'own', 'Own')
  await made(ana.ask('PATCH', `canned_responses/${one._id}`, { content: 'Second' }))
  await made(ana.ask('POST', 'inbox/views', { name: 'Own', filter: {} }))
  const { data } = await made(world.operator('GET', `audit?project_id=${tenant.project_id}&actor_kind=user`))
  t.match(
    data.map(({ action, target }: Json) => `${action} ${target.kind}`),
    [
      'create_view saved_view',
      'update_canned_response canned_response',
      'create_canned_response canned_response',
      'create_canned_response canned_response',
    ],
  )
  t.match(data[1], { before: { content: 'First' }, after: { content: 'Second' }, target: { id: one._id } })
  await made(world.operator('DELETE', `users/${ana.user_id}`))
  t.match((await made(eva.ask('GET', 'canned_responses'))).data, [{ shortcut: 'one', created_by: null }])
  const left = await database.execute(
    `select (select count(*)::int from canned_response where project_id = '${tenant.project_id}') as canned,
      (select count(*)::int from saved_view where project_id = '${tenant.project_id}') as views`,
  )
  t.same(left, [{ canned: 1, views: 0 }])
})
