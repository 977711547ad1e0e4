/**
 * Nodes of earlier versions, with a stream for each partition, run beside present nodes while a cluster is upgraded.
 */
import { DeliverPolicy, DiscardPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream'
import t from 'tap'
import { silentLog } from '../../runtime/log.ts'
import { JetStreamTransport } from '../../runtime/messages/jetstream_transport.ts'
import { STREAMS } from '../../runtime/messages/transport_streams.ts'
import { type Owner, testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const PARTITIONS = 4
const link = linkKind()

t.test('the transport works beside the streams of a former version, and frees the space they reserve', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const old = await oldStreams(t, nats)
  const node = await startNode(t, { database, nats }, [link], { partitions: PARTITIONS, transport_only: true })
  const [a, b] = [link.address('a'), link.address('b')]
  await Promise.all(upTo(50).map(() => node.ask(a, { type: 'next', path: [b] })))
  await until(async () => (await node.ask(b, { type: 'seen' }))['link/a']?.length === 50)
  t.strictSame(await node.ask(b, { type: 'seen' }), { 'link/a': upTo(50) })
  t.ok(node.stats().transport.received > 0, 'by the transport')
  await until(async () => (await old.reserved()) === 0)
  old.publish('a node of the former version still reads its stream')
  await until(() => old.read.length > 0)
})

t.test('a cluster of any size has the same few streams', async (t) => {
  const { connect, prefix } = await testNats(t)
  const connection = await connect()
  const transport = new JetStreamTransport(connection, { prefix, replicas: 1, log: silentLog })
  await transport.start()
  await Promise.all(Array.from({ length: 300 }, (_, partition) => transport.reopen(partition, () => {})))
  const manager = await jetstreamManager(connection)
  const streams = await until(async () => {
    const found = (await manager.streams.list(`${prefix}.>`).next()).map(({ config, state }) => ({ config, state }))
    return found.reduce((sum, { state }) => sum + state.consumer_count, 0) === 300 && found
  })
  t.equal(streams.length, STREAMS)
  t.ok(streams.reduce((sum, { config }) => sum + config.max_bytes, 0) <= 1024 ** 3)
  await transport.stop()
  await until(async () => {
    const found = await manager.streams.list(`${prefix}.>`).next()
    return found.every(({ state }) => state.consumer_count === 0)
  })
})

/** Makes the streams of a node of the former version, with its reader on partition 0. */
async function oldStreams(t: Owner, { connect, prefix }: Awaited<ReturnType<typeof testNats>>) {
  const connection = await connect()
  const manager = await jetstreamManager(connection)
  const names = Array.from({ length: PARTITIONS }, (_, partition) => `${prefix}-log-${partition}`)
  for (const [partition, name] of names.entries()) {
    await manager.streams.add({
      name,
      subjects: [`${prefix}.log.${partition}`],
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_age: 600 * 1e9,
      max_bytes: 16 * 1024 * 1024,
    })
  }
  const read: string[] = []
  const consumer = await jetstream(connection).consumers.getPushConsumer(names[0]!, {
    deliver_policy: DeliverPolicy.New,
  })
  const messages = await consumer.consume({ callback: (message) => void read.push(message.string()) })
  t.teardown(async () => void (await messages.close()))
  return {
    read,
    publish: (text: string) => connection.publish(`${prefix}.log.0`, text),
    async reserved() {
      const infos = await Promise.all(names.map((name) => manager.streams.info(name)))
      return infos.reduce((sum, { config }) => sum + Math.max(0, config.max_bytes), 0)
    },
  }
}
