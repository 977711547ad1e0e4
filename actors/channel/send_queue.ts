/**
 * The order of sending. Messages of one recipient leave in the order they were accepted, so only the head of each queue
 * is ever attempted. Between recipients, those with an urgent message go before bulk. Broadcasts take turns: a later
 * one does not wait for all that the earlier ones have queued.
 *
 * Every recipient with a queue is in exactly one place: `urgent` or `calm` (its head may go), `later` (not before a
 * moment), or none (its head is being attempted).
 */
import type { Dispatch } from '../../storage/mod.ts'
import { TimedNames } from '../timers/timed_names.ts'
import type { OwnTrouble } from './content_failure.ts'
import { Rotation } from './rotation.ts'

/**
 * A message on its way out.
 *
 * queued → attempting (a call is under way) → gone, when the provider gave a final answer;
 * attempting → queued with `next_attempt_at`, when it certainly was not taken and may be tried again;
 * attempting → doubtful (no call under way, outcome unknown), until a status callback proves that it was taken or
 * `next_attempt_at` passes without one. Stored as `attempting`: after a crash every such row is doubtful.
 */
export type Item = {
  dispatch: Dispatch
  phase: 'queued' | 'attempting' | 'doubtful'
  /** Beginning of the last attempt (`performance.now()`); missing for that of a former owner. */
  begun_at?: number
  /** Reason for the doubt, as far as this node knows it. */
  failure?: { code: string; message: string }
  own_trouble?: OwnTrouble
  /** Its broadcast was cancelled while the provider might have it: it is not sent again. */
  is_withdrawn?: boolean
}

export class SendQueue {
  readonly #queues = new Map<string, Item[]>()
  readonly #items = new Map<string, Item>()
  readonly #urgent = new Set<string>()
  readonly #calm = new Rotation()
  readonly #later = new TimedNames()

  get size(): number {
    return this.#items.size
  }

  find(message_id: string): Item | undefined {
    return this.#items.get(message_id)
  }

  items(): Item[] {
    return [...this.#items.values()]
  }

  recipients(): string[] {
    return [...this.#queues.keys()]
  }

  /** Number of messages of the recipient. */
  count(recipient: string): number {
    return this.#queues.get(recipient)?.length ?? 0
  }

  /** Recipients that may not go before a time after `until` (milliseconds), and whose messages are all as their rows say. */
  waiting(until: number, most: number): { recipient: string; at: number }[] {
    const found: { recipient: string; at: number }[] = []
    for (const [recipient, at] of this.#later.entries()) {
      if (found.length === most) break
      const is_stored = this.#queues
        .get(recipient)!
        .every(({ phase, own_trouble }) => phase === 'queued' && !own_trouble)
      if (at > until && is_stored) found.push({ recipient, at })
    }
    return found
  }

  /** Removes a recipient with all its messages, and returns their rows. */
  takeOut(recipient: string): Dispatch[] {
    const rows = this.#queues.get(recipient)!.map(({ dispatch }) => dispatch)
    for (const { message_id } of rows) this.#items.delete(message_id)
    this.#queues.delete(recipient)
    this.#leave(recipient)
    return rows
  }

  head(recipient: string): Item | undefined {
    return this.#queues.get(recipient)?.[0]
  }

  /** Appends a message to its recipient's queue. `place` then decides the place of the recipient. */
  add(dispatch: Dispatch): Item {
    const item: Item = { dispatch, phase: dispatch.state === 'attempting' ? 'doubtful' : 'queued' }
    const queue = this.#queues.get(dispatch.recipient)
    if (queue) queue.push(item)
    else this.#queues.set(dispatch.recipient, [item])
    this.#items.set(dispatch.message_id, item)
    return item
  }

  remove({ dispatch: { message_id, recipient } }: Item): void {
    this.#items.delete(message_id)
    const queue = this.#queues.get(recipient)!
    queue.splice(
      queue.findIndex((one) => one.dispatch.message_id === message_id),
      1,
    )
    if (queue.length > 0) return
    this.#queues.delete(recipient)
    this.#leave(recipient)
  }

  /** Places a recipient whose head may go now, or not before `at` (milliseconds). */
  place(recipient: string, at: number | null): void {
    this.#leave(recipient)
    const queue = this.#queues.get(recipient)
    if (!queue || queue[0]!.phase === 'attempting') return
    if (at !== null) this.#later.set(recipient, at)
    // An urgent message makes the bulk messages before it urgent.
    else if (queue.some(({ dispatch }) => !dispatch.is_bulk)) this.#urgent.add(recipient)
    else this.#calm.add(recipient, queue[0]!.dispatch.broadcast_id ?? '')
  }

  /** Takes the next recipient whose head may go. */
  next(): Item | undefined {
    const [urgent] = this.#urgent
    if (urgent !== undefined) this.#urgent.delete(urgent)
    const recipient = urgent ?? this.#calm.next()
    return recipient === undefined ? undefined : this.#queues.get(recipient)![0]
  }

  get has_ready(): boolean {
    return this.#urgent.size + this.#calm.size > 0
  }

  /** True when a recipient that may go has an urgent message. */
  get has_urgent(): boolean {
    return this.#urgent.size > 0
  }

  /** Takes the recipients whose moment has come, and returns the time of the next one. */
  due(now: number): { recipients: string[]; next: number | null } {
    const recipients = this.#later.take(now)
    return { recipients, next: this.#later.next ?? null }
  }

  #leave(recipient: string): void {
    this.#urgent.delete(recipient)
    this.#calm.delete(recipient)
    this.#later.delete(recipient)
  }
}
