/**
 * One change of all tickets that match: each ticket once, by the rules of a single change, while others work. One file,
 * because all tests share one cluster, one company and its agents.
 */
import { io } from 'socket.io-client'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { actionWhen, askerOf, countOf, isOver, storeTickets, wrongCounts } from './bulk_client.ts'
import { eventually, type Json } from './client.ts'
import { startCluster, statuses } from './cluster.ts'
import { makeAgent } from './console_client.ts'
import { made, makeTenant, type Tenant } from './fixture.ts'
import { inboxAgent, makeOffice } from './inbox_client.ts'

const cluster = await startCluster(t)
const { nodes, world } = cluster
const database = await openDatabase({ url: cluster.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const NOBODY = '66f2a0c1d4e5f60718293a4b'

const newProject = await makeOffice(world)

/** A new project, with the agent of all of them or somebody else. */
async function makeDesk(newAgent = false) {
  const { tenant, agents } = await newProject()
  const agent = newAgent ? await inboxAgent(world, tenant) : agents[0]
  const { cookie } = agent
  const [ask, other] = nodes.map(({ base_url }) => askerOf(world.http, base_url, cookie, tenant)) as [
    ReturnType<typeof askerOf>,
    ReturnType<typeof askerOf>,
  ]
  const begin = async (filter: Json, action: Json) => made(ask('POST', 'bulk_actions', { filter, action }))
  return { tenant, agent, boss: agents[0], cookie, ask, other, begin }
}

const versions = async ({ project_id }: Tenant): Promise<number> =>
  (
    await database.execute<{ sum: number }>(
      `select coalesce(sum(version - 1), 0)::int as sum from ticket where project_id = '${project_id}'`,
    )
  )[0]!.sum

const events = ({ project_id }: Tenant, type: string) =>
  countOf(database, `crm_event where project_id = '${project_id}' and event_type = '${type}'`)

t.test('each action changes all tickets that match, and no others', async (t) => {
  const { tenant, agent, ask, begin } = await makeDesk()
  const { project_id } = tenant
  const tag = (await made(world.operator('POST', 'tags', { project_id, name: 'sale' })))._id
  await storeTickets(database, tenant, 60, { priority: `case when n % 2 = 0 then 'high' end` })
  const sister = await makeTenant(world)
  await storeTickets(database, sister, 3, { priority: `'high'` })
  const cases: [Json, Json, number][] = [
    [{ type: 'assign', assigned_to: agent.id }, { assigned_to: { id: agent.id } }, 30],
    [{ type: 'tag', add_tag_ids: [tag] }, { tags: [{ id: tag }] }, 30],
    [{ type: 'tag', remove_tag_ids: [tag] }, { tags: [] }, 30],
    [{ type: 'close', resolution: 'won' }, { is_closed: true, resolution: 'won' }, 30],
    [{ type: 'close', resolution: 'lost' }, { is_closed: true, resolution: 'won' }, 0],
    [{ type: 'reopen' }, { is_closed: false, resolution: null }, 30],
    [{ type: 'assign', assigned_to: null }, { assigned_to: null }, 30],
    [{ type: 'prioritize', priority: 'urgent' }, { priority: 'urgent' }, 30],
  ]
  for (const [action, expected, changed_count] of cases) {
    const { id, total, user_id } = await begin({ priority: 'high' }, action)
    t.same([total, user_id], [30, agent.id])
    const record = await actionWhen(ask, id, 'is over', isOver)
    const counts = { status: 'completed', changed_count, unchanged_count: 30 - changed_count, refused_count: 0 }
    t.match(record, { ...counts, filter: { priority: 'high' }, action: { type: action.type } }, action.type)
    const of = action.type === 'prioritize' ? 'urgent' : 'high'
    for (const ticket of (await made(ask('GET', `crm/tickets?priority=${of}&limit=200`))).data) {
      t.match(ticket, expected, action.type)
    }
    t.equal((await made(ask('GET', `crm/tickets?priority=${of}`))).total, 30)
  }
  t.equal(
    (await made(ask('GET', 'crm/tickets?limit=200'))).data.filter(({ version }: Json) => version === 1).length,
    30,
  )
  t.equal(await versions(sister), 0, 'another project is untouched')
  const none = await begin({ priority: 'low' }, { type: 'reopen' })
  t.match(none, { status: 'completed', total: 0, done_count: 0 })
  const list = await made(ask('GET', 'bulk_actions?limit=4'))
  t.equal(list.data.length, 4)
  t.equal(list.data[0].id, none.id, 'newest first')
  t.equal((await made(ask('GET', `bulk_actions?cursor=${list.next_cursor}`))).data.length, 5)
  const { data } = await made(world.operator('GET', `audit?project_id=${project_id}&actor_kind=user&limit=50`))
  t.equal(data.length, cases.length + 1, 'one entry for each action, none for its tickets')
  t.ok(data.every(({ action }: Json) => action === 'create_bulk_action'))
})

t.test('closing without a resolution keeps the one that was decided before, as a PATCH does', async (t) => {
  const { tenant, ask, begin } = await makeDesk()
  await storeTickets(database, tenant, 4, {
    resolution: `'won'`,
    priority: `case when n % 2 = 0 then 'high' else 'low' end`,
  })
  const cases: [priority: string, action: Json, resolution: string | null][] = [
    ['high', { type: 'close' }, 'won'],
    ['low', { type: 'close', resolution: null }, null],
  ]
  for (const [priority, action, resolution] of cases) {
    const { id } = await begin({ priority }, action)
    await actionWhen(ask, id, 'is over', isOver)
    const { data } = await made(ask('GET', `crm/tickets?priority=${priority}`))
    const closed = { is_closed: true, resolution }
    t.match(data, [closed, closed], JSON.stringify(action))
  }
})

t.test('tickets that the rules of a stage refuse stay as they are, each with its reason', async (t) => {
  const { tenant, ask, begin } = await makeDesk()
  const { project_id } = tenant
  const stages = [
    { name: 'New' },
    { name: 'Sold', rules: { require_fields: ['amount'], set_fields: { category: 'sold' } } },
  ]
  const pipeline = await made(world.operator('POST', 'pipelines', { project_id, name: 'Sales', stages }))
  const stage_id = pipeline.stages[1]._id
  const columns = {
    amount: 'case when n % 3 = 0 then 5 end',
    is_closed: 'n % 5 = 1',
    closed_at: 'case when n % 5 = 1 then now() end',
  }
  await storeTickets(database, tenant, 300, columns)
  const { id } = await begin({}, { type: 'move', stage_id })
  const record = await actionWhen(ask, id, 'is over', isOver)
  const open = (n: number) => n % 5 !== 1
  const numbers = Array.from({ length: 300 }, (_, n) => n)
  const moved = numbers.filter((n) => open(n) && n % 3 === 0).length
  const lacking = numbers.filter((n) => open(n) && n % 3 !== 0).length
  t.match(record, {
    total: 300,
    changed_count: moved,
    refused_count: 300 - moved,
    refused_by_code: { TICKET_CLOSED: 60, STAGE_REQUIREMENTS_NOT_MET: lacking },
  })
  t.equal(record.refusals.length, 100, 'the first ones are shown')
  const refusal = record.refusals.find(({ code }: Json) => code === 'STAGE_REQUIREMENTS_NOT_MET')
  t.match(refusal, { details: { fields: ['amount'] } })
  const alone = await ask('POST', `crm/tickets/${refusal.ticket_id}/stage`, { stage_id })
  t.match(alone.body.error, { code: refusal.code, message: refusal.message, details: refusal.details })
  t.equal(await countOf(database, `ticket where project_id = '${project_id}' and stage_id = '${stage_id}'`), moved)
  t.equal(await countOf(database, `ticket where project_id = '${project_id}' and category = 'sold'`), moved)
  t.same(await wrongCounts(database, record, await events(tenant, 'ticket.stage_changed')), [])
})

t.test('actions that overlap, with a change of owner among them, change each ticket once each', async (t) => {
  const { tenant, agent, ask, other, begin } = await makeDesk()
  const colleague = await makeAgent(world, tenant)
  await storeTickets(database, tenant, 400)
  const wanted = [
    { type: 'assign', assigned_to: agent.id },
    { type: 'assign', assigned_to: colleague._id },
    { type: 'prioritize', priority: 'high' },
    { type: 'prioritize', priority: 'low' },
  ]
  const begun = await Promise.all(wanted.map((action) => begin({}, action)))
  await actionWhen(ask, begun[0]!.id, 'is under way', ({ done_count }) => done_count > 0)
  const owner = (await cluster.ownerOf(`project/${tenant.project_id}`))!
  await cluster.drain(owner)
  const records = []
  for (const { id } of begun) records.push(await actionWhen(other, id, 'is over', isOver))
  const [assigned, prioritized] = [records.slice(0, 2), records.slice(2)]
  const changed = (of: Json[]) => of.reduce((sum, { changed_count }) => sum + changed_count, 0)
  t.same(
    records.map(({ status, done_count }) => [status, done_count]),
    Array(4).fill(['completed', 400]),
  )
  t.equal(await events(tenant, 'ticket.assigned'), changed(assigned), 'each assignment happened once')
  t.equal(await versions(tenant), changed(records), 'each change is counted once')
  const { project_id } = tenant
  t.equal(await countOf(database, `ticket where project_id = '${project_id}' and priority in ('high', 'low')`), 400)
  t.ok(changed(prioritized) >= 400)
  t.equal(await countOf(database, `bulk_action_slice where bulk_action_id in (${begun.map(({ id }) => `'${id}'`)})`), 0)
})

t.test('an action is cancelled, and ends when its agent is dismissed; what is done stays', async (t) => {
  const { tenant, agent, boss, ask, other, begin } = await makeDesk(true)
  await storeTickets(database, tenant, 4000)
  const path = (id: string) => `bulk_actions/${id}/cancel`
  const first = await begin({}, { type: 'prioritize', priority: 'high' })
  await actionWhen(ask, first.id, 'is under way', ({ done_count }) => done_count > 0)
  const cancelled = await made(other('POST', path(first.id)))
  t.equal(cancelled.status, 'cancelled')
  t.ok(cancelled.done_count < 4000)
  t.same(await made(ask('POST', path(first.id))), cancelled, 'cancelling again changes nothing')
  t.same(await wrongCounts(database, cancelled, await versions(tenant)), [])

  const second = await begin({}, { type: 'prioritize', priority: 'low' })
  await actionWhen(ask, second.id, 'is under way', ({ done_count }) => done_count > 0)
  await made(world.operator('PATCH', `users/${agent.id}`, { permissions: [] }))
  const asBoss = askerOf(world.http, nodes[0]!.base_url, boss.cookie, tenant)
  const ended = await actionWhen(asBoss, second.id, 'is over', isOver)
  t.equal(ended.status, 'cancelled')
  t.ok(ended.done_count < 4000)
  t.same(await wrongCounts(database, ended, (await versions(tenant)) - cancelled.changed_count), [])
  t.equal((await asBoss('POST', path(NOBODY))).status, 404)
  const { data } = await made(world.operator('GET', `audit?project_id=${tenant.project_id}&action=cancel_bulk_action`))
  t.equal(data.length, 1)
})

t.test('clients and people do not wait behind an action, and agents watch its progress', async (t) => {
  const { tenant, cookie, ask, begin } = await makeDesk()
  await storeTickets(database, tenant, 500)
  const { base_url } = nodes[0]!
  const extraHeaders = { origin: base_url, cookie }
  const options = { path: '/console/socket.io', transports: ['websocket'], reconnection: false, forceNew: true }
  const socket = io(base_url, { ...options, extraHeaders })
  t.teardown(() => socket.disconnect())
  const heard: Json[] = []
  socket.on('live', (said) => {
    for (const { type, data } of said.events) if (type === 'bulk_action.progress') heard.push(data)
  })
  await socket.timeout(10_000).emitWithAck('watch', { project_id: tenant.project_id })
  const { id } = await begin({}, { type: 'prioritize', priority: 'high' })
  let meanwhile = 0
  while (!isOver(await made(ask('GET', `bulk_actions/${id}`)))) {
    await made(tenant.api('POST', 'crm/notes', { content: 'x', ticket_id: NOBODY }))
    meanwhile++
  }
  t.ok(meanwhile > 5, `${meanwhile} notes were written meanwhile`)
  await eventually('the end is heard', () => heard.at(-1)?.status === 'completed')
  t.ok(heard.length > 2)
  t.same(heard.at(-1), await made(ask('GET', `bulk_actions/${id}`)))
  const done = heard.map(({ done_count }) => done_count)
  t.same(
    done,
    done.toSorted((a, b) => a - b),
    'the progress only grows',
  )
})

t.test('a refused request begins nothing, and a repeated one begins one action', async (t) => {
  const { tenant, ask, other } = await makeDesk()
  await storeTickets(database, tenant, 30)
  const action = { type: 'prioritize', priority: 'low' }
  const refusals: [Json, number, string][] = [
    [{ filter: {}, action, expected_count: 29 }, 409, 'BULK_ACTION_COUNT_CHANGED'],
    [{ filter: {}, action: { type: 'move', stage_id: NOBODY } }, 422, 'STAGE_NOT_FOUND'],
    [{ filter: {}, action: { type: 'assign', assigned_to: NOBODY } }, 422, 'ASSIGNEE_NOT_FOUND'],
    [{ filter: {}, action: { type: 'tag', add_tag_ids: [NOBODY] } }, 422, 'TAG_NOT_FOUND'],
    [{ filter: {}, action: { type: 'explode' } }, 400, 'VALIDATION_ERROR'],
    [{ filter: { colour: 'red' }, action }, 400, 'VALIDATION_ERROR'],
    [{ filter: { ticket_ids: [NOBODY], is_closed: true }, action }, 400, 'VALIDATION_ERROR'],
    [{ filter: { inbox: {}, is_closed: true }, action }, 400, 'VALIDATION_ERROR'],
    [{ action }, 400, 'VALIDATION_ERROR'],
  ]
  for (const [json, status, code] of refusals) {
    t.match(await ask('POST', 'bulk_actions', json), { status, body: { error: { code } } }, code)
  }
  t.same((await made(ask('GET', 'bulk_actions'))).data, [])
  const { project_id } = tenant
  const left = `bulk_action_slice where ticket_ids && array(select _id from ticket where project_id = '${project_id}')`
  await eventually('no tickets are kept', async () => (await countOf(database, left)) === 0)
  const json = { filter: {}, action, expected_count: 30 }
  const asks = Array.from({ length: 20 }, (_, n) =>
    (n % 2 ? ask : other)('POST', 'bulk_actions', json, { 'idempotency-key': 'all' }),
  )
  const answers = await Promise.all(asks)
  const accepted = answers.filter(({ status }) => status === 202)
  t.ok(accepted.length > 0, JSON.stringify(statuses(answers)))
  t.ok(answers.every(({ status, body }) => status === 202 || body.error.code === 'IDEMPOTENCY_IN_PROGRESS'))
  t.equal(new Set(accepted.map(({ body }) => body.id)).size, 1)
  const [one] = (await made(ask('GET', 'bulk_actions'))).data
  await actionWhen(ask, one.id, 'is over', isOver)
  t.equal(await versions(tenant), 30)
  const [known] = (await made(ask('GET', 'crm/tickets?limit=1'))).data
  const named = await made(
    ask('POST', 'bulk_actions', { filter: { ticket_ids: [known._id, known._id, NOBODY] }, action: { type: 'close' } }),
  )
  const record = await actionWhen(ask, named.id, 'is over', isOver)
  t.match(record, { total: 2, changed_count: 1, refused_by_code: { NOT_FOUND: 1 } })
})

t.test('an action beyond those that may run, or beyond its bounds, stores nothing', async (t) => {
  const { tenant, agent, ask } = await makeDesk()
  await storeTickets(database, tenant, 30)
  const { company_id, project_id } = tenant
  await database.execute(`
    insert into bulk_action (id, company_id, project_id, user_id, filter, action, total)
      select lpad(n::text, 24, 'a'), '${company_id}', '${project_id}', '${agent.id}', '{}', '{"type":"reopen"}', 30
      from generate_series(1, 20) n;
    create function nothing_stored() returns trigger language plpgsql as $$ begin raise exception 'stored'; end $$;
    create trigger nothing_stored before insert on bulk_action_slice for each row execute function nothing_stored()`)
  const json = { filter: {}, action: { type: 'prioritize', priority: 'low' } }
  const running = { code: 'BULK_ACTIONS_RUNNING', details: { running: 20 } }
  t.match(await ask('POST', 'bulk_actions', json), { status: 409, body: { error: running } })
  await database.execute(`delete from bulk_action where project_id = '${project_id}'`)
  const changed = await ask('POST', 'bulk_actions', { ...json, expected_count: 29 })
  t.match(changed, { status: 409, body: { error: { code: 'BULK_ACTION_COUNT_CHANGED', details: { total: 30 } } } })
  await database.execute('drop function nothing_stored() cascade')
})

t.test('an action whose tickets are lost changes the others, counts the lost ones and ends', async (t) => {
  const { tenant, ask, begin } = await makeDesk()
  await storeTickets(database, tenant, 4000)
  const { id } = await begin({}, { type: 'prioritize', priority: 'high' })
  await database.execute(
    `delete from bulk_action_slice where bulk_action_id = '${id}' and (first between 2000 and 2999 or first >= 3500)`,
  )
  const record = await actionWhen(ask, id, 'is over', isOver)
  t.match(record, { status: 'completed', changed_count: 2500, refused_by_code: { TICKETS_LOST: 1500 } })
  t.same(await wrongCounts(database, record, await versions(tenant)), [])
})

t.test('the tickets of the inbox are those that its list shows', async (t) => {
  const { tenant, agent, ask, begin } = await makeDesk()
  const columns = {
    assigned_to: `case when n % 4 = 0 then '${agent.id}' end`,
    priority: `case when n % 3 = 0 then 'high' end`,
  }
  await storeTickets(database, tenant, 48, columns)
  await tenant.writes('+15550220007', 'Hello', { name: 'Zoe Quetzal' })
  const listed = async (query: string) =>
    (await made(ask('GET', `inbox?limit=200${query}`))).data.map(({ ticket_id }: Json) => ticket_id).sort()
  const filters: [Json, string, number][] = [
    [{}, '', 49],
    [{ view: 'mine' }, '&view=mine', 12],
    [{ view: 'unassigned', priority: 'high' }, '&view=unassigned&priority=high', 12],
    [{ is_unread: true }, '&is_unread=true', 1],
    [{ is_waiting: true }, '&sort=waiting', 1],
    [{ search: 'quetz' }, '&search=quetz', 1],
    [{ search: 'Z' }, '&search=Z', 1],
    [{ channel_type: 'whatsapp' }, '&channel_type=whatsapp', 1],
    [{ is_snoozed: true }, '&is_snoozed=true', 0],
    [{ is_closed: true }, '&is_closed=true', 0],
  ]
  for (const [inbox, query, total] of filters) {
    const count = await made(ask('POST', 'bulk_actions/count', { filter: { inbox } }))
    t.same(count, { total, most: 200_000 }, query)
    t.equal((await listed(query)).length, total, query)
  }
  const chosen = await listed('&view=unassigned&priority=high')
  const { id } = await begin({ inbox: { view: 'unassigned', priority: 'high' } }, { type: 'close' })
  await actionWhen(ask, id, 'is over', isOver)
  t.same(await listed('&is_closed=true'), chosen)
})
