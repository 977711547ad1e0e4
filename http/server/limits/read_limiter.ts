/**
 * Limits database reads for clients: some connections stay free for the node's own work, and each read has a time
 * limit. Without it a slow database would get so many reads that commits wait behind them.
 */
import { performance } from 'node:perf_hooks'
import { FairLine, Unavailable } from '../../../runtime/mod.ts'

/** Maximum wait for a place, and then for the answer. */
const WAIT_MS = 2000
const DEADLINE_MS = 10_000
const SWEEP_MS = 250

type Waiting = { until: number; give_up(): void }
type WaitingRead = Waiting & { begin(): void }

/** Reads that are counted for nobody in particular take turns as one owner. */
const NOBODY = ''

export class ReadLimiter {
  readonly #most: number
  #running = 0
  readonly #line = new FairLine<WaitingRead>()
  /** Waiting reads in order of arrival. */
  readonly #waiting = new Set<Waiting>()
  /** Running reads by owner; zero is not kept. */
  readonly #held = new Map<string, number>()
  readonly #answers = new Set<Waiting>()
  #sweeper: NodeJS.Timeout | undefined

  /** `most`: maximum concurrent reads. */
  constructor(most: number) {
    this.#most = most
  }

  /**
   * Reads now or soon. Rejects with `Unavailable` when its place or its answer does not come in time, and with the
   * errors of `read`. `owner`: the project. Projects take turns, and one place is always left for the others, however
   * slow and many its reads are.
   */
  run<Value>(read: () => Promise<Value> | Value, owner?: string): Promise<Value> | Value {
    if (this.#running < this.#most && this.#line.size === 0 && this.#mayBegin(owner)) return this.#read(read, owner)
    return new Promise((resolve, reject) => {
      const until = performance.now() + WAIT_MS
      const give_up = () => {
        this.#line.remove(owner ?? NOBODY, waiting)
        reject(new Unavailable('The database is too busy.'))
      }
      const begin = () => {
        this.#waiting.delete(waiting)
        try {
          const value = this.#read(read, owner)
          resolve(value)
          if (value instanceof Promise) return
        } catch (error) {
          reject(error)
        }
        // It needed no place. There may be thousands like it, so other work runs in between.
        setImmediate(() => this.#next())
      }
      const waiting: WaitingRead = { until, give_up, begin }
      this.#line.add(owner ?? NOBODY, waiting)
      this.#waiting.add(waiting)
      this.#sweep()
      // Those before it may all wait for places of their own projects.
      if (this.#mayBegin(owner)) this.#next()
    })
  }

  #mayBegin(owner: string | undefined): boolean {
    return owner === undefined || (this.#held.get(owner) ?? 0) < Math.max(1, this.#most - 1)
  }

  #hold(owner: string | undefined, change: number): void {
    if (owner === undefined) return
    const held = (this.#held.get(owner) ?? 0) + change
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }

  #read<Value>(read: () => Promise<Value> | Value, owner: string | undefined): Promise<Value> | Value {
    const value = read()
    if (!(value instanceof Promise)) return value
    this.#running++
    this.#hold(owner, 1)
    return new Promise((resolve, reject) => {
      const until = performance.now() + DEADLINE_MS
      const waiting = { until, give_up: () => reject(new Unavailable('The database did not answer in time.')) }
      this.#answers.add(waiting)
      this.#sweep()
      value.then(resolve, reject).finally(() => {
        this.#answers.delete(waiting)
        // A read that gave up keeps its place until its connection is free.
        this.#running--
        this.#hold(owner, -1)
        this.#next()
      })
    })
  }

  #next(): void {
    if (this.#running >= this.#most) return
    this.#line.next((owner) => this.#mayBegin(owner || undefined))?.begin()
  }

  #sweep(): void {
    this.#sweeper ??= setInterval(() => {
      const now = performance.now()
      for (const waiting of [this.#waiting, this.#answers]) {
        for (const one of waiting) {
          // Both are ordered by time.
          if (one.until > now) break
          waiting.delete(one)
          one.give_up()
        }
      }
      if (this.#waiting.size > 0 || this.#answers.size > 0) return
      clearInterval(this.#sweeper)
      this.#sweeper = undefined
    }, SWEEP_MS)
  }
}
