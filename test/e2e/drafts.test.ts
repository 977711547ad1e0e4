/** Drafts of agents: the latest version of any tab stays, for this agent alone, on every device. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { type Desk, makeDesk, ticketOf } from './desk.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const PHONE = '+15550195001'
const pathOf = ({ _id }: Json, kind = 'reply') => `inbox/tickets/${_id}/drafts/${kind}`
const save = (desk: Desk, ticket: Json, version: number, content: string, more: object = {}) =>
  made(desk.ask('PUT', pathOf(ticket), { version, content, ...more }))

t.test('a draft is kept for its agent alone, and follows the agent to other devices', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const ticket = await ticketOf(tenant, PHONE)
  const phone = await ana.watch(t, 'draft.saved', 'draft.deleted')
  const other = await eva.watch(t, 'draft.saved', 'draft.deleted')
  const empty = { ticket_id: ticket._id, kind: 'reply', version: 0, content: '', attachments: [], context: null }
  t.same(await made(ana.ask('GET', pathOf(ticket))), { ...empty, updated_at: null })

  const text = { attachments: [{ media_id: 'm1', type: 'image', file_size: 5 }], context: { reply_to: 'msg_1' } }
  const saved = await save(ana, ticket, 1, 'Dear Zora, '.repeat(30), text)
  t.match(saved, { version: 1, is_saved: true, ...text })
  const { is_saved, ...draft } = saved
  t.same(await made(ana.ask('GET', pathOf(ticket))), draft)
  await made(ana.ask('PUT', pathOf(ticket, 'note'), { version: 1, content: 'Angry' }))
  t.match(await phone.until(2), [
    { type: 'draft.saved', data: draft },
    { type: 'draft.saved', data: { kind: 'note', content: 'Angry' } },
  ])
  const listed = (await made(ana.ask('GET', 'inbox/drafts'))).data
  t.match(listed, [
    { kind: 'note', content: 'Angry', contact: { _id: ticket.chat_user, name: 'Zora' } },
    { kind: 'reply', content: draft.content.slice(0, 200), version: 1 },
  ])
  t.same(Object.keys(listed[0]).sort(), ['contact', 'content', 'kind', 'ticket_id', 'updated_at', 'version'])

  t.same((await made(eva.ask('GET', 'inbox/drafts'))).data, [])
  t.equal((await made(eva.ask('GET', pathOf(ticket)))).version, 0)
  await save(eva, ticket, 1, 'Mine')
  t.equal((await made(ana.ask('GET', pathOf(ticket)))).content, draft.content)
  t.match(await other.until(1), [{ data: { content: 'Mine' } }])
  await phone.caughtUp()
  t.equal(phone.heard().length, 2, 'a colleague saves unheard')
})

t.test('an earlier version never replaces a later one, in whatever order they arrive', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(world, tenant)
  const ticket = await ticketOf(tenant, PHONE)
  const device = await desk.watch(t, 'draft.saved', 'draft.deleted')
  const versions = Array.from({ length: 30 }, (_, n) => n + 1)
  await Promise.all(versions.map((n) => save(desk, ticket, ((n * 7) % 30) + 1, `text ${((n * 7) % 30) + 1}`)))
  t.match(await made(desk.ask('GET', pathOf(ticket))), { version: 30, content: 'text 30' })
  const told = (await device.until(1)).map(({ data }) => data.version)
  t.same(
    told,
    [...told].sort((a, b) => a - b),
    'events come in the order of the versions',
  )

  t.match(await save(desk, ticket, 30, 'of another tab'), { is_saved: false, version: 30, content: 'text 30' })
  t.match(await save(desk, ticket, 29, 'text 29'), { is_saved: false, content: 'text 30' })
  t.match(await save(desk, ticket, 30, 'text 30'), { is_saved: true }, 'a repeated save is kept')
  t.match(await save(desk, ticket, 31, 'text 31'), { is_saved: true })
  const matched = (etag: string) =>
    desk.ask('PUT', pathOf(ticket), { version: 32, content: 'text 32' }, { headers: { 'if-match': etag } })
  t.match(await matched('"30"'), { status: 412, body: { error: { details: { version: 31 } } } })
  t.match(await matched('"31"'), { status: 200, headers: { etag: '"32"' } })
})

t.test('a deleted draft does not come back with a save that arrives late', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(world, tenant)
  const ticket = await ticketOf(tenant, PHONE)
  const device = await desk.watch(t, 'draft.saved', 'draft.deleted')
  const remove = (query = '') => made(desk.ask('DELETE', `${pathOf(ticket)}${query}`))
  await save(desk, ticket, 4, 'Dear Zora')
  t.match(await remove('?version=4'), { is_saved: false, content: 'Dear Zora' }, 'another tab has gone on')
  t.match(await remove('?version=6'), { is_saved: true, content: '', version: 6, updated_at: null })
  t.match(await save(desk, ticket, 5, 'Dear Zora, yo'), { is_saved: false, content: '', updated_at: null })
  t.same((await made(desk.ask('GET', 'inbox/drafts'))).data, [])
  t.match(await save(desk, ticket, 7, 'And'), { is_saved: true })
  t.match(await save(desk, ticket, 8, '', { context: { reply_to: 'msg_1' } }), { context: null, updated_at: null })
  await save(desk, ticket, 9, '', { attachments: [{ media_id: 'm1' }] })
  t.equal((await made(desk.ask('GET', 'inbox/drafts'))).data.length, 1, 'a file alone is a draft')
  t.match(await remove(), { version: 10, updated_at: null }, 'without a version it is deleted in any case')
  const told = (await device.until(6)).map(({ type, data }) => `${type} ${data.version}`)
  t.same(told.slice(0, 3), ['draft.saved 4', 'draft.deleted 6', 'draft.saved 7'])
  t.same(told.slice(3), ['draft.deleted 8', 'draft.saved 9', 'draft.deleted 10'])
  const overtaken = await ticketOf(tenant, '+15550195002')
  await made(desk.ask('DELETE', `${pathOf(overtaken)}?version=2`))
  t.match(await save(desk, overtaken, 1, 'Sent already'), { is_saved: false }, 'even when it was the first one')
})

t.test('drafts are bounded, checked, and belong to tickets of the project', async (t) => {
  const [tenant, stranger] = [await makeTenant(world), await makeTenant(world)]
  const desk = await makeDesk(world, tenant)
  const [ticket, foreign] = [await ticketOf(tenant, PHONE), await ticketOf(stranger, '+15550195003')]
  const refused: [object, string][] = [
    [{ version: 0, content: '' }, 'version'],
    [{ version: 1.5, content: '' }, 'version'],
    [{ version: 1 }, 'content'],
    [{ version: 1, content: 'x'.repeat(10_001) }, 'content'],
    [{ version: 1, content: '', attachments: Array(11).fill({ media_id: 'm' }) }, 'attachments'],
    [{ version: 1, content: '', attachments: [{ media_id: '' }] }, 'attachments'],
    [{ version: 1, content: '', context: { a: 'x'.repeat(4000) } }, 'context'],
    [{ version: 1, content: '', context: [] }, 'context'],
  ]
  for (const [json, field] of refused) {
    const { status, body } = await desk.ask('PUT', pathOf(ticket), json)
    t.equal(status, 400, field)
    t.match(body.error.details.violations[0].path, new RegExp(`^${field}`))
  }
  t.equal((await desk.ask('PUT', pathOf(foreign), { version: 1, content: 'x' })).status, 404)
  t.equal((await desk.ask('PUT', pathOf(ticket, 'mail'), { version: 1, content: 'x' })).status, 404)
  t.equal((await desk.ask('DELETE', `${pathOf(ticket)}?version=x`)).status, 400)
  t.same((await made(desk.ask('GET', 'inbox/drafts'))).data, [])

  await database.execute(`
    insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at)
    select left(md5('${tenant.project_id}' || n), 24), company_id, project_id, chat_user, true, now()
    from ticket, generate_series(1, 201) n where _id = '${ticket._id}'`)
  await database.execute(`
    insert into draft (ticket_id, user_id, kind, project_id, version, content, updated_at)
    select _id, '${desk.user_id}', 'reply', project_id, 1, 'old', now() - interval '1 day'
    from ticket where project_id = '${tenant.project_id}' and _id <> '${ticket._id}'`)
  await save(desk, ticket, 1, 'new')
  const { data } = await made(desk.ask('GET', 'inbox/drafts'))
  t.equal(data.length, 200)
  t.equal(data[0].content, 'new', 'the oldest have gone')
  const audit = await made(world.operator('GET', `audit?project_id=${tenant.project_id}&actor_kind=user`))
  t.same(audit.data, [], 'saves leave no audit entry')
})

t.test('the drafts that answers leave behind push out no text that waits to be sent', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(world, tenant)
  const [ticket, last] = [await ticketOf(tenant, PHONE), await ticketOf(tenant, '+15550195002')]
  await save(desk, ticket, 1, 'Long, and not finished')
  // As after 200 answers.
  await database.execute(`
    insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at)
    select left(md5('${tenant.project_id}' || n), 24), company_id, project_id, chat_user, true, now()
    from ticket, generate_series(1, 200) n where _id = '${ticket._id}'`)
  await database.execute(`
    insert into draft (ticket_id, user_id, kind, project_id, version, content, updated_at)
    select _id, '${desk.user_id}', 'reply', project_id, 1, '', now() + interval '1 minute'
    from ticket where project_id = '${tenant.project_id}' and is_closed`)
  await save(desk, last, 1, 'Dear Zora')
  const { data } = await made(desk.ask('GET', 'inbox/drafts'))
  t.match(data, [{ content: 'Dear Zora' }, { content: 'Long, and not finished' }])
  const [{ count } = {} as Json] = await database.execute<Json>(
    `select count(*)::int as count from draft where user_id = '${desk.user_id}'`,
  )
  t.equal(count, 200, 'all together are bounded')
})

t.test('saves are limited apart from other changes', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await makeDesk(world, tenant)
  const ticket = await ticketOf(tenant, PHONE)
  const one = (n: number) => desk.ask('PUT', pathOf(ticket), { version: n + 1, content: 'x' })
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => one(n)))
  const throttled = answers.filter(({ status }) => status === 429)
  t.ok(throttled.length > 0, `${throttled.length} of 200 are refused`)
  t.match(throttled[0], { body: { error: { code: 'THROTTLED' } }, headers: { 'retry-after': /^\d+$/ } })
  t.equal((await desk.ask('PATCH', `crm/tickets/${ticket._id}`, { priority: 'high' })).status, 200)
})

t.test('drafts go with their ticket and with their agent', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await makeDesk(world, tenant), await makeDesk(world, tenant)]
  const [ticket, other] = [await ticketOf(tenant, PHONE), await ticketOf(tenant, '+15550195004')]
  for (const desk of [ana, eva]) for (const one of [ticket, other]) await save(desk, one, 1, 'Dear Zora')
  const rows = async () =>
    (
      await database.execute<Json>('select count(*)::int as count from draft where project_id = ?', [tenant.project_id])
    )[0].count
  const { _id } = await made(
    world.operator('POST', 'erasures', { kind: 'contact', id: ticket.chat_user, confirm: true }),
  )
  await eventually(
    'the erasure is done',
    async () => (await world.operator('GET', `erasures/${_id}`)).body.status === 'done',
  )
  t.equal(await rows(), 2)
  t.equal((await ana.ask('PUT', pathOf(ticket), { version: 2, content: 'late' })).status, 404)
  await made(world.operator('DELETE', `users/${eva.user_id}`))
  t.equal(await rows(), 1)
})
