/** An operator changes the row of a channel, and the node that does so may die before it tells the channel. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startChannel } from './channel_node.ts'

const nothing = () => ({ sent: 'provider 1' })
const disconnect = "update channel set status = 'disconnected', status_reason = 'It refuses the token.'"
const HOUR = "date_trunc('second', now()) - interval '1 hour'"

type World = Pick<Awaited<ReturnType<typeof startChannel>>, 'query' | 'ended'>

/** The statuses that the project was told of, once it has got all messages. */
async function toldIn({ query, ended }: World): Promise<string[]> {
  await until(async () => (await query('select 1 as one from outbox')).length === 0, 30_000)
  return (await ended()).statuses!
}

t.test('a status is published though the node that stored it never told the channel', async (t) => {
  const world = await startChannel(t, nothing)
  const { ask, query, ended, restart, project_id, channel_id } = world
  t.equal(await ask({ type: 'refresh', announces: { project_id } } as never), true)
  await restart(async () => {
    await query(disconnect)
    await query(`update timer set due_at = ${HOUR} where name = 'refresh'`)
  })
  await until(async () => (await ended()).statuses!.length > 0, 30_000)
  await until(async () => (await ended()).refreshed!.length > 0, 30_000)
  t.match(await ended(), { statuses: ['disconnected'], refreshed: [channel_id] })
  t.same(await query(`select name from timer where name = 'refresh'`), [], 'the announcement is over')
  await ask({ type: 'refresh', is_announced: true, was: 'connected' } as never)
  t.same(await toldIn(world), ['disconnected'])
})

t.test('a status is published once, though its channel is told of it again after it left memory', async (t) => {
  const world = await startChannel(t, nothing)
  const { ask, query, restart, project_id } = world
  const told = { type: 'refresh', is_announced: true, was: 'connected' }
  await ask({ type: 'refresh', announces: { project_id } } as never)
  await query(disconnect)
  await restart()
  await ask(told)
  t.same(await toldIn(world), ['disconnected'], 'the state was loaded after the change')
  await restart()
  await ask(told)
  t.same(await toldIn(world), ['disconnected'])
})

t.test('a new channel is published once', async (t) => {
  const world = await startChannel(t, nothing)
  const { ask, query, restart, project_id } = world
  await query('create table kept as select * from channel')
  await query('delete from channel')
  await ask({ type: 'refresh', announces: { project_id } } as never)
  await query('insert into channel select * from kept')
  const told = { type: 'refresh', is_announced: true, is_new: true }
  await ask(told)
  t.same(await toldIn(world), ['connected'])
  await restart()
  await ask(told)
  t.same(await toldIn(world), ['connected'])
})

t.test('what the channel publishes itself during the change is not published again', async (t) => {
  const world = await startChannel(t, nothing)
  const { ask, query, restart, project_id } = world
  await ask({ type: 'refresh', announces: { project_id } } as never)
  await ask({ type: 'account', status: 'disconnected', reason: 'The account is disabled.' } as never)
  await restart(() => query("update channel set status_reason = 'It refuses the token.'"))
  await ask({ type: 'refresh', is_announced: true, was: 'connected' } as never)
  t.same(await toldIn(world), ['disconnected'])
})

t.test('a row that was read before its channel changed it does not undo the change', async (t) => {
  const world = await startChannel(t, nothing)
  const { ask, send, hold, commits, ended, channel } = world
  await send('ana', 'So that the channel is in memory')
  await until(async () => (await ended()).accepted!.length === 1)
  const release = hold()
  const before = commits.length
  const busy = send('ben', 'Hello')
  await until(() => commits.length > before)
  const changed = ask({ type: 'account', status: 'disconnected', reason: 'The account is disabled.' } as never)
  const refreshed = ask({ type: 'refresh' })
  release()
  await Promise.all([busy, changed, refreshed])
  await until(async () => (await ended()).accepted!.length === 2)
  t.equal((await toldIn(world)).at(-1), (await channel())!.status, 'subscribers know what is stored')
})
