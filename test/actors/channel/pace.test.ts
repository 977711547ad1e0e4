import fc from 'fast-check'
import t from 'tap'
import { Pacer } from '../../../actors/channel/pace.ts'

/** Sends as fast as allowed from `start` for `ms`, in steps of a millisecond. Returns the times of the sends. */
function times(pacer: Pacer, ms: number, recipient: (n: number) => string, start = 1_000_000): number[] {
  const went: number[] = []
  for (let now = start; now < start + ms; now++) {
    while (pacer.wait(now) === 0 && pacer.waitFor(recipient(went.length), now) === 0) {
      pacer.take(recipient(went.length), now)
      went.push(now)
    }
  }
  return went
}

t.test('an account sends its messages a second, and a quarter of a second of them at once', async (t) => {
  const went = times(new Pacer({ per_second: 80 }), 10_000, String)
  t.equal(went.filter((at) => at === 1_000_000).length, 21)
  t.ok(went.length >= 800 && went.length <= 821, `${went.length} in ten seconds`)
})

t.test('a recipient gets a burst, and then one message in six seconds', async (t) => {
  const pace = { per_second: Number.POSITIVE_INFINITY, recipient: { every_ms: 6_000, burst: 45 } }
  const went = times(new Pacer(pace), 60_000, () => 'r')
  t.equal(went.filter((at) => at === 1_000_000).length, 45)
  t.equal(went.length, 45 + 9)
  const pacer = new Pacer(pace)
  times(pacer, 1, () => 'r')
  t.equal(pacer.waitFor('r', 1_000_000), 6_000)
  t.equal(pacer.waitFor('other', 1_000_000), 0)
  t.equal(pacer.waitFor('r', 1_000_000 + 44 * 6_000), 0)
})

t.test('never faster than allowed, whenever it is asked', async () => {
  const step = fc.record({ after: fc.nat(400), recipient: fc.constantFrom('a', 'b') })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (steps, per_second) => {
      const pacer = new Pacer({ per_second, recipient: { every_ms: 500, burst: 3 } })
      const went: { at: number; recipient: string }[] = []
      let now = 1_000_000
      for (const { after, recipient } of steps) {
        now += after
        if (pacer.wait(now) > 0 || pacer.waitFor(recipient, now) > 0) continue
        pacer.take(recipient, now)
        went.push({ at: now, recipient })
      }
      for (const [i, first] of went.entries()) {
        const since = went.slice(i)
        const span = now - first.at
        const own = since.filter(({ recipient }) => recipient === first.recipient)
        if (since.length > (span + 250) * (per_second / 1000) + 1.001) return false
        if (own.length > span / 500 + 3) return false
      }
      return true
    }),
  )
})

t.test('an account that was too fast is slowed down, and wins its speed back', async (t) => {
  const pacer = new Pacer({ per_second: 80 })
  pacer.slowDown(0)
  t.equal(pacer.per_second, 40)
  for (let i = 0; i < 20; i++) pacer.slowDown(0)
  t.equal(pacer.per_second, 1, 'never to nothing')
  pacer.take('r', 10_000)
  t.equal(pacer.per_second, 17, '2 % of 80 for each of 10 s')
  pacer.take('r', 1_000_000)
  t.equal(pacer.per_second, 80, 'and no more than it had')
})
