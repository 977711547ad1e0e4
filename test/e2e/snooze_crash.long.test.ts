/** Snoozed tickets are kept over kill -9. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { inboxAgent, inMs, ticketOf, turnClock } from './inbox_client.ts'
import { startKillable } from './killable.ts'

const HOUR_MS = 3_600_000
const person = (n: number) => `+1555019600${n}`

t.test('kill -9: what is snoozed stays so, and what is due comes back', async (t) => {
  const world = await startKillable(t)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const [due, kept] = [await makeTenant(world), await makeTenant(world)]
  const [ana, eva] = [await inboxAgent(world, due), await inboxAgent(world, kept)]
  const [first, second] = [await ticketOf(due, ana, person(1)), await ticketOf(kept, eva, person(2))]
  await made(ana.ask('POST', `inbox/tickets/${first}/snooze`, { until: inMs(HOUR_MS) }))
  await made(eva.ask('POST', `inbox/tickets/${second}/snooze`, { until: inMs(HOUR_MS) }))
  await world.process().end('SIGKILL')
  await turnClock(database, due, 'snooze/', ['inbox_entry', 'snoozed_until'])
  // As when the clock is set back after a timer fired: one fires before its ticket is due.
  await database.execute(`update timer set due_at = date_trunc('milliseconds', now()) where name = 'snooze/${second}'`)
  await world.start()
  await eventually('the first is back', async () => (await ana.list()).length === 1)
  t.match(await eva.list('?is_snoozed=true'), [{ ticket_id: second }])
  await eventually('the timer of the second is set again', async () => {
    const rows = await database.execute(`select from timer where name = 'snooze/${second}' and due_at > now()`)
    return rows.length === 1
  })
})
