import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { keyIn } from './support/key_in.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

/** A partition with more waiting messages than this is full. */
const FULL = 100_000
const PARTITIONS = 3

const sender = defineActor<{ looks: { message: { at: string }; reply: boolean } }, null>({
  kind: 'sender',
  create: () => null,
  receive: { looks: (turn, { at }) => turn.isFull(at) },
})

const address = (partition: number, name = 'held') => sender.address(keyIn('sender', name, partition, PARTITIONS))

t.test('full is who has too many messages waiting, alone or together with many others', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  // Messages of a type that this version does not know are held.
  const told = (partition: number, to: string, numbers: string) =>
    database.execute(`insert into outbox (partition, source, number, address, message)
      select ${partition}, 1, n, ${to}, '{"type":"of tomorrow"}' from ${numbers} as n`)
  await told(0, `'${address(0)}'`, `unnest('{1,${2 * FULL}}'::int[])`)
  await told(1, `'${address(1)}'`, `generate_series(1, ${FULL + 1})`)
  const many = Array.from({ length: 10 }, (_, n) => `'${address(2, `many${n}`)}'`)
  await told(2, `(array[${many}])[1 + n % 10]`, `generate_series(1, ${FULL + 1})`)
  const node = await startNode(t, { database, nats }, [sender], { partitions: PARTITIONS, inbox_limit: 500 })
  const looks = (at: string) => node.ask(sender.address('a'), { type: 'looks', at })
  await until(() => looks(address(1)))
  t.notOk(await looks(address(1, 'neighbour')), 'one receiver that is blocked stops no other of its partition')
  t.notOk(await looks(address(0)), 'the same look found two rows there')
  await until(() => looks(address(2, 'neighbour')))
  t.ok(await looks(address(2)), 'many receivers fill a partition together')
})
