/** The cluster of nats-servers for tests comes up although a port is taken between its choice and the start. */
import { createServer } from 'node:net'
import t from 'tap'
import { Guardian } from '../../runtime/servers/guardian.ts'
import { tempDir } from '../support/mod.ts'
import { freePorts, prepareNatsCluster } from '../support/nats_cluster.ts'

t.test('a cluster that does not form takes other ports', async (t) => {
  const guardian = new Guardian()
  const taken = createServer((socket) => socket.destroy())
  let choices = 0
  const choosePorts = async (count: number) => {
    const ports = await freePorts(count)
    if (choices++ === 0) await new Promise<void>((resolve) => taken.listen(ports.at(-1), '127.0.0.1', resolve))
    return ports
  }
  const cluster = await prepareNatsCluster(tempDir(t), 3, guardian, { choosePorts, patience_ms: 5000 })
  t.teardown(async () => {
    await cluster.kill()
    await guardian.close()
    taken.close()
  })
  const before = cluster.url
  await cluster.start()
  t.ok(choices > 1)
  t.not(cluster.url, before)
  t.equal(new Set(cluster.members.map(({ url }) => url)).size, 3)
})
