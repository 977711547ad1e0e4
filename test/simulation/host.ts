/**
 * The machine of a simulated node: its clocks, which need not agree with others, and its stand-stills.
 *
 * A stand-still may begin between two events or within one. Within an event, the clock leaps when the engine reads it
 * for the nth time. Everything that the engine does after that reading happens as late as the clock says.
 */
import type { Clock } from '../../runtime/time/clock.ts'
import { DatabaseClock } from '../../storage/mod.ts'
import type { World } from './world.ts'

/** Milliseconds by which events come late: an event loop is busy with other things now and then. */
const LATENESS_MS = 1

/** The wall clock of a host without an offset at the beginning of a history. */
export const EPOCH = Date.UTC(2030, 0, 1)

export class Host {
  readonly world: World
  readonly number: number
  readonly name: string
  readonly clock: Clock
  /** Milliseconds by which the wall clock is wrong. */
  wall_offset = 0
  /** Seconds of this host for each true second. */
  readonly rate: number
  is_dead = false
  /** Called when a commit of this host was answered. */
  onCommitted = () => {}
  /** The time at which the server last refused a commit of this host. */
  refused_at = Number.NEGATIVE_INFINITY
  readonly #base: number
  /** The clock of the database as this host's process follows it. */
  readonly #database: DatabaseClock
  /** Milliseconds by which this host is later than the world for the rest of this event. */
  #lead = 0
  #readings = 0
  #leap = 0
  #paused_until = 0
  #hindered_until = Number.NEGATIVE_INFINITY
  #waiting: { run: () => void; is_timer: boolean }[] = []

  constructor(world: World, number: number, name: string, rate: number) {
    this.world = world
    this.number = number
    this.name = name
    this.rate = rate
    this.#base = world.between(0, 1e6)
    this.#database = new DatabaseClock(
      () => this.#monotonic(),
      () => this.#wall(),
    )
    this.clock = {
      now: () => this.#database.now(),
      learn: (sample) => this.#database.learn(sample),
      wall: () => this.#wall(),
      monotonic: () => this.#monotonic(),
      after: (ms, callback) => this.#after(ms, callback),
      every: (ms, callback) => this.#every(ms, callback),
      soon: (callback) => this.later(0, callback),
    }
  }

  /** The true time of this host in the present event. */
  get time(): number {
    return this.world.time + this.#lead
  }

  /** True when a stand-still has begun within the present event. */
  get is_late(): boolean {
    return this.#lead > 0
  }

  get is_paused(): boolean {
    return this.#paused_until > this.world.time
  }

  /** The true time until which the host stood still or could not work properly with the database. */
  get hindered_until(): number {
    return Math.max(this.#hindered_until, this.#paused_until)
  }

  /** Disturbs the way to the database until a true time. */
  hinder(until: number): void {
    this.#hindered_until = Math.max(this.#hindered_until, until)
  }

  /** Runs an outside event, or the next turn of the event loop, after `ms`. */
  later(ms: number, run: () => void): void {
    const { world } = this
    world.push({ at: this.time + ms, tie: world.chance(), run, host: this, is_timer: false })
  }

  /** Runs an event at a true time. */
  at(at: number, run: () => void): void {
    const { world } = this
    world.push({ at, tie: world.chance(), run, host: this, is_timer: false })
  }

  /** Stands still for `ms` from now on. */
  pause(ms: number): void {
    this.#pauseUntil(this.world.time + ms)
  }

  /** Stands still for `ms` when the clock is read for the nth time from now. */
  pauseAtReading(n: number, ms: number): void {
    this.#readings = n
    this.#leap = ms
  }

  /** Tells the world whether the event may happen now. A refused event comes when the host goes on. */
  admits(run: () => void, is_timer: boolean): boolean {
    if (this.is_dead) return false
    if (this.#paused_until <= this.world.time) return true
    this.#waiting.push({ run, is_timer })
    return false
  }

  /** Tells the host that the event is over. */
  rest(): void {
    if (this.#lead === 0) return
    const until = this.world.time + this.#lead
    this.#lead = 0
    this.#pauseUntil(until)
  }

  kill(): void {
    this.is_dead = true
    this.#waiting = []
  }

  #pauseUntil(until: number): void {
    if (until <= this.#paused_until) return
    this.#paused_until = until
    this.world.at(until, () => this.#resume(until))
  }

  /** Timers keep their order, and so do messages of the network. Chance decides between the two. */
  #resume(until: number): void {
    if (this.#paused_until !== until) return
    const { world } = this
    const timers = this.#waiting.filter(({ is_timer }) => is_timer)
    const others = this.#waiting.filter(({ is_timer }) => !is_timer)
    this.#waiting = []
    const timers_first = world.happens(0.5)
    let at = world.time
    while (timers.length > 0 || others.length > 0) {
      const from_timers = others.length === 0 || (timers.length > 0 && (timers_first || world.happens(0.5)))
      const { run, is_timer } = (from_timers ? timers : others).shift()!
      at += 0.0001
      world.push({ at, tie: 0, run, host: this, is_timer })
    }
  }

  #wall(): number {
    this.#read()
    return Math.floor(EPOCH + this.time + this.wall_offset)
  }

  #monotonic(): number {
    this.#read()
    return this.#base + this.time * this.rate
  }

  #read(): void {
    if (this.#readings === 0 || --this.#readings > 0) return
    this.#lead += this.#leap
    if (this.world.is_traced) this.world.say(this.name, `stands still within a turn for ${Math.round(this.#leap)} ms`)
  }

  #after(ms: number, callback: () => void): () => void {
    const { world } = this
    const at = this.time + Math.max(1, ms) / this.rate + world.chance() * LATENESS_MS
    const event = world.push({ at, tie: world.chance(), run: callback, host: this, is_timer: true })
    // Events that wait for a host that stands still are cancelled as well.
    let cancelled = false
    event.run = () => {
      if (!cancelled) callback()
    }
    return () => {
      cancelled = true
      event.run = undefined
    }
  }

  #every(ms: number, callback: () => void): () => void {
    let ended = false
    let cancel = () => {}
    const again = () => {
      cancel = this.#after(ms, () => {
        callback()
        if (!ended) again()
      })
    }
    again()
    return () => {
      ended = true
      cancel()
    }
  }
}
