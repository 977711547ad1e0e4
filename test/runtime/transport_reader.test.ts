import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import t from 'tap'
import { silentLog } from '../../runtime/log.ts'
import { type Batch, JetStreamTransport } from '../../runtime/messages/jetstream_transport.ts'
import { natsOptions } from '../../runtime/servers/nats_options.ts'
import { type Owner, testNats } from '../support/mod.ts'
import { type Line, proxied } from './support/proxy.ts'
import { until } from './support/wait.ts'

t.test('a takeover does not wait for a broker that does not answer, and the reader comes later', async (t) => {
  const { nats, transport, hold } = await slowTransport(t)
  const heard: Batch[] = []
  const release = hold()
  await transport.reopen(0, (batch) => heard.push(batch))
  release()
  await until(async () => {
    nats.publish()
    return heard.length > 0
  })
  t.match(heard[0], { source: 1, first: 1, messages: [{ address: 'link/a' }] })
})

t.test('a partition that was given up before its reader stood is not read, and the broker forgets it', async (t) => {
  const { nats, transport, hold } = await slowTransport(t)
  await transport.reopen(0, () => {})
  t.equal(await nats.readers(), 1)
  const release = hold()
  await transport.reopen(0, () => t.fail('it was given up'))
  await transport.close(0)
  release()
  await until(async () => {
    nats.publish()
    return (await nats.readers()) === 0
  })
  t.equal(transport.stats.received, 0)
})

t.test('the messages of a partition that comes back before its reader stood reach its present owner', async (t) => {
  const { nats, transport, hold } = await slowTransport(t)
  const release = hold()
  const heard: string[] = []
  await transport.reopen(0, () => heard.push('before'))
  await transport.close(0)
  await transport.reopen(0, () => heard.push('now'))
  release()
  await until(async () => {
    nats.publish()
    return heard.length > 0
  })
  t.same([...new Set(heard)], ['now'])
})

/** Makes a transport whose questions to the broker can be held up, and shows the broker as others see it. */
async function slowTransport(t: Owner) {
  const { url, prefix, connect: connectDirectly } = await testNats(t)
  let held: { piece: Buffer; line: Line }[] | undefined
  const slow = await proxied(t, url, {
    toServer: (piece, line) => void (held ? held.push({ piece, line }) : line.server.write(piece)),
  })
  const connection = await connect(natsOptions(slow))
  const transport = new JetStreamTransport(connection, { prefix, replicas: 1, log: silentLog })
  await transport.start()
  t.teardown(async () => {
    await transport.stop()
    await connection.close()
  })
  const direct = await connectDirectly()
  const manager = await jetstreamManager(direct)
  const stream = `${prefix}-transport-0`
  return {
    transport,
    hold() {
      held = []
      return () => {
        for (const { piece, line } of held ?? []) line.server.write(piece)
        held = undefined
      }
    },
    nats: {
      publish: () =>
        direct.publish(`${prefix}.transport.0.0`, '{"s":1,"f":1,"m":[{"a":"link/a","f":null,"m":{"type":"x"}}]}'),
      readers: async () => (await manager.streams.info(stream)).state.consumer_count,
    },
  }
}
