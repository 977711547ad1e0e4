/** Reminders of appointments are kept over kill -9. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { appointmentsOf, dueIn, HOUR_MS, LATER_MS } from './reminder_client.ts'

const world = await startKillable(t, {
  // On a busy machine the status callbacks of a killed node take seconds to arrive again.
  waits: { confirm_ms: 15_000, send_ms: 2000 },
  simulator: { latency_ms: 5 },
})
const { operator } = world
const tenant = await makeTenant(world)
const { project_id } = tenant
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const { book, change, read, becomes, sentTo } = appointmentsOf(world, tenant)

t.test('kill -9 among reminders loses and doubles none', async (t) => {
  // Over eight seconds, so that the kill is among them however long the bookings take.
  const rows = await Promise.all(Array.from({ length: 40 }, (_, n) => book(LATER_MS + n * 200)))
  const [gone, kept] = [rows.splice(0, 1)[0]!, rows.splice(0, 1)[0]!]
  await made(operator('POST', `appointments/${gone.id}/cancel`))
  await change(kept.id, { starts_at: dueIn(HOUR_MS).starts_at })
  const people = new Set(rows.map(({ user_id }) => user_id))
  const sent = async () => (await tenant.sent()).filter(({ recipient }) => people.has(recipient))
  await eventually('the first ones are sent', async () => (await sent()).length > 3)
  await world.process().end('SIGKILL')
  const before = (await sent()).length
  t.ok(before < rows.length, `killed after ${before}`)
  // As when the clock is set back after a timer fired: one fires before its reminder is due.
  const timer = [`project/${project_id}`, `appointment_reminder/${kept.id}`]
  const [{ due_at } = {} as Json] = await database.execute<Json>(
    `update timer x set due_at = date_trunc('milliseconds', now()) from timer before
     where x.address = ? and x.name = ? and before.address = x.address and before.name = x.name returning before.due_at`,
    timer,
  )
  await world.start()
  for (const { id } of rows) {
    const { reminder } = await becomes(id, 'sent')
    await tenant.message(reminder.message_id, 'read')
  }
  t.same((await sent()).map(({ recipient }) => recipient).toSorted(), [...people].toSorted(), 'each person got one')
  t.same(await sentTo(gone.user_id), [])
  t.same(await sentTo(kept.user_id), [])
  t.match((await read(kept.id)).reminder, { status: 'scheduled' })
  t.same(await database.execute('select due_at from timer where address = ? and name = ?', timer), [{ due_at }])
})
