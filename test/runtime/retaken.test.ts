/** A partition that a node lost and took again belongs to the node, whatever the node had read before. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import type { Database, Sql } from '../../storage/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { textOf } from '../support/text_of.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const SLOW_MS = 2500

const counter = defineActor<{ add: { message: object; reply: number } }, { count: number }>({
  kind: 'counter',
  create: () => ({ count: 0 }),
  receive: {
    add(turn) {
      turn.state.count++
      turn.save()
      return turn.state.count
    },
  },
})

/** Opens a database that answers questions about epochs only a while after it has looked. */
function slowAboutEpochs(database: Database): Database {
  return {
    ...database,
    async execute<Row>(statement: Sql | string, params?: readonly unknown[]) {
      const rows = await database.execute<Row>(statement as string, params)
      if (/^select id, owner, epoch::text from partition/.test(textOf(statement))) await pause(SLOW_MS)
      return rows
    },
  }
}

t.test('a partition taken again while the epochs were read is kept', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const options = { database: slowAboutEpochs(database), nats }
  const node = await startNode(t, options, [counter], { partitions: 1, cluster: { alone: true } })
  const epoch = async () => Number((await database.execute('select epoch::text from partition'))[0]!.epoch)
  t.equal(await node.ask(counter.address('a'), { type: 'add' }), 1)
  const first = await epoch()
  // Another node had the partition in between.
  await database.execute('update partition set owner = null, epoch = epoch + 1')
  t.equal(await node.ask(counter.address('a'), { type: 'add' }), 2, 'the ask waits for the next owner')
  await until(async () => (await epoch()) > first + 1)
  const second = await epoch()
  await pause(SLOW_MS + 1500)
  t.equal(await epoch(), second, 'it was taken once')
  t.equal(await node.ask(counter.address('a'), { type: 'add' }), 3)
})

t.test('a node notices an idle partition that it lost unannounced, and takes it again', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  await startNode(t, { database, nats }, [counter], { partitions: 2, cluster: { alone: true } })
  const epochs = async () =>
    (await database.execute('select epoch::int from partition order by id')).map((row) => row.epoch)
  const [first, other] = await epochs()
  // Another node took the partition while this one stood still, and gave it back because this node is due for it.
  await database.execute('update partition set owner = null, epoch = epoch + 1 where id = 0')
  await until(async () => Number((await epochs())[0]) > Number(first) + 1)
  t.equal((await epochs())[1], other)
})
