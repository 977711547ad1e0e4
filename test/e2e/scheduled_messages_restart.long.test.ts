/** Scheduled messages over a restart of the node. */
import t, { type Test } from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { made, startWorld, text, type World } from './fixture.ts'
import { inboxAgent, makeOffice, soon, ticketOf, turnClock } from './inbox_client.ts'
import { becomes, bodies, open, person, ROW, schedule } from './scheduled_client.ts'

async function officeIn<Place extends World>(t: Test, world: Place) {
  const newProject = await makeOffice(world, 2)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  return { world, newProject, database }
}

t.test('one node that restarts', async (t) => {
  // A node finds timers that were turned back in the database when it starts.
  const { world, newProject, database } = await officeIn(t, await startWorld(t))

  t.test('one for the case of no answer is cancelled by an answer, at once', async (t) => {
    const { tenant, agents } = await newProject()
    const [ana] = agents
    const ticket_id = await ticketOf(tenant, ana, person(1))
    const reminder = await made(schedule(ana, ticket_id, { cancel_if_answered: true }))
    const other = await made(schedule(ana, ticket_id))
    await tenant.writes(person(1), 'It did')
    t.match(await becomes(ana, reminder, 'cancelled'), { cancelled_by: 'answer' })
    t.match(await open(ana, ticket_id), [{ id: other.id }])
    const next = await made(schedule(ana, ticket_id, { cancel_if_answered: true }))
    // On another ticket: the turn of sending looks for the answer.
    await made(ana.ask('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true }))
    await tenant.writes(person(1), 'And another question')
    await soon((send_at) => ana.ask('PATCH', `inbox/scheduled_messages/${other.id}`, { send_at }))
    await becomes(ana, other, 'sent')
    t.match(await open(ana, ticket_id), [{ id: next.id, status: 'scheduled' }])
    await turnClock(database, tenant, 'scheduled_message/', ROW)
    await world.restart()
    t.match(await becomes(ana, next, 'cancelled'), { cancelled_by: 'answer' })
    t.same(await bodies(tenant), ['Did it arrive?'])
  })

  t.test('what is refused at its time fails with the reason, and can be scheduled again', async (t) => {
    const { tenant, agents } = await newProject()
    // She is dismissed below.
    const [ana, eva] = [agents[0], await inboxAgent(world, tenant)]
    const tickets = [await ticketOf(tenant, ana, person(1)), await ticketOf(tenant, ana, person(2))] as const
    const comeDue = async () => {
      await turnClock(database, tenant, 'scheduled_message/', ROW)
      await world.restart()
    }
    const closed = await made(schedule(ana, tickets[1]))
    const gone = await made(schedule(eva, tickets[0], { message: text('From Eva') }))
    await database.execute(`update contact set windows = '{}' where _id = '${closed.chat_user}'`)
    await made(world.operator('PATCH', `users/${eva.id}`, { is_active: false }))
    await comeDue()
    t.match(await becomes(ana, closed, 'failed'), {
      error: { code: 'WINDOW_CLOSED', message: String },
      message_id: null,
    })
    t.match(await becomes(ana, gone, 'failed'), { error: { code: 'AGENT_NOT_ACTIVE' } })

    const path = `channels/${tenant.number.channel_id}`
    const off = await made(schedule(ana, tickets[0]))
    await made(world.operator('PATCH', path, { is_active: false }))
    await comeDue()
    t.match(await becomes(ana, off, 'failed'), { error: { code: 'CHANNEL_NOT_CONNECTED' } })
    await made(world.operator('PATCH', path, { is_active: true }))
    t.same(await bodies(tenant), [], 'nothing was sent')
    t.match(await ana.ask('PATCH', `inbox/scheduled_messages/${off.id}`, { message: text('Later') }), {
      status: 400,
      body: { error: { details: { violations: [{ path: 'send_at', code: 'required' }] } } },
    })

    const { data } = await made(ana.ask('GET', 'notifications'))
    t.match(
      data,
      [off, closed].map(({ id, ticket_id }) => {
        return { type: 'scheduled_message_failed', ticket_id, data: { scheduled_message_id: id, code: String } }
      }),
      'its agent is notified',
    )

    for (const { id } of [off, gone]) {
      const again = await soon((send_at) => ana.ask('PATCH', `inbox/scheduled_messages/${id}`, { send_at }))
      t.match(again, { status: 'scheduled', error: null, created_by: ana.id })
      await becomes(ana, again, 'sent')
    }
    t.same((await bodies(tenant)).toSorted(), ['Did it arrive?', 'From Eva'])
    t.match(await made(ana.ask('DELETE', `inbox/scheduled_messages/${closed.id}`)), { status: 'cancelled' })
  })
})
