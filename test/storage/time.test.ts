/** The time of the database, learned from samples. The invariants T1–T3 stand in `storage/values/time.ts`. */
import fc from 'fast-check'
import t from 'tap'
import { DATABASE_MS, DatabaseClock, learnTime, newDate, now, sql } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

const EPOCH = Date.UTC(2030, 0, 1)

/** A process and a database whose clocks the test turns. */
function world() {
  const state = { monotonic: 1000, wall: EPOCH - 5000, database: EPOCH }
  const clock = new DatabaseClock(
    () => state.monotonic,
    () => state.wall,
  )
  const pass = (ms: number, drift = 0) => {
    state.monotonic += ms
    state.wall += ms
    state.database += ms * (1 + drift)
  }
  /**
   * Takes a sample: the question travels for `there_ms`, the answer for `back_ms`. Returns the time right before it is
   * learned.
   */
  const sample = (there_ms: number, back_ms: number, drift = 0) => {
    const sent = state.monotonic
    pass(there_ms, drift)
    const database_ms = state.database
    pass(back_ms, drift)
    const before = clock.now()
    clock.learn({ sent, received: state.monotonic, database_ms })
    return before
  }
  return { state, clock, pass, sample, error: () => clock.now() - state.database }
}

t.test('the time is that of the system before the first sample, and that of the database after it (T3)', async (t) => {
  const { state, clock, pass, sample, error } = world()
  const month = 31 * 86_400_000
  state.wall += month
  t.equal(clock.now(), EPOCH - 5000 + month)
  sample(1, 1)
  t.equal(error(), 0)
  state.wall += month
  pass(500)
  t.equal(error(), 0)
})

t.test('each sample narrows the bounds, however inexact it is', async (t) => {
  const { sample, error } = world()
  sample(0, 40)
  t.equal(error(), -20)
  sample(500, 500)
  t.equal(error(), -20)
  sample(200, 0)
  t.equal(error(), 0, 'only one moment fits both')
  sample(0, 200)
  t.equal(error(), 0)
})

t.test('an exact sample ages, so that drift is followed', async (t) => {
  const { pass, sample, error } = world()
  sample(0, 0)
  pass(100_000, 100e-6)
  t.ok(Math.abs(error()) > 9)
  sample(1, 1)
  t.ok(Math.abs(error()) <= 1)
})

t.test('an answer that waited for a process that stood still moves the time by no more than the drift', async (t) => {
  for (const drift of [0.01, -0.01]) {
    const { pass, sample, error } = world()
    for (let count = 0; count < 5; count++) {
      sample(1, 1, drift)
      pass(400, drift)
    }
    for (const [there, back] of [
      [1, 7000],
      [7000, 1],
      [1, 7000],
    ] as const) {
      sample(there, back, drift)
      const moved = error()
      // A lead is waited out.
      t.ok(Math.abs(moved) <= 300, `${moved} ms at a drift of ${drift}`)
    }
  }
})

t.test(
  'the time follows a step of the database: forward and far back at once, a little back by standing still',
  async (t) => {
    const { state, pass, sample, error } = world()
    sample(1, 1)
    state.database += 3_600_000
    sample(20, 20)
    t.equal(error(), 0, 'an hour onward')
    state.database -= 3_600_000
    sample(20, 20)
    t.equal(error(), 0, 'an hour back')
    state.database -= 800
    sample(20, 20)
    t.equal(error(), 800)
    pass(500)
    t.equal(error(), 300, 'time stands still')
    pass(300)
    t.equal(error(), 0, 'until the database has caught up')
  },
)

t.test('numbers that cannot be true are refused and change nothing', async (t) => {
  const { clock, sample, state } = world()
  sample(1, 1)
  const before = clock.now()
  for (const [sent, received, database_ms] of [
    [5, 4, EPOCH],
    [Number.NaN, 4, EPOCH],
    [4, 5, Number.NaN],
    [4, 5, undefined as unknown as number],
    [4, 5, String(EPOCH) as unknown as number],
  ] as [number, number, number][]) {
    t.throws(() => clock.learn({ sent, received, database_ms }), RangeError)
  }
  t.equal(clock.now(), before)
  t.equal(state.database, EPOCH + 2)
})

const delay = fc.integer({ min: 0, max: 2000 })
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('sample' as const), there: delay, back: delay }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 60_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wall' as const), ms: fc.integer() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('step' as const), ms: fc.integer({ min: -5000, max: 5000 }) }),
  },
)

t.test('the error is always bounded, and time goes back only by a proof of more than a second (T1, T2)', (t) => {
  const drifts = fc.integer({ min: -190, max: 190 })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), drifts, (actions, ppm) => {
      const drift = ppm * 1e-6
      const { state, clock, pass, sample, error } = world()
      sample(3, 5, drift)
      let last = clock.now()
      let stepped = false
      for (const one of actions) {
        if (one.kind === 'wall') state.wall += one.ms
        if (one.kind === 'step') state.database += one.ms
        if (one.kind === 'step') stepped = true
        if (one.kind === 'pass') pass(one.ms, drift)
        const before = one.kind === 'sample' ? sample(one.there, one.back, drift) : clock.now()
        if (before < last) return false
        const shown = clock.now()
        if (shown < before && !(stepped && before - shown > 1000)) return false
        if (one.kind === 'sample') {
          const half = (one.there + one.back) / 2
          const bound = (stepped ? 2 * half : half) * 1.001 + 1
          // The time waits out a small lead.
          if (error() > bound && error() <= 1000 + bound) pass(error())
          if (Math.abs(error()) > bound) return false
          last = clock.now()
          continue
        }
        last = shown
      }
      return true
    }),
    { numRuns: 1000 },
  )
  t.end()
})

t.test('a process that has opened a database has its time', async (t) => {
  const { database } = await testDatabase(t)
  const sample = async (ahead_ms = 0) => {
    const sent = performance.now()
    const [row] = await database.execute<{ ms: number }>(sql`select ${DATABASE_MS} as ms`)
    learnTime({ sent, received: performance.now(), database_ms: row!.ms + ahead_ms })
  }
  t.ok(Math.abs(now() - Date.now()) < 5000, 'here both are one machine')
  await sample(3_600_000)
  t.ok(newDate().getTime() - Date.now() > 3_500_000)
  await sample()
  t.ok(Math.abs(now() - Date.now()) < 5000)
})
