/** Mentions in notes, and the notifications of agents: each committed with its cause, for one agent alone. */
import t from 'tap'
import { openDatabase, sweepRetention } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { type Desk, makeDesk, ticketOf } from './desk.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const PHONE = '+15550197001'
const NOBODY = '65f000000000000000000000'
const list = (desk: Desk, query = ''): Promise<Json> => made(desk.ask('GET', `notifications${query}`))
const types = async (desk: Desk): Promise<string[]> => (await list(desk)).data.map(({ type }: Json) => type)

t.test('a mention is stored with the note, and notifies each mentioned agent but the author', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva, max] = [
    await makeDesk(world, tenant),
    await makeDesk(world, tenant, 'Eva Luna'),
    await makeDesk(world, tenant, 'Max Sol'),
  ]
  const ticket = await ticketOf(tenant, PHONE)
  const [evas, maxs] = [await eva.watch(t, 'notification.created'), await max.watch(t, 'notification.created')]
  const notes = await max.watch(t, 'note.created')
  const content = `@Eva Luna ${'x'.repeat(300)}`
  const mentions = [eva.user_id, ana.user_id]
  const note = await made(
    ana.ask('POST', 'crm/notes', { content, ticket_id: ticket._id, mentions: [...mentions, eva.user_id] }),
  )
  t.same(note.mentions, mentions)
  t.same(await made(ana.ask('GET', `crm/notes/${note._id}`)), note)
  t.same((await made(ana.ask('GET', `crm/notes?ticket_id=${ticket._id}`))).data, [note])
  t.same((await made(ana.ask('GET', `crm/tickets/${ticket._id}/timeline?kind=note`))).data, [{ kind: 'note', ...note }])
  t.same((await notes.until(1))[0]!.data, note)
  const { mentions: _, ...shown } = note
  t.same(await made(tenant.api('GET', `crm/notes/${note._id}`)), shown, 'the API does not show them')
  t.same((await made(tenant.api('GET', `crm/tickets/${ticket._id}/timeline?kind=note`))).data, [
    { kind: 'note', ...shown },
  ])
  const plain = await made(ana.ask('POST', 'crm/notes', { content: 'Nobody', ticket_id: ticket._id }))
  t.same(plain.mentions, [])

  const { data, unread_count } = await list(eva)
  t.equal(unread_count, 1)
  t.match(data, [
    {
      type: 'mention',
      ticket_id: ticket._id,
      contact: { _id: ticket.chat_user, name: 'Zora' },
      created_by: { id: ana.user_id, full_name: 'Ana Agent' },
      data: { note_id: note._id, text: content.slice(0, 200) },
      read_at: null,
    },
  ])
  t.same((await evas.until(1))[0], { type: 'notification.created', user_id: eva.user_id, data: data[0] })
  t.same([await types(ana), await types(max)], [[], []])
  t.same(maxs.heard(), [], 'others do not hear it')
})

t.test('only active agents of the company can be mentioned', async (t) => {
  const [tenant, stranger] = [await makeTenant(world), await makeTenant(world)]
  const ana = await makeDesk(world, tenant)
  const [dismissed, inactive] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const foreign = await makeDesk(world, stranger)
  const ticket = await ticketOf(tenant, PHONE)
  const mention = (mentions: unknown) => ana.ask('POST', 'crm/notes', { content: 'x', ticket_id: ticket._id, mentions })
  t.equal((await mention([dismissed.user_id])).status, 201)
  await made(world.operator('PATCH', `users/${dismissed.user_id}`, { permissions: [] }))
  await made(world.operator('PATCH', `users/${inactive.user_id}`, { is_active: false }))
  const wrong = [NOBODY, tenant.user_id, dismissed.user_id, inactive.user_id, foreign.user_id]
  t.match(await mention([ana.user_id, ...wrong]), {
    status: 422,
    body: { error: { code: 'AGENT_NOT_FOUND', details: { user_ids: wrong } } },
  })
  t.equal((await mention(Array(21).fill(ana.user_id))).status, 400)
  t.equal((await mention(['x'])).status, 400)
  const token = { content: 'x', ticket_id: ticket._id, mentions: [ana.user_id] }
  t.equal((await tenant.api('POST', 'crm/notes', token)).status, 400, 'programs mention nobody')
  t.equal((await made(ana.ask('GET', 'crm/notes'))).data.length, 1)
  const gone = await makeDesk(world, tenant)
  // Behind the back of the project, which has the users in memory.
  await database.execute(`delete from "user" where _id = '${gone.user_id}'`)
  t.match(await mention([gone.user_id]), { status: 422, body: { error: { details: { user_ids: [gone.user_id] } } } })
  t.equal((await made(ana.ask('GET', 'crm/notes'))).data.length, 1)
  const elsewhere = { content: 'x', ticket_id: NOBODY, chat_user: NOBODY, mentions: [] as string[] }
  const colleague = await makeDesk(world, tenant)
  await made(ana.ask('POST', 'crm/notes', { ...elsewhere, mentions: [colleague.user_id] }))
  t.match((await list(colleague)).data, [{ type: 'mention', ticket_id: null, contact: null }])
})

