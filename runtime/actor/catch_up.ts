/**
 * The catching up of an actor that lets messages run past. It could not go on, and its waiting messages exceeded its share of the places
 * in its partition's inbox. The youngest were therefore dropped from memory; their rows are in the outbox.
 *
 * Whenever the actor holds no more tells, a page of its rows is read, in order, up to where the inbox has passed. All
 * rows of that range are still to be applied, so none comes twice; later rows come by the inbox (I7). The actor follows
 * again once a page was the last and no message ran past while it was read (I8).
 */

import type { Log } from '../log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import type { OutboxRow } from './outbox_row.ts'

/** Share of the free places that an actor that cannot go on may keep. Any number of such actors leaves places to others. */
const SHARE = 1 / 8

export type Share = { messages: number; characters: number }

type Passed = { rows: OutboxRow[]; is_last: boolean }

type CatchUpOptions = {
  clock: Clock
  log: Log
  is_closed(): boolean
  /** Reads its first rows, up to where the inbox has passed at the time of the call. */
  read(): Promise<Passed>
  take(row: OutboxRow): void
  /** No message runs past the actor any more. */
  follows(): void
}

export class CatchUp {
  readonly #address: string
  readonly #options: CatchUpOptions
  #passed = false
  #cut = false
  #reading = false
  #over = false

  constructor(address: string, options: CatchUpOptions) {
    this.#address = address
    this.#options = options
  }

  /** True when the actor follows again. */
  get is_over(): boolean {
    return this.#over
  }

  /** A message for it ran past. */
  pass(): void {
    this.#passed = true
  }

  /** A message that it was given was dropped again: those that follow in the page must not overtake it. */
  cut(): void {
    this.#cut = true
  }

  /** Call when the actor holds no more tells. */
  goOn(): void {
    if (this.#reading || this.#over) return
    this.#reading = true
    void this.#read()
  }

  async #read(): Promise<void> {
    const { clock, log, is_closed, read, take, follows } = this.#options
    for (let failures = 0; !is_closed(); ) {
      this.#passed = false
      try {
        const { rows, is_last } = await read()
        if (is_closed()) return
        failures = 0
        const is_end = is_last && !this.#passed
        if (rows.length === 0 && !is_end) continue
        this.#reading = false
        this.#cut = false
        for (const row of rows) {
          take(row)
          if (this.#cut) return
        }
        this.#over = is_end
        if (is_end) follows()
        return
      } catch (error) {
        failures++
        log.warn({ address: this.#address, error: (error as Error).message }, 'reading the outbox of an actor failed')
        await sleep(clock, Math.min(50 * 2 ** failures, 1000))
      }
    }
  }
}

export function shareOf(left: Share): Share {
  return { messages: Math.max(1, Math.ceil(left.messages * SHARE)), characters: Math.max(1, left.characters * SHARE) }
}

/** Index from which messages exceed the share. At least one message always fits. */
export function shareEnd(sizes: readonly number[], { messages, characters }: Share): number {
  let total = 0
  for (let i = 0; i < sizes.length; i++) {
    total += sizes[i]!
    if (i > 0 && (i >= messages || total > characters)) return i
  }
  return sizes.length
}
