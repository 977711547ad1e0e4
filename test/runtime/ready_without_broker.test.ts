/** A broker that is away from all nodes does not make an outage of the whole; one that is away from a node alone moves its work. */
import t from 'tap'
import { type Owner, testDatabase, testNats } from '../support/mod.ts'
import { linkKind } from './support/links.ts'
import { type Line, proxied } from './support/proxy.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

/** A way to the broker that can be cut. */
async function severable(t: Owner, broker: string) {
  const lines = new Set<Line>()
  let is_cut = false
  const pass = (to: keyof Line) => (piece: Buffer, line: Line) => {
    lines.add(line)
    if (is_cut) line.client.destroy()
    else line[to].write(piece)
  }
  const url = await proxied(t, broker, { toServer: pass('server'), toClient: pass('client') })
  return {
    url,
    cut() {
      is_cut = true
      for (const { client } of lines) client.destroy()
    },
    mend() {
      is_cut = false
    },
  }
}

t.test('a node whose broker is away stays ready as long as no other node is better off', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const [first, second] = await Promise.all([severable(t, nats.url), severable(t, nats.url)])
  const options = { partitions: 4, cluster: {} }
  const start = (url: string) => startNode(t, { database, nats: { ...nats, url } }, [linkKind()], options)
  const one = await start(first.url)
  const two = await start(second.url)
  const isReady = async (node: typeof one) => (await node.readiness()).ok
  await until(async () => (await isReady(one)) && (await isReady(two)))

  first.cut()
  await until(async () => !(await isReady(one)), 60_000)
  t.ok(await isReady(two), 'the other node is better off')

  second.cut()
  await until(async () => (await two.readiness()).checks.broker !== 'ok')
  await until(async () => (await isReady(two)) && (await two.readiness()).warnings.length === 1)
  t.match((await two.readiness()).warnings, [/broker is away/])

  first.mend()
  second.mend()
  await until(async () => (await isReady(one)) && (await isReady(two)))
  // A node is also ready while its broker is away, so the end of the warning is awaited for itself.
  await until(async () => (await two.readiness()).warnings.length === 0)
  t.equal((await two.readiness()).checks.broker, 'ok')
})
