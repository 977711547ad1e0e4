/**
 * The queues of recipients that continue in the table: rows that are not in memory. Memory has the first rows of a queue, so a
 * recipient whose messages do not leave fills no more than its share, and the others pass.
 *
 * A queue is named here as long as it has rows in the table alone. It is wanted when memory has few of its rows, and is read
 * in turn: those with single messages first, then one broadcast after the other.
 */
import type { Dispatch } from '../../storage/mod.ts'
import { Rotation } from './rotation.ts'

type StoredQueue = {
  /** The rows in the table alone have numbers from `first` to `last`. */
  first: number
  last: number
  /** It has a single message, or had one. */
  is_urgent: boolean
  /** The broadcast of its first row. */
  broadcast_id: string
  /** None of its rows may go before this time (milliseconds), and none is in memory. */
  not_before: number | null
  /** `last` at the time of the read that is under way. */
  read_to: number | null
}

/** A queue to read: its next rows, in order. */
export type QueuePart = { recipient: string; first: number; last: number }

type Row = Pick<Dispatch, 'recipient' | 'number' | 'is_bulk' | 'broadcast_id'>

export class StoredQueues {
  readonly #queues = new Map<string, StoredQueue>()
  readonly #urgent = new Set<string>()
  readonly #calm = new Rotation()
  #rows = 0
  /** The queues that are being read. */
  readonly asked: QueuePart[] = []

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

  has(recipient: string): boolean {
    return this.#queues.has(recipient)
  }

  /** True while rows of the recipient are being read. */
  isRead(recipient: string): boolean {
    return this.#queues.get(recipient)?.read_to != null
  }

  /** Notes the rows of a queue that the table has: `last` is the latest one. */
  load(
    recipient: string,
    queue: Pick<StoredQueue, 'first' | 'last' | 'is_urgent' | 'broadcast_id'>,
    rows: number,
  ): void {
    this.#queues.set(recipient, { ...queue, not_before: null, read_to: null })
    this.#rows += rows
    this.want(recipient)
  }

  /** Notes a new row at the end of its recipient's queue. */
  append({ recipient, number, is_bulk, broadcast_id }: Row): void {
    this.#rows++
    const queue = this.#queues.get(recipient)
    if (!queue) {
      const own = { first: Number(number), last: Number(number), is_urgent: !is_bulk, broadcast_id: broadcast_id ?? '' }
      this.#queues.set(recipient, { ...own, not_before: null, read_to: null })
      return
    }
    queue.last = Number(number)
    if (is_bulk || queue.is_urgent) return
    queue.is_urgent = true
    if (!this.#calm.has(recipient)) return
    this.#calm.delete(recipient)
    this.#urgent.add(recipient)
  }

  /** Puts rows back at the beginning of their recipient's queue, until `not_before`. Memory has none of the recipient then. */
  park(rows: readonly Row[], not_before: number): void {
    const { recipient, number, broadcast_id } = rows[0]!
    const known = this.#queues.get(recipient)
    this.#queues.set(recipient, {
      first: Number(number),
      last: known?.last ?? Number(rows.at(-1)!.number),
      is_urgent: (known?.is_urgent ?? false) || rows.some(({ is_bulk }) => !is_bulk),
      broadcast_id: broadcast_id ?? '',
      not_before,
      read_to: null,
    })
    this.#rows += rows.length
    this.#urgent.delete(recipient)
    this.#calm.delete(recipient)
  }

  /** Memory has room for rows of this recipient. */
  want(recipient: string): void {
    const queue = this.#queues.get(recipient)
    if (!queue || queue.read_to !== null || queue.not_before !== null) return
    if (this.#urgent.has(recipient) || this.#calm.has(recipient)) return
    if (queue.is_urgent) this.#urgent.add(recipient)
    else this.#calm.add(recipient, queue.broadcast_id)
  }

  /** Wants the parked queues whose time has come. Returns the time of the next one. */
  due(now: number): number | null {
    let next: number | null = null
    for (const [recipient, queue] of this.#queues) {
      if (queue.not_before === null) continue
      if (queue.not_before > now) next = Math.min(next ?? Number.POSITIVE_INFINITY, queue.not_before)
      else {
        queue.not_before = null
        this.want(recipient)
      }
    }
    return next
  }

  /** Lets all parked queues go at once. */
  unpark(): void {
    this.due(Number.POSITIVE_INFINITY)
  }

  /** Asks for the next wanted queue. `is_calm`: one without a single message, too. */
  ask(is_calm: boolean): QueuePart | undefined {
    const [urgent] = this.#urgent
    const recipient = urgent ?? (is_calm ? this.#calm.next() : undefined)
    if (recipient === undefined) return undefined
    this.#urgent.delete(recipient)
    const queue = this.#queues.get(recipient)!
    queue.read_to = queue.last
    const part = { recipient, first: queue.first, last: queue.last }
    this.asked.push(part)
    return part
  }

  /** The end of the read of a queue that was asked for. `rows` are those that were found, at most `most` of them. */
  taken(recipient: string, rows: readonly Row[], most: number): void {
    const queue = this.#queues.get(recipient)
    if (!queue || queue.read_to === null) return
    this.#lose(rows.length)
    // The table had no more rows, whatever was deleted of those that it once had.
    const read_to = rows.length < most ? queue.read_to : Number(rows.at(-1)!.number)
    if (read_to >= queue.last) this.#forget(recipient)
    else Object.assign(queue, { first: read_to + 1, read_to: null })
  }

  /** A row that is in the table alone is deleted. */
  removed(): void {
    this.#lose(1)
  }

  #forget(recipient: string): void {
    this.#queues.delete(recipient)
    this.#urgent.delete(recipient)
    this.#calm.delete(recipient)
    if (this.#queues.size === 0) this.#rows = 0
  }

  /** A row may be read and deleted in one turn, so the number is corrected when no queue is left. */
  #lose(rows: number): void {
    this.#rows = Math.max(0, this.#rows - rows)
  }
}
