/**
 * The queues of recipients that continue in the table: rows that are not in memory. Memory has the first rows of a queue, so a
 * recipient whose messages do not leave fills no more than its share, and the others pass.
 *
 * A queue is named here as long as it has rows in the table alone. It is wanted when memory has few of its rows, and is read
 * in turn: those with single messages first, then one broadcast after the other.
 */
import type { Dispatch } from '../../storage/mod.ts'
import { TimedNames } from '../timers/timed_names.ts'
import { Rotation } from './rotation.ts'

type StoredQueue = {
  /** Those of the rows, ascending. */
  numbers: number[]
  /** It has a single message, or had one. */
  is_urgent: boolean
  /** The broadcast of its first row. */
  broadcast_id: string
}

/** A queue that is read: its next rows. */
export type QueuePart = { recipient: string; numbers: number[] }

type Row = Pick<Dispatch, 'recipient' | 'number' | 'is_bulk' | 'broadcast_id'>

export class StoredQueues {
  readonly #queues = new Map<string, StoredQueue>()
  readonly #urgent = new Set<string>()
  readonly #calm = new Rotation()
  /** Recipients of whom none is in memory, because none of their messages may go yet. */
  readonly #parked = new TimedNames()
  #rows = 0
  /** The queues that are being read. */
  readonly #asked = new Map<string, QueuePart>()

  /** Number of rows that are in the table alone. */
  get rows(): number {
    return this.#rows
  }

  get is_empty(): boolean {
    return this.#queues.size === 0
  }

  get has_wanted(): boolean {
    return this.#urgent.size + this.#calm.size > 0
  }

  get has_urgent(): boolean {
    return this.#urgent.size > 0
  }

  get asked(): QueuePart[] {
    return [...this.#asked.values()]
  }

  has(recipient: string): boolean {
    return this.#queues.has(recipient)
  }

  /** True while rows are being read. */
  get is_read(): boolean {
    return this.#asked.size > 0
  }

  /** True while rows of the recipient are being read. */
  reads(recipient: string): boolean {
    return this.#asked.has(recipient)
  }

  /** Notes the rows that a recipient has in the table. */
  load(recipient: string, queue: StoredQueue): void {
    this.#queues.set(recipient, queue)
    this.#rows += queue.numbers.length
    this.want(recipient)
  }

  /** Notes a new row at the end of its recipient's queue. */
  append({ recipient, number, is_bulk, broadcast_id }: Row): void {
    this.#rows++
    const queue = this.#queues.get(recipient)
    if (!queue) {
      const own = { numbers: [Number(number)], is_urgent: !is_bulk, broadcast_id: broadcast_id ?? '' }
      this.#queues.set(recipient, own)
      return
    }
    queue.numbers.push(Number(number))
    if (is_bulk || queue.is_urgent) return
    queue.is_urgent = true
    if (!this.#calm.has(recipient)) return
    this.#calm.delete(recipient)
    this.#urgent.add(recipient)
  }

  /** Puts rows back at the beginning of their recipient's queue, until `due` (milliseconds). Memory has none of the recipient then. */
  park(rows: readonly Row[], due: number): void {
    const { recipient, broadcast_id } = rows[0]!
    const known = this.#queues.get(recipient)
    this.#queues.set(recipient, {
      numbers: [...rows.map(({ number }) => Number(number)), ...(known?.numbers ?? [])],
      is_urgent: known?.is_urgent || rows.some(({ is_bulk }) => !is_bulk),
      broadcast_id: broadcast_id ?? '',
    })
    this.#rows += rows.length
    this.#urgent.delete(recipient)
    this.#calm.delete(recipient)
    this.#parked.set(recipient, due)
  }

  /** Memory has room for rows of this recipient. */
  want(recipient: string): void {
    const queue = this.#queues.get(recipient)
    if (!queue || this.#asked.has(recipient) || this.#parked.has(recipient)) return
    if (this.#urgent.has(recipient) || this.#calm.has(recipient)) return
    if (queue.is_urgent) this.#urgent.add(recipient)
    else this.#calm.add(recipient, queue.broadcast_id)
  }

  /** Wants the parked queues whose time has come. Returns the time of the next one. */
  due(now: number): number | null {
    for (const recipient of this.#parked.take(now)) this.want(recipient)
    return this.#parked.next ?? null
  }

  /** Lets all parked queues go at once. */
  unpark(): void {
    this.due(Number.POSITIVE_INFINITY)
  }

  /** Asks for at most `most` rows of the next wanted queue. `is_calm`: one without a single message, too. */
  ask(is_calm: boolean, most: number): QueuePart | undefined {
    const [urgent] = this.#urgent
    const recipient = urgent ?? (is_calm ? this.#calm.next() : undefined)
    if (recipient === undefined) return undefined
    this.#urgent.delete(recipient)
    const part = { recipient, numbers: this.#queues.get(recipient)!.numbers.slice(0, most) }
    this.#asked.set(recipient, part)
    return part
  }

  /** The rows that were asked for are in memory now, or were deleted. Returns their recipients. */
  taken(): string[] {
    const recipients = [...this.#asked.keys()]
    for (const { recipient, numbers } of this.#asked.values()) {
      const last = numbers.at(-1)!
      const left = this.#queues.get(recipient)?.numbers.findIndex((number) => number > last) ?? 0
      this.#drop(recipient, 0, left)
    }
    this.#asked.clear()
    return recipients
  }

  /** A row that is in the table alone is deleted. */
  removed({ recipient, number }: Pick<Dispatch, 'recipient' | 'number'>): void {
    const at = this.#queues.get(recipient)?.numbers.indexOf(Number(number)) ?? -1
    if (at >= 0) this.#drop(recipient, at, at + 1)
  }

  /** Drops the numbers from `begin` up to `end`, all further ones when that is -1. */
  #drop(recipient: string, begin: number, end: number): void {
    const queue = this.#queues.get(recipient)
    if (!queue) return
    this.#rows -= queue.numbers.splice(begin, end < 0 ? queue.numbers.length : end - begin).length
    if (queue.numbers.length > 0) return
    this.#queues.delete(recipient)
    this.#urgent.delete(recipient)
    this.#calm.delete(recipient)
    this.#parked.delete(recipient)
  }
}
