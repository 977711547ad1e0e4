/** The knowledge of nodes about each other's watchers: when a node is not sure, watchers read again. */
import t, { type Test } from 'tap'
import { NatsBus } from '../../runtime/broker/bus.ts'
import { Interest } from '../../runtime/live/interest.ts'
import { Live } from '../../runtime/live/live.ts'
import { silentLog } from '../../runtime/mod.ts'
import { type Clock, systemClock } from '../../runtime/time/clock.ts'
import { type TestNats, testNats } from '../support/mod.ts'
import { until } from './support/wait.ts'

/** Returns the live events of a node that believes `members` to exist. */
async function liveOf(t: Test, { connect, prefix, replicas }: TestNats, members: string[], clock: Clock = systemClock) {
  const nats = await connect()
  const node = members[0]!
  const bus = new NatsBus(nats, prefix, clock)
  let looks = 0
  const alive = () => {
    looks++
    return members
  }
  const live = new Live({ nats, prefix, replicas, bus, node, clock, log: silentLog, members: alive, alone: false })
  await live.start()
  t.teardown(() => live.stop())
  return { live, looks: () => looks }
}

async function watch(t: Test, live: Live, channel: string) {
  let missed = 0
  const feed = await live.open(channel, { received() {}, missed: () => void missed++ })
  t.teardown(() => feed.close())
  return () => missed
}

t.test('L3 when a node comes, for the first time or again, watchers read again', async (t) => {
  const members = ['a']
  const { live, looks } = await liveOf(t, await testNats(t), members)
  const missed = await watch(t, live, 'c')
  await until(() => looks() > 3)
  t.equal(missed(), 0)
  members.push('b')
  await until(() => missed() > 0)
  t.pass('told to read again')
})

t.test('L3 when a node does not confirm that it knows of a watcher, all watchers read again', async (t) => {
  const nats = await testNats(t)
  const { live } = await liveOf(t, nats, ['a'])
  const missed = await watch(t, live, 'c')
  const other = await liveOf(t, nats, ['b', 'silent'])
  await until(() => missed() > 0)
  const before = missed()
  await watch(t, other.live, 'd')
  await until(() => missed() > before)
  t.pass('told to read again')
})

t.test('L3 during a fault, watchers read again every few seconds, and once more at its end', async (t) => {
  const timers: { at: number; callback: () => void }[] = []
  let now = 1_000_000_000
  const after = (ms: number, callback: () => void) => {
    timers.push({ at: now + ms, callback })
    return () => {}
  }
  const pass = (ms: number) => {
    now += ms
    for (const timer of timers.splice(0)) timer.at <= now ? timer.callback() : timers.push(timer)
  }
  const { live } = await liveOf(t, await testNats(t), ['a'], { ...systemClock, now: () => now, after })
  for (let ms = 0; ms < 10_000; ms += 100) {
    live.resync()
    pass(100)
  }
  const { resyncs } = live.stats
  t.ok(resyncs > 1 && resyncs < 6, `${resyncs} times in ten seconds`)
  pass(10_000)
  t.equal(live.stats.resyncs, resyncs + 1)
  pass(10_000)
  t.equal(live.stats.resyncs, resyncs + 1)
})

t.test('W1 a node that reports a loss after it forgot the watchers publishes for them', async (t) => {
  const nats = await testNats(t)
  const { live } = await liveOf(t, nats, ['a'])
  const missed = await watch(t, live, 'c')
  let late_ms = 0
  const other = await liveOf(t, nats, ['b'], { ...systemClock, now: () => Date.now() + late_ms })
  await until(() => missed() === 0 && other.live.isWatched('c'))
  late_ms = 60_000
  t.notOk(other.live.isWatched('c'))
  other.live.resync()
  await until(() => missed() > 0)
  t.ok(other.live.isWatched('c'))
})

t.test('W1 a node without an answer from every other node asks again the next time', async (t) => {
  const { connect, prefix } = await testNats(t)
  const options = { node: 'a', clock: systemClock, others: () => ['silent'], alone: false }
  const interest = new Interest(await connect(), prefix, options)
  interest.start()
  t.teardown(() => interest.stop())
  t.equal(await interest.begin('c'), false)
  interest.end('c')
  t.equal(await interest.begin('c'), false)
})

t.test('W1 a message that is no event leaves the node listening', async (t) => {
  const nats = await testNats(t)
  const { live } = await liveOf(t, nats, ['a'])
  const stranger = await nats.connect()
  for (const text of ['', '{', '{}', 'null']) stranger.publish(`${nats.prefix}.watched`, text)
  await stranger.flush()
  await watch(t, live, 'c')
  t.pass('the broker still answers')
})
