/**
 * The two shapes of load. Closed: a fixed number of operations in flight, each slot starts its next one when its last
 * has ended; latency is that of the operation. Open: operations start at a fixed rate whatever the answers do; latency
 * counts from the moment an operation was due, so that a stall is charged to every operation it held up.
 */

/**
 * A load to run: closed when `in_flight` is given, open when `rate` (operations per second) is. `variant` is for the
 * peers of a benchmark whose scenarios differ in more than the load.
 */
export type Load = {
  seconds: number
  keys: number
  in_flight?: number
  rate?: number
  variant?: string
  /** True for a closed load that goes through all keys in turn. Otherwise each slot keeps to one key. */
  walks?: boolean
}

/**
 * The measurements of one round of load. `operations` ended inside `seconds`; `issued` includes those that ended after
 * it.
 */
export type Sample = {
  operations: number
  issued: number
  errors: number
  seconds: number
  p50_ms: number
  p99_ms: number
  p999_ms?: number
  /** Further figures of the round, by name with the unit. */
  figures?: Record<string, number>
}

/** Starts one operation on key number `key`; must call `done` exactly once. */
export type Issue = (key: number, done: (ok: boolean) => void) => void

/** Runs a load to its end, all operations answered. Operations unanswered `patience_ms` after the end count as errors. */
export async function runLoad(issue: Issue, load: Load, patience_ms = 20_000): Promise<Sample> {
  const round = new Round(issue, load)
  if (load.rate !== undefined) round.openLoop(load.rate)
  else round.closedLoop(load.in_flight ?? 64)
  return round.settled(patience_ms)
}

class Round {
  readonly latencies: number[] = []
  readonly start = performance.now()
  readonly end: number
  readonly issue: Issue
  readonly keys: number
  readonly walks: boolean
  issued = 0
  answered = 0
  inside = 0
  errors = 0

  constructor(issue: Issue, load: Load) {
    this.issue = issue
    this.keys = load.keys
    this.walks = load.walks ?? false
    this.end = this.start + load.seconds * 1000
  }

  closedLoop(in_flight: number): void {
    const next = (slot: number) => {
      const now = performance.now()
      if (now < this.end) this.begin((this.walks ? this.issued : slot) % this.keys, now, () => next(slot))
    }
    for (let slot = 0; slot < in_flight; slot++) next(slot)
  }

  openLoop(rate: number): void {
    const gap = 1000 / rate
    const total = Math.floor((this.end - this.start) / gap)
    const timer = setInterval(() => {
      const now = performance.now()
      while (this.issued < total && this.start + this.issued * gap <= now) {
        this.begin(this.issued % this.keys, this.start + this.issued * gap)
      }
      if (this.issued >= total || now > this.end) clearInterval(timer)
    }, 1)
  }

  async settled(patience_ms: number): Promise<Sample> {
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    await pause(this.end - performance.now())
    const late = performance.now() + patience_ms
    while (this.answered < this.issued && performance.now() < late) await pause(2)
    const sorted = Float64Array.from(this.latencies).sort()
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
    return {
      operations: this.inside,
      issued: this.issued,
      errors: this.errors + this.issued - this.answered,
      seconds: (this.end - this.start) / 1000,
      p50_ms: at(0.5),
      p99_ms: at(0.99),
      p999_ms: at(0.999),
    }
  }

  private begin(key: number, from: number, then?: () => void): void {
    this.issued++
    this.issue(key, (ok) => {
      const now = performance.now()
      this.answered++
      this.latencies.push(now - from)
      if (!ok) this.errors++
      else if (now <= this.end) this.inside++
      then?.()
    })
  }
}
