/** What a node keeps of one channel: whoever comes back is told all that came since, or that this cannot be known. */
import t from 'tap'
import { systemClock } from '../../runtime/clock.ts'
import { Feed } from '../../runtime/live/feed.ts'
import type { Event, LiveStream } from '../../runtime/live/stream.ts'
import type { Said } from '../../runtime/mod.ts'

const event = (seq: number, before: number): Event => ({
  seq,
  before,
  text: JSON.stringify([{ type: 'said', data: seq }]),
})
const numbers = (all: Said[] | undefined) => all?.flatMap(({ events }) => events.map(({ data }) => data))

/** A feed over a stream that is an array. The time stands still unless it is moved. */
function feedOf(last: number) {
  const kept = { events: [] as Event[], first: 1, last, reading: undefined as Promise<void> | undefined }
  const stream = {
    async ensure() {
      return { generation: 'g', first: kept.first, last: kept.last }
    },
    async read(_channel: string, seq: number) {
      const events = kept.events.filter((one) => one.seq > seq)
      await kept.reading
      return events
    },
  }
  const time = { now: 1_000_000_000 }
  const clock = { ...systemClock, now: () => time.now, after: () => () => {} }
  const heard: number[] = []
  let missed = 0
  const listener = {
    heard: (said: Said) => void heard.push(...(numbers([said]) as unknown as number[])),
    missed: () => void missed++,
  }
  const stream_generation = { generation: 'g', whole_since: time.now - 60_000 }
  const feed = new Feed('c', stream as unknown as LiveStream, clock, stream_generation, listener, last)
  return {
    feed,
    kept,
    time,
    heard,
    missed: () => missed,
    async position(): Promise<string> {
      let position = ''
      await feed.resume(undefined, (from) => {
        position = from.position
      })
      return position
    },
    async since(after: string) {
      let said: Said[] | undefined
      await feed.resume(after, (from) => {
        said = from.said
      })
      return numbers(said)
    },
  }
}

t.test('F2 what the stream dropped before it was heard is not passed over when somebody comes back', async (t) => {
  const { feed, kept, heard, missed, position, since } = feedOf(10)
  feed.hear(event(11, 0))
  const away_since = await position()
  // 12 was said, not heard here, and dropped since: 13 is the first that the stream has.
  Object.assign(kept, { events: [event(13, 0)], first: 13, last: 13 })
  feed.hear(event(13, 0))
  t.strictSame(heard, [11, 13])
  t.equal(missed(), 1)
  t.equal(await since(away_since), undefined)
})

t.test('F2 what is found missing while the stream is read makes the answer unknown', async (t) => {
  const { feed, kept, position, since } = feedOf(10)
  const away_since = await position()
  feed.hear(event(11, 0))
  feed.lose(11)
  Object.assign(kept, { events: [event(11, 0)], last: 11 })
  const { promise, resolve } = Promise.withResolvers<void>()
  kept.reading = promise
  const answer = since(away_since)
  await new Promise(setImmediate)
  // Neither what was read just before, nor what is heard from now on has 12.
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
  t.strictSame(await since(ahead), [], 'what others said meanwhile')
})