t.test('an agent is notified of a ticket that somebody else assigns', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const ticket = await ticketOf(tenant, PHONE)
  const path = `crm/tickets/${ticket._id}`
  const heard = await eva.watch(t, 'notification.created')
  await made(eva.ask('PATCH', path, { assigned_to: eva.user_id }))
  t.same(await types(eva), [], 'who takes a ticket knows it')
  await made(ana.ask('PATCH', path, { assigned_to: eva.user_id, priority: 'high' }))
  t.same(await types(eva), [], 'the ticket was assigned before')
  await made(ana.ask('PATCH', path, { assigned_to: ana.user_id }))
  await made(ana.ask('PATCH', path, { assigned_to: eva.user_id }))
  await made(tenant.api('PATCH', path, { assigned_to: ana.user_id }))
  await made(tenant.api('PATCH', path, { assigned_to: null }))
  t.match((await list(eva)).data, [
    { type: 'assignment', ticket_id: ticket._id, created_by: { id: ana.user_id }, contact: { name: 'Zora' } },
  ])
  t.match((await list(ana)).data, [{ type: 'assignment', created_by: null }], 'a program has no name')
  t.equal((await heard.until(1)).length, 1)

  const pipeline = (await made(world.operator('GET', `pipelines?project_id=${tenant.project_id}`))).data[0]
  const stage = await made(
    world.operator('POST', `pipelines/${pipeline._id}/stages`, { name: 'Sales', rules: { assign_to: [eva.user_id] } }),
  )
  await made(ana.ask('POST', `${path}/stage`, { stage_id: stage._id }))
  t.equal((await types(eva)).length, 2, 'a stage assigns, too')
})

t.test('a bulk action notifies once: its agent, and the one who gets the tickets', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  for (const n of [1, 2, 3]) await ticketOf(tenant, `+1555019710${n}`)
  const assign = async (desk: Desk, assigned_to: string) => {
    const json = { filter: {}, action: { type: 'assign', assigned_to } }
    const { id } = await made(desk.ask('POST', 'bulk_actions', json))
    await eventually(
      'it is over',
      async () => (await made(desk.ask('GET', `bulk_actions/${id}`))).status === 'completed',
    )
    return id
  }
  const id = await assign(ana, eva.user_id)
  t.match((await list(eva)).data, [
    {
      type: 'bulk_assignment',
      ticket_id: null,
      created_by: { id: ana.user_id },
      data: { bulk_action_id: id, count: 3 },
    },
  ])
  t.equal((await list(eva)).data.length, 1)
  const done = { bulk_action_id: id, action: 'assign', changed_count: 3, refused_count: 0 }
  t.match((await list(ana)).data, [{ type: 'bulk_action_completed', created_by: null, data: done }])
  await assign(ana, eva.user_id)
  t.equal((await list(eva)).data.length, 1, 'nothing was assigned anew')
  const half = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
  await database.execute(`
    insert into bulk_action (id, company_id, project_id, user_id, filter, action, total, done_count, changed_count, unchanged_count)
    select '${half}', company_id, project_id, user_id, filter, action, 9, 3, 2, 1 from bulk_action where id = '${id}'`)
  await made(ana.ask('POST', `bulk_actions/${half}/cancel`))
  t.match(
    (await list(eva)).data[0],
    { type: 'bulk_assignment', data: { count: 2 } },
    'a cancelled one has assigned some',
  )
  t.same(await types(ana), ['bulk_action_completed', 'bulk_action_completed'])
  await assign(eva, eva.user_id)
  t.same(await types(eva), ['bulk_action_completed', 'bulk_assignment', 'bulk_assignment'])
})

