/** Turns whose commit is prevented do not hold up the other turns. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const counter = defineActor<{ add: { message: object; reply: number } }, { n: number }>({
  kind: 'counter',
  create: () => ({ n: 0 }),
  receive: {
    add(turn) {
      turn.state.n++
      turn.save()
      return turn.state.n
    },
  },
})

t.test('I5 a locked row stops the actor that needs it, and nobody else', async (t) => {
  const { database, url } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const node = await startNode(t, { database, nats }, [counter])
  const add = (key: string) => node.ask(counter.address(key), { type: 'add' }, { deadline_ms: 60_000 })
  t.equal(await add('held'), 1)
  await add('free')
  const { openDatabase } = await import('../../storage/mod.ts')
  const other = await openDatabase({ url, pool_size: 4 })
  t.teardown(() => other.close())
  let waiting: Promise<number> | undefined
  await other.em().transactional(async (em) => {
    await em.execute(`select 1 from actor_state where address = 'counter/held' for update`)
    waiting = add('held')
    // These turns are first committed together with the held one, then beside it.
    const beside = await Promise.all(Array.from({ length: 20 }, (_, n) => add(`k${n}`)))
    t.strictSame(new Set(beside), new Set([1]))
    for (let n = 2; n < 40; n++) t.equal(await add('free'), n)
    t.ok(node.stats().scheduler.blocked > 0)
  })
  t.equal(await waiting, 2, 'it is done when the row is free')
  t.equal(await add('held'), 3)
})

t.test(
  'I12 messages that meet a column that is missing for a while are held in order, and none is parked',
  async (t) => {
    const { database } = await testDatabase(t)
    const nats = await testNats(t)
    const link = linkKind()
    const node = await startNode(t, { database, nats }, [link])
    const next = () => node.ask(link.address('a'), { type: 'next', path: [link.address('b')] })
    await next()
    await database.execute('alter table actor_state rename column state to state_of_tomorrow')
    const refused = await next().catch((error) => error)
    t.match(refused.message, /cannot do this right now/)
    await pause(1000)
    await database.execute('alter table actor_state rename column state_of_tomorrow to state')
    for (let n = 0; n < 5; n++) await next()
    const seen = () => node.ask(link.address('b'), { type: 'seen' })
    await until(async () => (await seen())['link/a']?.length === 6)
    t.strictSame(await seen(), { 'link/a': upTo(6) })
    t.strictSame(await database.execute('select * from dead_letter'), [])
  },
)

t.test('a lane that is stuck shows in the readiness', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  let stuck = false
  const commit: typeof database.commit = async (...args) => {
    while (stuck) await pause(20)
    return database.commit(...args)
  }
  const node = await startNode(t, { database: { ...database, commit }, nats }, [counter])
  t.equal((await node.readiness()).checks.lane, 'ok')
  stuck = true
  const waiting = node.ask(counter.address('a'), { type: 'add' }, { deadline_ms: 60_000 })
  await until(async () => !(await node.readiness()).ok)
  t.match((await node.readiness()).checks.lane, /a commit has been waiting for \d+ s/)
  stuck = false
  await waiting
  t.equal((await node.readiness()).checks.lane, 'ok')
})
