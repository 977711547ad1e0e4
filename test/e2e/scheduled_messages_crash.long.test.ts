/** Messages that agents send later, while nodes stop and die: once, and none is lost. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant, text } from './fixture.ts'
import { inboxAgent, inMs, onTwoNodes, ticketOf, turnClock } from './inbox_client.ts'
import { startKillable } from './killable.ts'
import { becomes, bodies, HOUR_MS, person, ROW, schedule } from './scheduled_client.ts'

t.test('two nodes: the next owner sends what is due, once', async (t) => {
  const { database, tenant, ticket_id, nodes, at, handOver } = await onTwoNodes(t, person(1))
  // Half of the requests come from the node that does not own the project.
  for (let n = 0; n < 4; n++) {
    await made(schedule(at(nodes[n % 2]!), ticket_id, { message: text(`${n}`) }))
  }
  await turnClock(database, tenant, 'scheduled_message/', ROW)
  const there = await handOver()
  const sent = await eventually('all are sent', async () => {
    const { data } = await made(there.ask('GET', 'inbox/scheduled_messages?status=sent'))
    return data.length === 4 && data
  })
  const rows = await database.execute<Json>(`select id from message where direction = 'outbound'`)
  t.same(rows.map(({ id }) => id).toSorted(), sent.map(({ message_id }: Json) => message_id).toSorted())
})

t.test('kill -9 while messages become due: nothing is lost, and nothing is sent twice', async (t) => {
  // On a busy machine the status callbacks of a killed node take seconds to arrive again.
  const world = await startKillable(t, {
    waits: { confirm_ms: 15_000, send_ms: 2000 },
    simulator: { latency_ms: 5 },
  })
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const tenant = await makeTenant(world)
  const ana = await inboxAgent(world, tenant)
  const PEOPLE = 12
  const rows: Json[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const ticket_id = await ticketOf(tenant, ana, person(n))
    rows.push(await made(schedule(ana, ticket_id, { message: text(`${n}`) })))
  }
  const kept = await made(schedule(ana, rows[0]!.ticket_id, { send_at: inMs(100 * HOUR_MS) }))
  await world.process().end('SIGKILL')
  // One after the other, while the node that has just started is at work.
  const when = `date_trunc('milliseconds', now()) + interval '3 seconds' + interval '80 ms' * (message->>'body')::int`
  await database.execute(`update scheduled_message set send_at = ${when} where id <> '${kept.id}'`)
  await database.execute(
    `update timer set due_at = send_at from scheduled_message where name = 'scheduled_message/' || id`,
  )
  await world.start()
  const count = async () => (await database.execute<Json>(`select from message where direction = 'outbound'`)).length
  await eventually('the first ones are sent', async () => (await count()) > 0)
  await world.process().end('SIGKILL')
  t.comment(`killed after ${await count()}`)
  await world.start()
  for (const row of rows) {
    const { message_id } = await becomes(ana, row, 'sent')
    await tenant.message(message_id, 'sent', 'delivered', 'read')
  }
  t.same((await bodies(tenant)).toSorted(), rows.map((_, n) => `${n}`).toSorted(), 'each person got one')
  t.equal((await tenant.sent()).length, PEOPLE, 'and so the provider says')
  t.match((await made(ana.ask('GET', 'inbox/scheduled_messages'))).data, [{ id: kept.id, status: 'scheduled' }])
})
