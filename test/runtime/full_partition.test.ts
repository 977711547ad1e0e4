import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { keyIn } from './support/key_in.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

/** A partition with more waiting messages than this is full. */
const FULL = 100_000

const sender = defineActor<{ looks: { message: { at: string }; reply: boolean } }, null>({
  kind: 'sender',
  create: () => null,
  receive: { looks: (turn, { at }) => turn.isFull(at) },
})

t.test('a partition is full when too many messages wait, not when a few are far apart', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const address = (partition: number) => sender.address(keyIn('sender', 'held', partition, 2))
  // Messages of a type that this version does not know are held.
  const told = (partition: number, numbers: string) =>
    database.execute(`insert into outbox (partition, source, number, address, message)
      select ${partition}, 1, n, '${address(partition)}', '{"type":"of tomorrow"}' from ${numbers} as n`)
  await told(0, `unnest('{1,${2 * FULL}}'::int[])`)
  await told(1, `generate_series(1, ${FULL + 1})`)
  const node = await startNode(t, { database, nats }, [sender], { partitions: 2, inbox_limit: 500 })
  const looks = (partition: number) => node.ask(sender.address('a'), { type: 'looks', at: address(partition) })
  await until(() => looks(1))
  t.notOk(await looks(0), 'the same look found two rows there')
})
