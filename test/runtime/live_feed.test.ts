/** A node's memory of one channel: a returning watcher gets all events since it left, or hears that they are unknown. */
import t from 'tap'
import { Feed } from '../../runtime/live/feed.ts'
import type { Event, LiveStream } from '../../runtime/live/stream.ts'
import type { EventBatch } from '../../runtime/mod.ts'
import { systemClock } from '../../runtime/time/clock.ts'

const event = (seq: number, before: number): Event => ({
  seq,
  before,
  text: JSON.stringify([{ type: 'said', data: seq }]),
})
const numbers = (all: EventBatch[] | undefined) => all?.flatMap(({ events }) => events.map(({ data }) => data))

/** A feed over a stream that is an array. The time stands still unless it is moved. */
function feedOf(last: number) {
  const kept = { events: [] as Event[], first: 1, last, reading: undefined as Promise<void> | undefined }
  const stream = {
    gaps: { reads: 0, shared: 0 },
    async ensure() {
      return { generation: 'g', first: kept.first, last: kept.last }
    },
    async read(_channel: string, seq: number) {
      const events = kept.events.filter((one) => one.seq > seq)
      await kept.reading
      return events
    },
    lastOf: async () => kept.events.at(-1)?.seq ?? 0,
  }
  const time = { now: 1_000_000_000, timers: [] as (() => void)[] }
  const after = (_ms: number, callback: () => void) => {
    time.timers.push(callback)
    return () => {}
  }
  const clock = { ...systemClock, now: () => time.now, after }
  const received: number[] = []
  let missed = 0
  const listener = {
    received: (batch: EventBatch) => void received.push(...(numbers([batch]) as unknown as number[])),
    missed: () => void missed++,
  }
  const stream_generation = { generation: 'g', whole_since: time.now - 60_000 }
  const feed = new Feed('c', stream as unknown as LiveStream, clock, stream_generation, listener, last)
  return {
    feed,
    kept,
    time,
    received,
    missed: () => missed,
    gaps: stream.gaps,
    async position(): Promise<string> {
      let position = ''
      await feed.resume(undefined, (from) => {
        position = from.position
      })
      return position
    },
    async since(after: string) {
      let batches: EventBatch[] | undefined
      await feed.resume(after, (from) => {
        batches = from.batches
        // A watcher that has joined is sent what is received from now on.
        received.length = 0
      })
      return numbers(batches)
    },
  }
}

t.test(
  'F2 an event that the stream dropped before this node received it is not skipped when a watcher comes back',
  async (t) => {
    const { feed, kept, received, missed, position, since } = feedOf(10)
    feed.receive(event(11, 0))
    const away_since = await position()
    // 12 was published, not received here, and dropped since: 13 is the first that the stream has.
    Object.assign(kept, { events: [event(13, 0)], first: 13, last: 13 })
    feed.receive(event(13, 0))
    t.strictSame(received, [11, 13])
    t.equal(missed(), 1)
    t.equal(await since(away_since), undefined)
  },
)

t.test('F2 what is found missing while the stream is read makes the answer unknown', async (t) => {
  const { feed, kept, position, since } = feedOf(10)
  const away_since = await position()
  feed.receive(event(11, 0))
  feed.lose(11)
  Object.assign(kept, { events: [event(11, 0)], last: 11 })
  const { promise, resolve } = Promise.withResolvers<void>()
  kept.reading = promise
  const answer = since(away_since)
  await new Promise(setImmediate)
  // Neither the events read before nor the events received from now on include 12.
  feed.lose(12)
  resolve()
  t.equal(await answer, undefined)
  Object.assign(kept, { events: [event(11, 0), event(12, 11)], last: 12 })
  t.strictSame(await since(away_since), [11, 12], 'it is known again')
})

t.test('F2 a position that the stream has not come to says nothing', async (t) => {
  const { kept, position, since } = feedOf(10)
  const ahead = (await position()).replace('.10.', '.5000.')
  t.equal(await since(ahead), undefined, 'numbers that began anew')
  kept.last = 5000
  t.strictSame(await since(ahead), [], 'the events of others meanwhile')
})

t.test('F4 a watcher that comes from a faster node gets no event again', async (t) => {
  const { feed, kept, received, missed, position, since } = feedOf(98)
  const after = (await position()).replace('.98.', '.100.')
  Object.assign(kept, { events: [event(99, 0), event(100, 99)], last: 100 })
  const answer = since(after)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  for (const one of [event(99, 0), event(100, 99), event(101, 100)]) feed.receive(one)
  t.strictSame(await answer, [101], 'received before it has joined')
  feed.receive(event(102, 101))
  t.strictSame(received, [102])
  t.equal(missed(), 0)
  t.match(await position(), /^g\.102\./)
})

t.test('F4 a watcher that has seen what never arrives here reads again', async (t) => {
  const { kept, time, position, since } = feedOf(98)
  const after = (await position()).replace('.98.', '.100.')
  Object.assign(kept, { events: [event(100, 0)], last: 100 })
  const answer = since(after)
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  for (const pass of time.timers) pass()
  t.equal(await answer, undefined)
})

t.test('F3 watchers that come back together share the reads of the stream', async (t) => {
  const { feed, kept, position, since, gaps } = feedOf(10)
  const away_since = await position()
  for (let seq = 11; seq <= 1000; seq++) feed.receive(event(seq, seq === 11 ? 0 : seq - 1))
  kept.events = Array.from({ length: 990 }, (_, n) => event(11 + n, 10 + n))
  kept.last = 1000
  const all = await Promise.all(Array.from({ length: 100 }, () => since(away_since)))
  for (const one of all)
    t.strictSame(
      one,
      kept.events.map(({ seq }) => seq),
    )
  t.strictSame((await since(away_since))?.length, 990, 'one who comes a moment later')
  t.strictSame(gaps, { reads: 1, shared: 100 })
  feed.lose(1000)
  kept.events = []
  t.strictSame(await since(away_since), [], 'what was read before a loss counts no more')
  t.strictSame(gaps, { reads: 2, shared: 100 })
})

t.test('F3 a watcher that has missed too much does not keep the others from their events', async (t) => {
  const { feed, kept, position, since } = feedOf(10)
  const [long_ago, away_since] = [await position(), await position()]
  for (let seq = 11; seq <= 1000; seq++) feed.receive(event(seq, seq === 11 ? 0 : seq - 1))
  kept.first = 100
  kept.last = 1000
  kept.events = Array.from({ length: 901 }, (_, n) => event(100 + n, 99 + n))
  const near = away_since.replace('.10.', '.300.')
  const [lost, ...others] = await Promise.all([since(long_ago), ...Array.from({ length: 5 }, () => since(near))])
  t.equal(lost, undefined)
  for (const one of others) t.equal(one?.length, 700)
})
