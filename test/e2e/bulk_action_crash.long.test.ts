/** A node is killed in the middle of bulk actions. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { actionWhen, askerOf, countOf, isOver, storeTickets, wrongCounts } from './bulk_client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const TICKETS = 1200
const KILLS = 2

// Processes start slowly on a busy machine.

t.test('kill -9 in the middle of two actions: each ticket is changed once by each, and all is counted', async (t) => {
  const world = await startKillable(t)
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const tenant = await makeTenant(world)
  const agent = await makeAgent(world, tenant)
  const { cookie } = await signIn(world, agent)
  const ask = askerOf(world.http, world.base_url, cookie, tenant)
  await storeTickets(database, tenant, TICKETS, { priority: `case when n % 2 = 0 then 'low' end` })
  const all = await made(
    ask('POST', 'bulk_actions', { filter: {}, action: { type: 'assign', assigned_to: agent._id } }),
  )
  const action = { type: 'prioritize', priority: 'urgent' }
  const half = await made(ask('POST', 'bulk_actions', { filter: { priority: 'low' }, action }))
  t.same([all.total, half.total], [TICKETS, TICKETS / 2])
  for (let kills = 1; kills <= KILLS; kills++) {
    const least = (TICKETS * (2 * kills - 1)) / (2 * KILLS + 2)
    await actionWhen(ask, all.id, `has done ${least}`, ({ done_count }) => done_count >= least)
    await world.process().end('SIGKILL')
    const [row] = await database.execute<{ done_count: number; changes: number }>(
      `select done_count, (select count(*)::int from crm_event where event_type = 'ticket.assigned') as changes
        from bulk_action where id = '${all.id}'`,
    )
    t.equal(row!.changes, row!.done_count, `after ${row!.done_count} tickets`)
    await world.start()
  }
  const [assigned, prioritized] = [
    await actionWhen(ask, all.id, 'is over', isOver),
    await actionWhen(ask, half.id, 'is over', isOver),
  ]
  t.match(assigned, { status: 'completed', changed_count: TICKETS, refused_count: 0 })
  t.match(prioritized, { status: 'completed', changed_count: TICKETS / 2, refused_count: 0 })
  t.same(
    await wrongCounts(database, assigned, await countOf(database, `crm_event where event_type = 'ticket.assigned'`)),
    [],
  )
  t.same(await wrongCounts(database, prioritized, await countOf(database, `ticket where priority = 'urgent'`)), [])
  t.equal(await countOf(database, `ticket where version <> case when priority = 'urgent' then 3 else 2 end`), 0)
  t.equal(await countOf(database, 'bulk_action_slice'), 0)
})