t.test('notifications are read in pages, marked as read on all devices, and bounded', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const ticket = await ticketOf(tenant, PHONE)
  const mention = (n: number) =>
    made(ana.ask('POST', 'crm/notes', { content: `note ${n}`, ticket_id: ticket._id, mentions: [eva.user_id] }))
  for (let n = 1; n <= 5; n++) await mention(n)
  const device = await eva.watch(t, 'notification.read')
  const first = await list(eva, '?limit=2')
  const rest = await list(eva, `?limit=10&cursor=${first.next_cursor}`)
  const all = [...first.data, ...rest.data]
  t.same(
    all.map(({ data }) => data.text),
    [5, 4, 3, 2, 1].map((n) => `note ${n}`),
  )
  const ids = all.map(({ _id }) => _id)
  const read = (json: object, desk = eva) => desk.ask('POST', 'notifications/read', json)
  t.same(await made(read({ notification_ids: ids }, ana)), { unread_count: 0 }, 'those of others are passed over')
  t.same(await made(read({ notification_ids: [ids[0], NOBODY] })), { unread_count: 4 })
  t.same(await made(read({ notification_ids: [ids[0]] })), { unread_count: 4 })
  t.same(await made(read({ up_to: ids[2] })), { unread_count: 1 })
  t.match((await list(eva, '?is_unread=true')).data, [{ _id: ids[1] }])
  t.equal((await list(eva, '?is_unread=false')).data.length, 4)
  t.same(
    (await device.until(2)).map(({ data }) => data),
    [
      { notification_ids: [ids[0]], unread_count: 4 },
      { notification_ids: [ids[4], ids[3], ids[2]], unread_count: 1 },
    ],
  )
  for (const json of [{}, { up_to: ids[0], notification_ids: ids }, { notification_ids: [] }, { up_to: 'x' }]) {
    t.equal((await read(json)).status, 400)
  }

  await database.execute(`
    insert into notification (_id, company_id, project_id, user_id, type, data, created_at)
    select '65' || lpad(to_hex(n), 22, '0'), '${tenant.company_id}', '${tenant.project_id}', '${eva.user_id}',
      'mention', '{}', now() - interval '40 days' from generate_series(1, 600) n`)
  const count = async (of = eva) =>
    (await database.execute<Json>(`select count(*)::int as count from notification where user_id = '${of.user_id}'`))[0]
      .count
  t.equal(await count(), 500, 'the oldest go')
  await mention(6)
  t.equal(await count(), 500)
  t.match((await list(eva)).data[0], { data: { text: 'note 6' } })

  await database.execute(
    `insert into retention (project_id, kind, days) values ('${tenant.project_id}', 'notifications', 30)`,
  )
  const swept = await sweepRetention(database, { retention_days: 90, audit_days: 90 })
  t.ok(swept.notifications! >= 494, 'with those of other files')
  t.equal(await count(), 6)
  const { _id } = await made(
    world.operator('POST', 'erasures', { kind: 'contact', id: ticket.chat_user, confirm: true }),
  )
  await eventually(
    'the erasure is done',
    async () => (await world.operator('GET', `erasures/${_id}`)).body.status === 'done',
  )
  t.equal(await count(), 0, 'they go with their contact')
})

t.test('an agent who mentions another all day leaves room for the notifications of others', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const { company_id, project_id } = tenant
  const insert = (digit: string, count: number, created_by: string | null) =>
    database.execute(
      `insert into notification (_id, company_id, project_id, user_id, type, created_by, data, created_at)
        select '${digit}' || lpad(to_hex(n), 23, '0'), ?, ?, ?, 'mention', ?, '{}', now() from generate_series(1, ${count}) n`,
      [company_id, project_id, eva.user_id, created_by],
    )
  await insert('1', 300, null)
  await insert('2', 700, ana.user_id)
  const rows = await database.execute(
    `select created_by, count(*)::int as count, min(_id) as first from notification
      where user_id = ? group by 1 order by 1 nulls first`,
    [eva.user_id],
  )
  t.same(rows, [
    { created_by: null, count: 300, first: `1${'1'.padStart(23, '0')}` },
    { created_by: ana.user_id, count: 100, first: `2${(601).toString(16).padStart(23, '0')}` },
  ])
})
