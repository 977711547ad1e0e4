/**
 * The part of a subscription's queue that is in memory: the front of the `delivery` table.
 *
 * Deliveries without an ordering key go out as they come. Those with a key go out one after the other within the key,
 * so a delivery that has to be tried again delays only its own key. Both are bounded: further deliveries stay in the
 * table, and are read when there is room.
 *
 * A key whose first delivery waits for its next attempt leaves memory, which has only its name and the time then. So keys that
 * wait, however many there are, take no room from the others.
 */
import type { Delivery } from '../../storage/mod.ts'
import { TimedNames } from '../timers/timed_names.ts'

/** `body` is the envelope. */
export type Waiting = { delivery: Delivery; body: string }

type Key = {
  /** In the order of their ids; the first is the next to send, or being sent. */
  queue: Waiting[]
  is_running: boolean
  /** More of this key may wait in the table. */
  more: boolean
}

export const LOOSE = 256
export const KEYS = 256
const QUEUED = 512
/** Maximum keys that wait apart. Further ones wait among the others. */
const PARKED = 50_000
/** Page size for reading one key. */
export const KEY_PAGE = 16

export class DeliveryQueue {
  /** Under way, by delivery id. */
  readonly running = new Map<string, Waiting>()
  /** Due deliveries without a key. */
  #loose: Waiting[] = []
  readonly #keys = new Map<string, Key>()
  #queued = 0
  /** Time of the next attempt of each key that waits for it (milliseconds). Its deliveries are in the table. */
  readonly #parked = new TimedNames()
  /** Due deliveries without a key may wait in the table. */
  loose_more = false
  /** Deliveries of keys that are not in memory may wait in the table. */
  keys_more = false
  /** A key was left to the table since the present pass over all keys began. */
  #left_in_pass = false
  /** Key after which the next read of keys begins. */
  key_cursor = ''

  get is_empty(): boolean {
    const here = this.running.size + this.#loose.length + this.#keys.size + this.#parked.size
    return here === 0 && !this.loose_more && !this.keys_more
  }

  /** True when memory holds nothing that can be sent, so the table must be read first. */
  get is_behind(): boolean {
    return this.#loose.length === 0 && this.loose_more
  }

  has({ id, ordering_key }: Delivery): boolean {
    if (this.running.has(id)) return true
    const list = ordering_key == null ? this.#loose : (this.#keys.get(ordering_key)?.queue ?? [])
    return list.some(({ delivery }) => delivery.id === id)
  }

