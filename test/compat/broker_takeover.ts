/** A machine with a node and one of three NATS servers dies; NATS has no majority; streams get more copies. */
import t, { type Test } from 'tap'
import { linkKind } from '../runtime/support/links.ts'
import { proxied } from '../runtime/support/proxy.ts'
import { startNode } from '../runtime/support/start_node.ts'
import { until } from '../runtime/support/wait.ts'
import { testDatabase } from '../support/mod.ts'
import { natsOfThree } from './nats_of_three.ts'
import { report } from './report.ts'

const PARTITIONS = 12

t.test('a node and a NATS server die together: the others take over as fast as when a node dies alone', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 8 })
  const nats = await natsOfThree(t)
  const link = linkKind()
  const [first, second, third] = nats.members.map(({ url }) => url)
  const start = (url: string) =>
    startNode(t, { database, nats: { ...nats, url } }, [link], { partitions: PARTITIONS, cluster: {} })
  const living = [await start(`${first},${second}`), await start(`${second},${first}`)]
  // Without its server, no other node hears the node: for them it is as dead as the server.
  const dying = await start(third!)
  const shares = () => [...living, dying].map((node) => node.stats().partitions)
  await until(() => shares().every((share) => share === PARTITIONS / 3), 60_000)
  const owners = await database.execute<{ owner: string }>('select owner from partition order by id')
  const lost = owners.flatMap(({ owner }, id) => (owner === dying.id ? [id] : []))
  const keys = lost.map((partition) => keyIn(partition))

  await nats.members[2]!.server.kill()
  const killed = performance.now()
  const asks = keys.flatMap((key) =>
    living.map(async (node) => {
      // Messages that arrive are applied although the stream of their partition may have no leader.
      await node.ask(link.address(key), { type: 'next', path: [link.address(`${key}x`)] }, { deadline_ms: 30_000 })
      return (performance.now() - killed) / 1000
    }),
  )
  const took = await Promise.all(asks)
  report(t, `a node and a NATS server die together: everything is answered after ${Math.max(...took).toFixed(1)} s`)
  t.ok(Math.max(...took) < 15)
  for (const key of keys) {
    const target = link.address(`${key}x`)
    await until(async () => (await living[0]!.ask(target, { type: 'seen' }))[`link/${key}`]?.length === 2, 60_000)
  }

  function keyIn(partition: number): string {
    for (let i = 0; ; i++) if (living[0]!.partitionOf(link.address(`k${i}`)) === partition) return `k${i}`
  }
})

t.test('with one of three NATS servers left a node starts, answers and passes messages on', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await natsOfThree(t)
  const link = linkKind()
  for (const { server } of nats.members.slice(1)) await server.kill()
  const node = await startNode(t, { database, nats }, [link], { transport_only: true })
  await node.ask(link.address('a'), { type: 'next', path: [link.address('b')] })
  await until(async () => (await node.ask(link.address('b'), { type: 'seen' }))['link/a']?.length === 1)
  await nats.start()
  await until(async () => {
    await node.ask(link.address('a'), { type: 'next', path: [link.address('b')] })
    return node.stats().transport.received > 0
  }, 60_000)
  t.pass('the transport carries once JetStream has a leader')
})

t.test('a node leaves a server that falls silent, and connects to another one', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await natsOfThree(t)
  const link = linkKind()
  const proxies = await Promise.all(nats.members.slice(0, 2).map(({ url }) => silenceable(t, url)))
  const through = { ...nats, url: proxies.map(({ url }) => url).join() }
  const node = await startNode(t, { database, nats: through }, [link], { cluster: {}, transport_only: true })
  const carries = async () => {
    const { received } = node.stats().transport
    await until(async () => {
      await node.ask(link.address('a'), { type: 'next', path: [link.address('b')] })
      return node.stats().transport.received > received
    }, 60_000)
  }
  await carries()
  for (const proxy of proxies) proxy.silenceIfUsed()
  const began = performance.now()
  await carries()
  const seconds = (performance.now() - began) / 1000
  report(t, `a server falls silent: the transport carries over another after ${seconds.toFixed(1)} s`)
  t.ok(seconds < 40)
})

t.test('existing streams get more replicas when the setting is raised', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await natsOfThree(t)
  const link = linkKind()
  const before = await startNode(t, { database, nats: { ...nats, replicas: 1 } }, [link], { partitions: 1 })
  t.equal(await nats.copies(0), 1)
  await before.stop()
  await startNode(t, { database, nats }, [link], { partitions: 1 })
  t.equal(await nats.copies(0), 3)
})

/** A proxy to a server that can stop to carry anything, and still takes connections. */
async function silenceable(t: Test, server_url: string) {
  let used = false
  let silent = false
  const url = await proxied(t, server_url, {
    toServer(piece, line) {
      used = true
      if (!silent) line.server.write(piece)
    },
    toClient: (piece, line) => !silent && line.client.write(piece),
  })
  return {
    url,
    silenceIfUsed() {
      silent = used
    },
  }
}
