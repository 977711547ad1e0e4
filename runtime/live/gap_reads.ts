/**
 * Reads what watchers have missed from the stream. Watchers that come back together, as after the loss of a node, share
 * one read: it begins at the oldest of their positions, and its result serves those who come a moment later.
 */
import type { Clock } from '../time/clock.ts'
import type { Event, LiveStream } from './stream.ts'

/** Time for which a result serves others. */
const KEPT_MS = 2000

/**
 * `from`: the position after which events were read. `upto`: all events up to this number were read. `known`: no later
 * event of the channel was in the stream.
 */
type Gap = { from: number; upto: number; known: number; events: Event[] }
type Waiting = { seq: number; resolve(gap: Gap | undefined): void }

export class GapReads {
  readonly #channel: string
  readonly #stream: LiveStream
  readonly #clock: Clock
  /** The last number that the listener has received. */
  readonly #last: () => number
  #waiting: Waiting[] = []
  #is_reading = false
  #result: Gap | undefined
  /** Counts the times that all results became void. */
  #void_results = 0
  #reads = 0

  constructor(channel: string, stream: LiveStream, clock: Clock, last: () => number) {
    this.#channel = channel
    this.#stream = stream
    this.#clock = clock
    this.#last = last
  }

  /**
   * Resolves to the events of the channel after `seq`, at least up to `floor`; undefined when they cannot be known.
   * `upto`: no event up to this number is missing. `known`: the last event that the stream had of the channel.
   */
  async read(seq: number, floor: number): Promise<Omit<Gap, 'from'> | undefined> {
    const known = this.#result
    const is_known = known !== undefined && known.from <= seq && known.upto >= floor
    if (is_known) this.#stream.gaps.shared++
    const gap = is_known ? known : await this.#gather(seq)
    return gap && { ...gap, events: gap.events.filter((event) => event.seq > seq) }
  }

  /** The stream may have begun anew, or have lost events. */
  forget(): void {
    this.#void_results++
    this.#result = undefined
  }

  #gather(seq: number): Promise<Gap | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ seq, resolve })
      if (this.#waiting.length === 1 && !this.#is_reading) this.#clock.soon(() => void this.#readAll())
    })
  }

  async #readAll(): Promise<void> {
    this.#is_reading = true
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting.sort((one, other) => one.seq - other.seq)
      this.#waiting = []
      const before = this.#reads
      await this.#serve(waiting)
      this.#stream.gaps.shared += waiting.length - (this.#reads - before)
    }
    this.#is_reading = false
  }

  /** The older half of the positions may be too old for a read: then it is tried without them. */
  async #serve(waiting: Waiting[]): Promise<void> {
    for (let left = waiting; left.length > 0; ) {
      const before = this.#void_results
      const gap = await this.#read(left[0]!.seq)
      if (gap) {
        if (before === this.#void_results) this.#keep(gap)
        for (const { resolve } of left) resolve(gap)
        return
      }
      const positions = [...new Set(left.map(({ seq }) => seq))]
      const oldest = positions[Math.ceil(positions.length / 2)] ?? Number.POSITIVE_INFINITY
      for (const { seq, resolve } of left) if (seq < oldest) resolve(undefined)
      left = left.filter(({ seq }) => seq >= oldest)
    }
  }

  async #read(from: number): Promise<Gap | undefined> {
    const received = this.#last()
    this.#reads++
    this.#stream.gaps.reads++
    try {
      const { first, last } = await this.#stream.ensure()
      // Positions beyond the last number belong to a stream that has begun anew.
      if (first > from + 1 || last < from) return undefined
      const events = last === from ? [] : await this.#stream.read(this.#channel, from)
      const end = events.at(-1)?.seq
      const known = end ?? (received < from ? await this.#stream.lastOf(this.#channel) : received)
      return { from, upto: Math.max(received, from, end ?? 0), known, events }
    } catch {
      return undefined
    }
  }

  #keep(gap: Gap): void {
    this.#result = gap
    this.#clock.after(KEPT_MS, () => {
      if (this.#result === gap) this.#result = undefined
    })
  }
}
