/**
 * A promoted standby that lacks the last commits: the node no longer says or writes anything that it only remembers.
 */
import t from 'tap'
import { defineActor, Unavailable } from '../../runtime/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { postgresPair, TEST_SECRET, testNats } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const counter = defineActor<
  { add: { message: object; reply: number }; count: { message: object; reply: number } },
  { n: number }
>({
  kind: 'counter',
  create: () => ({ n: 0 }),
  peek: { count: ({ state }) => state.n },
  receive: {
    add(turn) {
      turn.state.n++
      turn.save()
      return turn.state.n
    },
    count: (turn) => turn.state.n,
  },
})

t.test('a node goes on from what the promoted standby has', async (t) => {
  const pair = await postgresPair(t)
  const nats = await testNats(t)
  const database = await openDatabase({ url: pair.url, secret: TEST_SECRET })
  t.teardown(() => database.close())
  const node = await startNode(t, { database, nats }, [counter], { partitions: 4, cluster: {} })
  const keys = Array.from({ length: 8 }, (_, n) => counter.address(`k${n}`))
  const add = (key: (typeof keys)[number]) => node.ask(key, { type: 'add' }, { deadline_ms: 60_000 })
  for (const key of keys) t.equal(await add(key), 1)
  await pair.caughtUp()
  await pair.cutReplication()
  for (const key of keys) t.equal(await add(key), 2)
  await pair.primary.kill()
  const asked = Promise.allSettled(keys.map(add))
  await until(async () => !(await node.readiness()).ok)
  await pair.promote()
  // An answer on its way when the connection broke may be told as in doubt.
  const replies = await asked
  for (const reply of replies) {
    if (reply.status === 'fulfilled') t.equal(reply.value, 2, 'the second was lost, so this is the second')
    else t.match(reply.reason, Unavailable)
  }
  const counts = await Promise.all(keys.map((key) => node.ask(key, { type: 'count' }, { deadline_ms: 60_000 })))
  const stored = await pair.standby.execute('select address, state from actor_state')
  const states = new Map(stored.map(({ address, state }) => [address, (state as { n: number }).n]))
  t.same(
    counts,
    keys.map((key) => states.get(key)),
    'what is remembered is what is stored',
  )
  for (const [at, reply] of replies.entries()) t.equal(counts[at], reply.status === 'fulfilled' ? 2 : 1)
})
