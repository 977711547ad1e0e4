/**
 * Virtual time: one queue of events for all nodes and servers of a history. Everything that happens is an event, and
 * every chance comes from one seed, so the same seed gives the same history. All microtasks run between two events.
 */
import { type Chance, chance } from '../faults/chance.ts'
import type { Host } from './host.ts'
import { runMicrotasks } from './microtasks.ts'

export type Event = {
  at: number
  /** Decides the order of events of one instant. */
  tie: number
  /** The action; undefined after a cancellation. */
  run: (() => void) | undefined
  /** The host of the event; undefined for events of servers and of the network, which start no promises. */
  host: Host | undefined
  is_timer: boolean
}

/** Events between two turns of Node's own loop. Node reports unhandled rejections in such a turn. */
const MAX_STRETCH_LENGTH = 2000

export class World {
  /**
   * Called with an error that a callback of the engine throws. In a process of its own, such an error would end the
   * process.
   */
  onThrow: (error: Error) => void = (error) => {
    throw error
  }
  /** Milliseconds since the history began. */
  time = 0
  events = 0
  readonly chance: Chance
  readonly is_traced: boolean
  readonly lines: string[] = []
  #hash = 0
  readonly #queue: Event[] = []

  constructor(seed: number, is_traced = false) {
    this.chance = chance(seed)
    this.is_traced = is_traced
  }

  /** A number for everything that happened so far, the same for the same seed. */
  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  /** Draws a number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + this.chance() * (high - low)
  }

  whole(low: number, high: number): number {
    return low + Math.floor(this.chance() * (high - low + 1))
  }

  happens(probability: number): boolean {
    return probability > 0 && this.chance() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.chance() * items.length)]!
  }

  /** Plans an event at a server or in the network. */
  at(at: number, run: () => void): Event {
    return this.push({ at, tie: this.chance(), run, host: undefined, is_timer: false })
  }

  /** Adds a line to the trace. Only call this when `is_traced`. */
  say(who: string, what: string): void {
    this.lines.push(`${(this.time / 1000).toFixed(4).padStart(9)}  ${who.padEnd(6)} ${what}`)
  }

  push(event: Event): Event {
    const queue = this.#queue
    let at = queue.push(event) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(event, queue[parent]!)) break
      queue[at] = queue[parent]!
      at = parent
    }
    queue[at] = event
    return event
  }

  #pop(): Event | undefined {
    const queue = this.#queue
    const first = queue[0]
    const last = queue.pop()
    if (!last || queue.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= queue.length) break
      if (child + 1 < queue.length && isBefore(queue[child + 1]!, queue[child]!)) child++
      if (!isBefore(queue[child]!, last)) break
      queue[at] = queue[child]!
      at = child
    }
    queue[at] = last
    return first
  }

  /** Lets events happen until `isOver` holds after one, no event is left, or the time reaches `end`. */
  run(isOver: () => boolean, end = Number.POSITIVE_INFINITY): Promise<void> {
    return new Promise((resolve, reject) => {
      const stretch = () => {
        try {
          for (let i = 0; i < MAX_STRETCH_LENGTH; i++) {
            const next = this.#queue[0]
            if (isOver() || !next || next.at > end) {
              if (next && next.at > end) this.time = Math.max(this.time, end)
              resolve()
              return
            }
            this.#step(this.#pop()!)
          }
        } catch (error) {
          reject(error as Error)
          return
        }
        setImmediate(stretch)
      }
      // Work that was begun before may have something to report first.
      setImmediate(stretch)
    })
  }

  #step({ at, run, host, is_timer }: Event): void {
    if (!run) return
    if (at > this.time) this.time = at
    if (!host) {
      run()
      return
    }
    if (!host.admits(run, is_timer)) return
    this.events++
    this.#hash = Math.imul(this.#hash ^ ((this.time * 1000) | 0) ^ (host.number << 24), 0x01000193)
    try {
      run()
    } catch (error) {
      this.onThrow(error as Error)
    }
    runMicrotasks()
    host.rest()
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie)
}
