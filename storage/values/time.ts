/**
 * The clock of this process: database time, counted on the monotonic clock.
 *
 * The wall clocks of machines disagree and are stepped while processes run. PostgreSQL has one clock, so all nodes
 * follow that one: each sample is a reading of it at some moment between a question and its answer.
 *
 *  T1 Right after a sample of half round trip h the clock is off by at most 2h, and by at most h as long as the database's
 *  clock is not stepped and the two monotonic clocks drift apart by less than `DRIFT`. A lead that T2 waits for comes on
 *  top.
 *  T2 Time never goes back, except when a sample proves the clock more than `HELD_MS` ahead of the database; for a
 *  smaller lead time stands still until the database has caught up.
 *  T3 After the first sample no reading of the wall clock has an effect.
 */
import { sql } from '../sql/sql.ts'

/** Two moments of `performance.now()` and a reading of the database's clock at some moment between them, in ms. */
export type TimeSample = { sent: number; received: number; database_ms: number }

/** Maximum drift of two monotonic clocks: two quartz crystals off by 100 ppm each, in opposite directions. */
const DRIFT = 200e-6
/** Maximum lead over the database that is waited for; a larger one is corrected by a step back. */
export const HELD_MS = 1000

/** The SQL of a sample's `database_ms`. */
export const DATABASE_MS = sql`(extract(epoch from clock_timestamp()) * 1000)::float8`

/** Bounds of the offset from the monotonic clock, as of the monotonic moment `at`. */
type Offset = { low: number; high: number; at: number }

export class DatabaseClock {
  readonly #monotonic: () => number
  readonly #system: () => number
  #known: Offset | undefined
  #offset_ms = 0
  #last = 0

  /** `monotonic` has the zero of the samples; `system` is the clock before the first sample. Both in ms. */
  constructor(monotonic: () => number, system: () => number) {
    this.#monotonic = monotonic
    this.#system = system
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    if (!this.#known) return this.#system()
    const now = Math.floor(this.#monotonic() + this.#offset_ms)
    if (now > this.#last) this.#last = now
    return this.#last
  }

  /**
   * Narrows the bounds by a sample. One that contradicts them replaces them, because the database's clock was stepped or
   * is slewed, or the clocks drift apart by more than `DRIFT`.
   *
   * @throws {RangeError} when the sample's numbers cannot be true
   */
  learn({ sent, received, database_ms }: TimeSample): void {
    if (!(received >= sent) || !Number.isFinite(database_ms)) {
      throw new RangeError(`Not a sample of time: sent ${sent}, received ${received}, database ${database_ms}.`)
    }
    const sample: Offset = { low: database_ms - received, high: database_ms - sent, at: received }
    const before = this.now()
    this.#known = this.#known ? narrowed(this.#known, sample) : sample
    this.#offset_ms = (this.#known.low + this.#known.high) / 2
    const lead_ms = before - this.#monotonic() - this.#offset_ms
    this.#last = lead_ms > HELD_MS ? 0 : before
  }
}

function narrowed(known: Offset, sample: Offset): Offset {
  const { at } = sample
  const drift = Math.max(0, at - known.at) * DRIFT
  const low = Math.max(known.low - drift, sample.low)
  const high = Math.min(known.high + drift, sample.high)
  if (low <= high) return { low, high, at }
  // A contradiction by g ms shows that the bounds were off by g. The sample may be far wider, because the process stood
  // still before it read the answer: of such a sample the nearest g ms are taken, not its middle.
  const gap = low - high
  return known.low > sample.high
    ? { low: Math.max(sample.low, sample.high - gap), high: sample.high, at }
    : { low: sample.low, high: Math.min(sample.high, sample.low + gap), at }
}

const clock = new DatabaseClock(() => performance.now(), Date.now)

/**
 * Database time in whole milliseconds since the epoch; the system's until this process has opened a database. For
 * moments that are stored or shown, or that others compare. Durations and time-outs are measured with
 * `performance.now()`.
 */
export const now = (): number => clock.now()

/** The moment of `now` as a new `Date`. */
export const newDate = (): Date => new Date(clock.now())

/** Sets the clock of this process by a sample. Each one makes the clock more exact. */
export const learnTime = (sample: TimeSample): void => clock.learn(sample)
