import fc from 'fast-check'
import t from 'tap'
import { nextAttemptAt } from '../../../actors/webhook/mod.ts'

const now = new Date('2026-11-21T03:00:00Z')
const secondsTo = (at: Date | undefined) => at && (at.getTime() - now.getTime()) / 1000

t.test('the default schedule', async (t) => {
  const pauses = [1, 2, 3, 4, 5, 6].map((number) => secondsTo(nextAttemptAt(number, now, undefined, 0, () => 0)))
  t.strictSame(pauses, [0, 5, 300, 1800, 7200, undefined])
  t.equal(secondsTo(nextAttemptAt(2, now, undefined, 0, () => 1)), 6)
  t.equal(nextAttemptAt(0, now), undefined)
})

t.test('fractions of seconds', async (t) => {
  t.equal(secondsTo(nextAttemptAt(2, now, [0, 0.25], 0, () => 0)), 0.25)
})

t.test('Retry-After is a floor, up to a day', async (t) => {
  t.equal(secondsTo(nextAttemptAt(2, now, undefined, 60, () => 0)), 60)
  t.equal(secondsTo(nextAttemptAt(3, now, undefined, 60, () => 0)), 300)
  t.equal(secondsTo(nextAttemptAt(2, now, undefined, 1e9, () => 0)), 86_400)
})

t.test('never early, never more than a fifth late', async () => {
  const seconds = fc.double({ min: 0, max: 10_000, noNaN: true })
  fc.assert(
    fc.property(seconds, seconds, fc.double({ min: 0, max: 1, noNaN: true }), (pause, retry_after, random) => {
      const wait = secondsTo(nextAttemptAt(1, now, [pause], retry_after, () => random)) ?? -1
      const least = Math.max(pause, retry_after)
      return wait >= least && wait <= least * 1.2 + 0.001
    }),
  )
})
