/**
 * The events that a node receives of one channel. It keeps the latest ones, for watchers that were away for a moment.
 *
 *  F1 A watcher that has joined receives each event once and in order, or a report that some may be missing.
 *  F2 A watcher that comes back with a position receives all events since, or a report that they cannot be known.
 *  F3 Watchers that come back together share the reads of the stream.
 *  F4 A watcher that comes from a faster node joins once this node has received what the watcher has. Otherwise it would
 *     get these events again.
 */
import type { Clock } from '../time/clock.ts'
import { EventBatch } from './event_batch.ts'
import { GapReads } from './gap_reads.ts'
import { DROPPED, type Event, KEPT_MS, type LiveStream } from './stream.ts'

/** Maximum kept by this node for one channel. */
const MAX_EVENTS = 500
const MAX_CHARACTERS = 512 * 1024
/** A position is accepted for less time than the stream keeps events, because the clocks of nodes differ. */
const BELIEVED_MS = KEPT_MS - 30_000
const SKEW_MS = 5000
/** Maximum time that an event accepted by another server of the broker may take to arrive here. */
export const TRAVEL_MS = 1000

export type LiveListener = {
  received(batch: EventBatch): void
  /** Events may be missing: read the stored records again. */
  missed(): void
}

/** The generation in which events are numbered, and the time since which none was lost. */
export type StreamGeneration = { generation: string; whole_since: number }

export class Feed {
  readonly #gap_reads: GapReads
  readonly #clock: Clock
  readonly #stream_generation: StreamGeneration
  readonly #listener: LiveListener
  /** Events after `#floor`, oldest first. */
  #events: Event[] = []
  #characters = 0
  #floor: number
  #last: number
  #last_at: number
  /** Watchers that have seen more than this node (F4). */
  readonly #ahead = new Set<{ seq: number; resolve: () => void }>()

  /** `last`: the stream's last number, read after this node began to listen. */
  constructor(
    channel: string,
    stream: LiveStream,
    clock: Clock,
    stream_generation: StreamGeneration,
    listener: LiveListener,
    last: number,
  ) {
    this.#clock = clock
    this.#stream_generation = stream_generation
    this.#listener = listener
    this.#floor = last
    this.#last = last
    this.#last_at = clock.now()
    this.#gap_reads = new GapReads(channel, stream, clock, () => this.#last)
  }

  get last(): number {
    return this.#last
  }

  #position(seq: number): string {
    return `${this.#stream_generation.generation}.${seq}.${this.#clock.now().toString(36)}`
  }

  /** Returns false when the numbers go back: the stream has begun anew. */
  receive(event: Event): boolean {
    const now = this.#clock.now()
    // An event this close to the last one was received already, or was published before this feed began.
    if (event.seq <= this.#last) return now - this.#last_at < TRAVEL_MS
    if (event.text === DROPPED) {
      this.#last_at = now
      this.lose(event.seq)
      return true
    }
    const is_next = event.before <= this.#floor ? this.#events.length === 0 : event.before === this.#last
    // The stream has dropped the event before. After a long silence that is normal; sooner it is a loss.
    const is_gone = event.before === 0 && now - this.#last_at > BELIEVED_MS
    if (!is_next && !is_gone) this.lose(event.seq - 1)
    this.#last = event.seq
    this.#last_at = now
    this.#events.push(event)
    this.#characters += event.text.length
    while (this.#events.length > MAX_EVENTS || this.#characters > MAX_CHARACTERS) {
      const dropped = this.#events.shift()!
      this.#characters -= dropped.text.length
      this.#floor = dropped.seq
    }
    this.#listener.received(this.#batchOf(event))
    this.#joinAhead()
    return true
  }

  #batchOf({ seq, text }: Event): EventBatch {
    return new EventBatch(this.#position(seq), text)
  }

  /** Events up to `last` may be missing. */
  lose(last: number): void {
    this.#events = []
    this.#characters = 0
    this.#gap_reads.forget()
    this.#last = Math.max(this.#last, last)
    this.#floor = this.#last
    this.#listener.missed()
    this.#joinAhead()
  }

  /** The stream numbers its events anew. */
  restart(last: number): void {
    this.#last = last
    this.lose(last)
  }

  /**
   * Calls `begin` in the moment from which the listener receives every event, with the position then and the events
   * since `after`; undefined when these cannot be known.
   */
  async resume(
    after: string | undefined,
    begin: (from: { position: string; batches: EventBatch[] | undefined }) => void,
  ): Promise<void> {
    const seq = after === undefined ? undefined : this.#seqOf(after)
    const is_near = seq === undefined || (seq >= this.#floor && seq <= this.#last)
    const is_ahead = seq !== undefined && seq > this.#last
    const gap = is_near
      ? { upto: this.#last, events: [] }
      : await this.#gap_reads.read(seq, is_ahead ? seq : this.#floor)
    const seen = gap && 'known' in gap ? Math.min(seq!, gap.known) : 0
    await this.#arrival(seen)
    const is_whole =
      seq !== undefined &&
      gap !== undefined &&
      this.#last >= seen &&
      // Events that this feed dropped during the read were read, or they are missing.
      this.#floor <= Math.max(gap.upto, seq) &&
      this.#seqOf(after!) !== undefined
    begin({
      position: this.#position(this.#last),
      batches: is_whole ? joined(gap.events, this.#events, seq).map((event) => this.#batchOf(event)) : undefined,
    })
  }

  /** Resolves when this node has received the event, or after the time that an event may take. */
  async #arrival(seq: number): Promise<void> {
    if (this.#last >= seq) return
    await new Promise<void>((resolve) => {
      const waiting = { seq, resolve }
      this.#ahead.add(waiting)
      this.#clock.after(TRAVEL_MS, () => {
        if (this.#ahead.delete(waiting)) resolve()
      })
    })
  }

  #joinAhead(): void {
    for (const waiting of this.#ahead) {
      if (waiting.seq > this.#last) continue
      this.#ahead.delete(waiting)
      waiting.resolve()
    }
  }

  /** The number that a position stands for; undefined when the position is not valid here and now. */
  #seqOf(position: string): number | undefined {
    const [generation, seq, at] = position.split('.')
    const time = Number.parseInt(at ?? '', 36)
    if (generation !== this.#stream_generation.generation || !/^\d{1,15}$/.test(seq ?? '')) return undefined
    if (!(time > this.#stream_generation.whole_since + SKEW_MS) || time < this.#clock.now() - BELIEVED_MS)
      return undefined
    return Number(seq)
  }
}

/** Merges two ordered lists; an event in both appears once. */
function joined(older: Event[], newer: Event[], after: number): Event[] {
  const first = newer.find(({ seq }) => seq > after)?.seq ?? Number.POSITIVE_INFINITY
  return [...older.filter(({ seq }) => seq < first), ...newer.filter(({ seq }) => seq > after)]
}