  /** Adds a new delivery, the last of its key. Without room it is left to the table. */
  offer(waiting: Waiting): void {
    const name = waiting.delivery.ordering_key
    if (name == null) {
      if (this.loose_more || this.#loose.length >= LOOSE) this.loose_more = true
      else this.#loose.push(waiting)
      return
    }
    if (this.#parked.has(name)) return
    const key = this.#keys.get(name)
    if (key) {
      if (key.more || this.#queued >= QUEUED) key.more = true
      else this.#push(key, waiting)
    } else if (this.keys_more || this.#keys.size >= KEYS || this.#queued >= QUEUED) this.#leaveKey()
    else this.#push(this.#open(name), waiting)
  }

  /** Leaves a new delivery to the table. */
  leave(name: string | null): void {
    if (name === null) this.loose_more = true
    else if (!this.#parked.has(name)) this.reopen(name)
  }

  /** Adds due deliveries without a key from the table. `more`: the table has others. */
  takeLoose(rows: Waiting[], more: boolean): void {
    this.#loose.push(...rows)
    this.loose_more = more
  }

  /** Adds the first deliveries of keys beyond the cursor. `cursor` is the next position, undefined at the end. */
  takeHeads(rows: Waiting[], cursor: string | undefined, now: Date): void {
    for (const waiting of rows) {
      const name = waiting.delivery.ordering_key!
      if (this.#parked.has(name) || (!this.#keys.has(name) && this.#park(name, waiting.delivery, now))) continue
      const known = this.#keys.get(name)
      // Its own queue continues, and reads more when it runs dry.
      if (known) known.more = true
      else {
        const key = this.#open(name)
        key.more = true
        this.#push(key, waiting)
      }
    }
    this.key_cursor = cursor ?? ''
    if (cursor !== undefined) return
    // A key that was left to the table while the pass went on may stand before the place that it had reached.
    this.keys_more = this.#left_in_pass
    this.#left_in_pass = false
  }

  /** The first delivery of this key ended without an attempt: the others are read next. */
  skipHead(name: string): void {
    if (!this.#keys.has(name)) this.#open(name).more = true
  }

  /** Adds the deliveries of one key, read from its beginning. */
  takeKey(name: string, rows: Waiting[], more: boolean, now: Date): void {
    const key = this.#keys.get(name)
    if (!key) return
    if (key.queue.length === 0 && !key.is_running && rows[0] && this.#park(name, rows[0].delivery, now)) {
      this.#keys.delete(name)
      return
    }
    for (const waiting of rows) this.#push(key, waiting)
    key.more = more
    if (key.queue.length === 0 && !more) this.#keys.delete(name)
  }

  /** Takes the next delivery that may go, which then counts as running. */
  start(now: Date): Waiting | undefined {
    const waiting = this.#loose.shift() ?? this.#startKey(now)
    if (waiting) this.running.set(waiting.delivery.id, waiting)
    return waiting
  }

  #startKey(now: Date): Waiting | undefined {
    for (const key of this.#keys.values()) {
      const [head] = key.queue
      if (key.is_running || !head || head.delivery.next_attempt_at! > now) continue
      key.is_running = true
      return head
    }
    return undefined
  }

  /** Puts a delivery that was not attempted after all back to the front. */
  putBack(id: string): void {
    const waiting = this.running.get(id)
    if (!waiting) return
    this.running.delete(id)
    const name = waiting.delivery.ordering_key
    const key = name == null ? undefined : this.#keys.get(name)
    if (key) key.is_running = false
    else this.#loose.unshift(waiting)
  }

  /** Ends an attempt. `again`: it has a new time, and keeps its place in its key. */
  end(id: string, again: boolean, now: Date): Waiting | undefined {
    const waiting = this.running.get(id)
    if (!waiting) return undefined
    this.running.delete(id)
    const name = waiting.delivery.ordering_key
    const key = name == null ? undefined : this.#keys.get(name)
    if (!key) return waiting
    key.is_running = false
    // A key with a long queue goes behind the others: keys take turns.
    this.#keys.delete(name!)
    if (!again) {
      key.queue.shift()
      this.#queued--
    } else if (this.#park(name!, waiting.delivery, now)) {
      this.#queued -= key.queue.length
      return waiting
    }
    if (key.queue.length > 0 || key.more) this.#keys.set(name!, key)
    return waiting
  }

  /** Lets the parked keys whose time has come back into memory, as far as there is room. */
  unpark(now: Date): void {
    for (const name of this.#parked.take(now.getTime(), KEYS - this.#keys.size)) this.#open(name).more = true
  }

  /** Returns false for a delivery that may go, and when too many keys wait. */
  #park(name: string, { next_attempt_at }: Delivery, now: Date): boolean {
    if (!next_attempt_at || next_attempt_at <= now || this.#parked.size >= PARKED) return false
    this.#parked.set(name, next_attempt_at.getTime())
    return true
  }

  /** The earliest time of the deliveries that wait for another attempt. */
  soonest(): Date | undefined {
    const { next } = this.#parked
    let soonest = next === undefined ? undefined : new Date(next)
    for (const { queue, is_running } of this.#keys.values()) {
      const at = queue[0]?.delivery.next_attempt_at
      if (!is_running && at && (!soonest || at < soonest)) soonest = at
    }
    return soonest
  }

  /** The parts of the table that should be read now. */
  wants(): { loose: number; keys: string[]; heads: number } {
    const keys: string[] = []
    for (const [name, { queue, more }] of this.#keys) if (more && queue.length === 0) keys.push(name)
    const room = KEYS - this.#keys.size
    return {
      loose: this.is_behind ? LOOSE + this.running.size : 0,
      keys,
      heads: this.keys_more && room >= KEYS / 2 ? room : 0,
    }
  }

  /** The ids of all deliveries in memory. */
  ids(): string[] {
    const queued = [...this.#keys.values()].flatMap(({ queue }) => queue)
    return [...new Set([...this.running.values(), ...this.#loose, ...queued].map(({ delivery }) => delivery.id))]
  }

  /** Drops a deleted delivery. The result of an attempt under way is then ignored. */
  forget(id: string): void {
    const was_running = this.running.delete(id)
    this.#loose = this.#loose.filter(({ delivery }) => delivery.id !== id)
    for (const [name, key] of this.#keys) {
      const at = key.queue.findIndex(({ delivery }) => delivery.id === id)
      if (at < 0) continue
      key.queue.splice(at, 1)
      this.#queued--
      if (at === 0 && was_running) key.is_running = false
      if (key.queue.length === 0 && !key.more) this.#keys.delete(name)
    }
  }

  /** The keys in memory, which a read of other keys skips. */
  keyNames(): string[] {
    return [...this.#keys.keys()]
  }

  /** True when memory should take no more. */
  get is_full(): boolean {
    return this.#loose.length >= LOOSE / 2 || this.#queued >= QUEUED / 2
  }

  /** An earlier delivery of this key is in the table again. */
  reopen(name: string): void {
    this.#parked.delete(name)
    const key = this.#keys.get(name)
    if (key) key.more = true
    else this.#leaveKey()
  }

  /** Drops deliveries that are neither under way nor kept. */
  clear(keep: (waiting: Waiting) => boolean): void {
    this.#loose = this.#loose.filter(keep)
    for (const [name, key] of this.#keys) {
      const kept = key.queue.filter((waiting) => this.running.has(waiting.delivery.id) || keep(waiting))
      this.#queued -= key.queue.length - kept.length
      key.queue = kept
      key.more = false
      if (kept.length === 0) this.#keys.delete(name)
    }
    this.#parked.clear()
    this.loose_more = false
    this.keys_more = false
    this.key_cursor = ''
  }

  #leaveKey(): void {
    this.keys_more = true
    this.#left_in_pass = true
  }

  #open(name: string): Key {
    const key: Key = { queue: [], is_running: false, more: false }
    this.#keys.set(name, key)
    return key
  }

  #push(key: Key, waiting: Waiting): void {
    key.queue.push(waiting)
    this.#queued++
  }
}
