/**
 * The engine on a NATS of three servers that are killed, wiped and restarted. It measures the delay of messages, and no
 * message is lost.
 */
import t from 'tap'
import { linkKind, upTo } from '../runtime/support/links.ts'
import { startNode } from '../runtime/support/start_node.ts'
import { until } from '../runtime/support/wait.ts'
import { testDatabase } from '../support/mod.ts'
import { natsOfThree } from './nats_of_three.ts'
import { report } from './report.ts'

/** Seconds: two sweeps of the outbox take 2 s; the rest is for a busy machine. */
const LATE_S = 15

t.test('servers die, come back empty and are restarted: messages are late by seconds, none is lost', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await natsOfThree(t)
  const sent: number[] = []
  const took: number[] = []
  const link = linkKind('link', (key, n) => {
    if (key === 'b') took[n] = (performance.now() - sent[n]!) / 1000
  })
  const b = link.address('b')
  // One partition, so that every message goes over the stream whose leader dies, even those that the node could hand
  // over itself.
  const node = await startNode(t, { database, nats }, [link], { partitions: 1, transport_only: true })
  const carried = () => node.stats().transport.received

  /** Sends a message every few milliseconds until `work` is done and the transport carries again. */
  async function during(when: string, work: () => Promise<unknown>): Promise<void> {
    const from = sent.length || 1
    const began = performance.now()
    let going = true
    const load = (async () => {
      while (going) {
        sent[sent.length || 1] = performance.now()
        await node.ask(link.address('a'), { type: 'next', path: [b] })
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    await work()
    const before = carried()
    await until(() => carried() > before + 10, 60_000)
    const seconds = (performance.now() - began) / 1000
    going = false
    await load
    const last = sent.length - 1
    await until(() => took[last] !== undefined, 60_000)
    const latest = Math.max(...took.slice(from))
    report(
      t,
      `${when}: a message is late by ${latest.toFixed(2)} s at most; ${seconds.toFixed(1)} s until the transport carries`,
    )
    t.ok(latest < LATE_S, when)
  }

  await during('all is well', async () => {})
  t.equal(await nats.copies(0), 3, 'a copy on every server')
  const leader = await nats.leader(0)
  await during('the server that leads the stream dies', () => leader.server.kill())
  await during('it comes back', () => nats.start())
  const next = await nats.leader(0)
  await during('the next leader dies and comes back empty', async () => {
    await next.server.kill()
    next.wipe()
    await nats.start()
  })
  await during('all are restarted in turn', () => nats.restartInTurn())
  await during('all die and come back empty', async () => {
    await nats.killAndWipeAll()
    await nats.start()
  })
  t.strictSame(await node.ask(b, { type: 'seen' }), { 'link/a': upTo(sent.length - 1) })
})
