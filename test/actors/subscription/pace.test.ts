import t from 'tap'
import { freshPace, maxAtOnce, observe, pauseRange, room } from '../../../actors/subscription/pace.ts'

const pauses = pauseRange([0, 5, 300, 1800, 7200])
const at = (now: number) => ({ now, concurrency: 8, pauses, random: () => 0 })
const success = { outcome: 'success', status_code: 200, retry_after_s: undefined } as const
const refused = { outcome: 'final', status_code: 404, retry_after_s: undefined } as const
const broken = { outcome: 'retryable', status_code: 500, retry_after_s: undefined } as const
const busy = { outcome: 'retryable', status_code: 429, retry_after_s: undefined } as const

t.test('a healthy receiver gets as much at once as its subscription allows', async (t) => {
  const pace = freshPace()
  t.equal(maxAtOnce(pace, 8), 8)
  t.equal(room(pace, 8, 0, 0), 32, 'three times as many wait for a slot')
  t.equal(room(pace, 8, 5, 0), 27)
  t.equal(room(pace, 1, 1, 0), 3)
  observe(pace, broken, at(0))
  t.equal(room(pace, 8, 5, 0), 3, 'after a failure nobody waits')
})

t.test('429 and 503 halve what it gets at once, successes give it back one by one', async (t) => {
  const pace = freshPace()
  observe(pace, busy, at(0))
  t.equal(room(pace, 8, 0, 0), 4)
  observe(pace, { ...busy, status_code: 503 }, at(0))
  t.equal(room(pace, 8, 0, 0), 2)
  observe(pace, busy, at(0))
  observe(pace, busy, at(0))
  t.equal(room(pace, 8, 0, 0), 1, 'never nothing')
  for (let i = 0; i < 20; i++) observe(pace, success, at(0))
  t.equal(maxAtOnce(pace, 8), 8)
})

t.test('Retry-After is a pause for all, of five minutes at most', async (t) => {
  const pace = freshPace()
  observe(pace, { ...busy, retry_after_s: 20 }, at(1000))
  t.equal(room(pace, 8, 0, 20_999), 0)
  t.equal(room(pace, 8, 0, 21_000), 4)
  observe(pace, { ...busy, retry_after_s: 86_400 }, at(21_000))
  t.equal(room(pace, 8, 0, 21_000 + 299_999), 0)
  t.ok(room(pace, 8, 0, 21_000 + 300_000) > 0)
})

t.test(
  'ten failures in a row mean a receiver that is down: probes follow one at a time, further and further apart',
  async (t) => {
    const pace = freshPace()
    for (let i = 0; i < 9; i++) observe(pace, broken, at(0))
    t.equal(room(pace, 8, 0, 0), 8)
    observe(pace, broken, at(0))
    t.equal(room(pace, 8, 0, 4999), 0)
    t.equal(room(pace, 8, 0, 5000), 1, 'a probe')
    t.equal(room(pace, 8, 1, 5000), 0, 'and no second one')
    observe(pace, broken, at(1000))
    t.equal(room(pace, 8, 0, 5000), 1, 'a failure from before says nothing new')
    let now = 5000
    for (const pause_s of [10, 20, 40, 80, 160, 300, 300]) {
      observe(pace, broken, at(now))
      t.equal(room(pace, 8, 0, now + pause_s * 1000 - 1), 0)
      now += pause_s * 1000
      t.equal(room(pace, 8, 0, now), 1, `after ${pause_s} s`)
    }
    observe(pace, success, at(now))
    t.equal(room(pace, 8, 0, now), 1, 'back, and careful')
    for (let i = 0; i < 7; i++) observe(pace, success, at(now))
    t.equal(maxAtOnce(pace, 8), 8)
  },
)

t.test('a receiver that refuses counts as one that answers', async (t) => {
  const pace = freshPace()
  for (let i = 0; i < 9; i++) observe(pace, broken, at(0))
  observe(pace, refused, at(0))
  for (let i = 0; i < 9; i++) observe(pace, broken, at(0))
  t.equal(room(pace, 8, 0, 0), 8)
})

t.test('pauses follow the schedule', async (t) => {
  t.same(pauseRange([0, 5, 300, 1800, 7200]), { min_s: 5, max_s: 300 })
  t.same(pauseRange([0, 0.1, 0.2]), { min_s: 0.1, max_s: 0.2 })
  t.same(pauseRange([0]), { min_s: 5, max_s: 300 })
})
