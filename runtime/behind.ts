/**
 * An actor that lets messages run past. It could not go on, and what waited for it was more than its share of the places of its
 * partition's inbox, so the youngest were forgotten here: their rows are in the outbox.
 *
 * Whenever it has nothing left in hand that it was told, a page of its rows is read, in order. All of its rows that the inbox has
 * passed are then still to be applied, so none comes twice; what the inbox has not passed comes by the inbox (I7). It follows
 * again once a page was the last and nothing ran past while it was read (I8).
 */
import { type Clock, sleep } from './clock.ts'
import type { Log } from './log.ts'
import type { OutboxRow } from './outbox_row.ts'

/** An actor that cannot go on keeps so much of the places that are left, so that any number of them leaves some to others. */
const SHARE = 1 / 8

export type Share = { messages: number; characters: number }

type Passed = { rows: OutboxRow[]; is_last: boolean }

type BehindOptions = {
  clock: Clock
  log: Log
  is_closed(): boolean
  /** Reads the first of its rows among those that the inbox has passed when this is called. */
  read(): Promise<Passed>
  take(row: OutboxRow): void
  /** Nothing runs past it any more. */
  follows(): void
}

export class Behind {
  readonly #address: string
  readonly #options: BehindOptions
  #passed = false
  #reading = false
  #over = false

  constructor(address: string, options: BehindOptions) {
    this.#address = address
    this.#options = options
  }

  /** It follows again. */
  get is_over(): boolean {
    return this.#over
  }

  /** A message for it ran past. */
  pass(): void {
    this.#passed = true
  }

  /** To be called when it has nothing in hand that it was told. */
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
        this.#over = is_last && !this.#passed
        if (this.#over) follows()
        if (rows.length === 0 && !this.#over) continue
        this.#reading = false
        for (const row of rows) take(row)
        return
      } catch (error) {
        failures++
        log.warn({ address: this.#address, error: (error as Error).message }, 'reading what an actor was told failed')
        await sleep(clock, Math.min(50 * 2 ** failures, 1000))
      }
    }
  }
}

export function shareOf(left: Share): Share {
  return { messages: Math.max(1, Math.ceil(left.messages * SHARE)), characters: Math.max(1, left.characters * SHARE) }
}

/** Where what is over its share begins: one of them fits in any case. */
export function shareEnd(sizes: readonly number[], { messages, characters }: Share): number {
  let total = 0
  for (let i = 0; i < sizes.length; i++) {
    total += sizes[i]!
    if (i > 0 && (i >= messages || total > characters)) return i
  }
  return sizes.length
}
