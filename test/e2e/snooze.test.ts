/** Snoozed tickets: out of the list until a moment, a message of the person, or an agent's word. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { actionWhen, isOver } from './bulk_client.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'
import { inboxAgent, inMs, listen, onTwoNodes, soon, ticketOf, turnClock } from './inbox_client.ts'

const HOUR_MS = 3_600_000
const person = (n: number) => `+1555019600${n}`
const ROW: [string, string] = ['inbox_entry', 'snoozed_until']

t.test('one node', async (t) => {
  const world = await joinWorld(t)

  t.test('a snoozed ticket is in its own list until an agent ends it', async (t) => {
    const tenant = await makeTenant(world)
    const [ana, eva] = [await inboxAgent(world, tenant), await inboxAgent(world, tenant)]
    const ticket_id = await ticketOf(tenant, ana, person(1))
    const { hears, heard } = await listen(t, world, tenant, eva)
    const until = inMs(HOUR_MS)
    const snooze = await made(ana.ask('POST', `inbox/tickets/${ticket_id}/snooze`, { until }))
    t.match(snooze, { ticket_id, snoozed_at: String, snoozed_until: until })
    t.same(await ana.list(), [])
    t.match(await ana.list('?is_snoozed=true'), [{ ticket_id, snoozed_at: snooze.snoozed_at, snoozed_until: until }])
    t.same(await made(ana.ask('POST', `inbox/tickets/${ticket_id}/snooze`, { until })), snooze, 'a repeat')
    t.match(
      await made(ana.ask('POST', `inbox/tickets/${ticket_id}/snooze`, {})),
      { snoozed_until: null },
      'another end',
    )
    const none = { ticket_id, snoozed_at: null, snoozed_until: null }
    for (let n = 0; n < 2; n++) t.same(await made(eva.ask('DELETE', `inbox/tickets/${ticket_id}/snooze`)), none)
    t.match(await ana.list(), [none])
    await hears('snooze.changed', 3)
    const [begun, changed, ended, ...rest] = heard('snooze.changed')
    t.same(begun, { ...snooze, reason: 'snoozed', user_id: ana.id }, 'all agents hear of it')
    t.match(changed, { ticket_id, snoozed_until: null, reason: 'snoozed', user_id: ana.id })
    t.same(ended, { ...none, reason: 'ended', user_id: eva.id })
    t.same(rest, [])
    const { data } = await made(tenant.api('GET', `crm/tickets/${ticket_id}/timeline?kind=event`))
    t.match(data.slice(0, 2), [
      { event_type: 'ticket.unsnoozed', data: { reason: 'ended', user_id: eva.id } },
      { event_type: 'ticket.snoozed', data: { snoozed_until: null, user_id: ana.id } },
    ])
  })

  t.test('a message of the person ends it, and so does closing; an answer does not', async (t) => {
    const tenant = await makeTenant(world)
    const ana = await inboxAgent(world, tenant)
    const ticket_id = await ticketOf(tenant, ana, person(2))
    const { hears, heard } = await listen(t, world, tenant, ana)
    const snooze = (until?: string) =>
      made(ana.ask('POST', `inbox/tickets/${ticket_id}/snooze`, { ...(until && { until }) }))
    await snooze()
    await made(tenant.send(person(2)))
    t.ok((await ana.row(ticket_id)).snoozed_at, 'an answer')
    await tenant.writes(person(2), 'Hello?')
    t.match(await ana.list(), [{ ticket_id, snoozed_at: null }])
    await snooze(inMs(HOUR_MS))
    await made(ana.ask('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true }))
    t.match(await ana.list('?is_closed=true'), [{ ticket_id, snoozed_at: null, snoozed_until: null }])
    const refused = await ana.ask('POST', `inbox/tickets/${ticket_id}/snooze`)
    t.match(refused, { status: 409, body: { error: { code: 'TICKET_CLOSED' } } })
    await hears('snooze.changed', 4)
    const reasons = heard('snooze.changed').map(({ reason }) => reason)
    t.same(reasons, ['snoozed', 'message', 'snoozed', 'closed'])
    const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
    t.teardown(() => database.close())
    const timers = `select name from timer where name like 'snooze/%' and address = ?`
    t.same(await database.execute(timers, [`project/${tenant.project_id}`]), [], 'no timer is left')
  })

  t.test('at its moment it comes back, at the top', async (t) => {
    const tenant = await makeTenant(world)
    const ana = await inboxAgent(world, tenant)
    const ticket_id = await ticketOf(tenant, ana, person(3))
    const other = await ticketOf(tenant, ana, person(4))
    const { hears, heard } = await listen(t, world, tenant, ana)
    await soon((until) => ana.ask('POST', `inbox/tickets/${ticket_id}/snooze`, { until }))
    await hears('snooze.changed', 2)
    const rows = await ana.list()
    t.same(
      rows.map((row) => row.ticket_id),
      [ticket_id, other],
    )
    t.match(rows[0], { snoozed_at: null, snoozed_until: null })
    t.match(heard('snooze.changed')[1], {
      ticket_id,
      snoozed_at: null,
      reason: 'due',
      user_id: null,
      last_activity_at: rows[0]!.last_activity_at,
    })
  })

  t.test('what makes no sense is refused, and nothing is written', async (t) => {
    const tenant = await makeTenant(world)
    const ana = await inboxAgent(world, tenant)
    const other = await inboxAgent(world, await makeSister(world, tenant))
    const ticket_id = await ticketOf(tenant, ana, person(5))
    const path = `inbox/tickets/${ticket_id}/snooze`
    for (const until of [inMs(-1000), inMs(400 * 24 * HOUR_MS), 'tomorrow', '2027-02-31T10:00:00Z', 5]) {
      const answer = await ana.ask('POST', path, { until })
      t.match(answer, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } }, String(until))
    }
    t.equal((await ana.ask('POST', `inbox/tickets/${'f'.repeat(24)}/snooze`)).status, 404)
    t.equal((await other.ask('POST', path)).status, 404, 'a ticket of another project')
    t.equal((await other.ask('DELETE', path)).status, 404)
    t.match(await ana.list(), [{ ticket_id, snoozed_at: null }])
  })

  t.test('a bulk action snoozes all tickets that match', async (t) => {
    const tenant = await makeTenant(world)
    const ana = await inboxAgent(world, tenant)
    const ids = [await ticketOf(tenant, ana, person(6)), await ticketOf(tenant, ana, person(7))]
    const until = inMs(HOUR_MS)
    await made(ana.ask('POST', `inbox/tickets/${ids[0]}/snooze`, { until }))
    const action = { type: 'snooze', until }
    const begun = await made(ana.ask('POST', 'bulk_actions', { filter: { ticket_ids: ids }, action }))
    t.match(await actionWhen(ana.ask, begun.id, 'is over', isOver), { changed_count: 1, unchanged_count: 1 })
    const rows = await ana.list('?is_snoozed=true')
    t.match(rows, [{ snoozed_until: until }, { snoozed_until: until }])
    const past = { type: 'snooze', until: inMs(-1000) }
    const refused = await ana.ask('POST', 'bulk_actions', { filter: { ticket_ids: ids }, action: past })
    t.match(refused, { status: 400, body: { error: { details: { violations: [{ path: 'action.until' }] } } } })
  })
})

t.test('two nodes: the next owner of the project brings a ticket back, once', async (t) => {
  const { database, tenant, ana, ticket_id, handOver } = await onTwoNodes(t, person(1))
  await made(ana.ask('POST', `inbox/tickets/${ticket_id}/snooze`, { until: inMs(HOUR_MS) }))
  await turnClock(database, tenant, 'snooze/', ROW)
  const there = await handOver()
  await eventually('it is back', async () => (await there.list()).length === 1)
  const events = await database.execute<Json>(
    `select data from crm_event where event_type = 'ticket.unsnoozed' and ticket_id = '${ticket_id}'`,
  )
  t.match(events, [{ data: { reason: 'due' } }])
  t.equal(events.length, 1)
})
