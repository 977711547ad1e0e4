/**
 * The inbox of a partition. On the healthy path messages come from a lane of its own node or from the transport; after
 * a failure of either they are read from the outbox.
 *
 * Invariants:
 *  I7 Per lane and partition, messages reach mailboxes in the order of their numbers, each once while this owner lives.
 *  I8 A number that does not follow the last one (gap, unknown lane) is never skipped: the outbox is read from there,
 *     and a number that is not in it was applied before. Lanes are read in the order of their sources (see I6), each to
 *     its end before the next.
 *  I9 Memory is bounded: beyond `limit` waiting messages, or their share of characters, the inbox lets all others run
 *     past and reads the outbox later. An actor that cannot go on keeps a share of the inbox, and lets messages beyond
 *     it run past (`actor/catch_up.ts`).
 *
 * An early message (`actor/early_message.ts`) reaches its mailbox before it has a number; its row is passed over.
 *
 * One file: following, healing and falling behind read and move the same numbers.
 *
 * States: open (following) → healing (a read is under way; batches of any lane wait for it) → open;
 * open → behind (too many waiting) → healing, once half of them are done.
 */
import { CatchUp, type Share, shareOf } from '../actor/catch_up.ts'
import type { OutboxRow } from '../actor/outbox_row.ts'
import type { Store } from '../commit/store.ts'
import type { Log } from '../log.ts'
import { type Clock, sleep } from '../time/clock.ts'
import type { Batch, Carried } from './jetstream_transport.ts'

export type Arrived = Carried & { source: number; number: number; release: () => void }

const PAGE = 1000
const PAGE_CHARACTERS = 4 * 1024 * 1024
/** Average characters allowed per waiting message. */
const CHARACTERS_EACH = 4096
/** One message of the largest kind has to fit, however small `limit` is. */
const MIN_CHARACTERS = 8 * 1024 * 1024

export class Inbox {
  readonly partition: number
  readonly #store: Store
  readonly #clock: Clock
  readonly #deliver: (arrived: Arrived) => void
  readonly #log: Log
  readonly #limit: number
  readonly #expected = new Map<number, number>()
  /** Batches that arrived while the outbox was read: up to `limit` messages; the rest is read again. */
  #held: Batch[] = []
  #holding = 0
  #heldCharacters = 0
  /** Actors that let messages run past, by address. */
  readonly #late = new Map<string, CatchUp>()
  /** Numbers of rows whose messages were given to their receivers early, by source, until the inbox has passed them. */
  readonly #early = new Map<number, Set<number>>()
  /** Early messages whose senders' turns are neither committed nor undone. */
  #uncommitted = 0
  #committed: (() => void)[] = []
  #waiting = 0
  #characters = 0
  #floor = 0
  #arrived = 0
  #behind = false
  #healing = false
  #again = false
  #closed = false
  readonly stats = { repeats: 0, gaps: 0, healed: 0 }

  constructor(
    partition: number,
    options: { store: Store; clock: Clock; deliver: (arrived: Arrived) => void; log: Log; limit: number },
  ) {
    this.partition = partition
    this.#store = options.store
    this.#clock = options.clock
    this.#deliver = options.deliver
    this.#log = options.log
    this.#limit = options.limit
  }

  get waiting(): number {
    return this.#waiting
  }

  /** True while every message that has arrived is applied. */
  get is_idle(): boolean {
    return this.#waiting === 0 && this.#late.size === 0
  }

  /** Maximum backlog of an actor that cannot go on. */
  get share(): Share {
    const [messages, characters] = [this.#limit - this.#waiting, this.#maxCharacters - this.#characters]
    return shareOf({ messages: Math.max(0, messages), characters: Math.max(0, characters) })
  }

  /** From now on messages for the actor run past it. */
  fallBehind(address: string): CatchUp {
    const catch_up = new CatchUp(address, {
      clock: this.#clock,
      log: this.#log,
      is_closed: () => this.#closed,
      read: () => this.#readPassed(address),
      take: (row) => this.#take(row, row.source, row.number),
      follows: () => this.#late.delete(address),
    })
    this.#late.set(address, catch_up)
    return catch_up
  }

  close(): void {
    this.#closed = true
    this.#callCommitted()
  }

  /**
   * True when a message that the lane is about to commit under `source` may reach its actor at once: everything that the
   * lane has sent before has arrived, and nothing of it waits to be read.
   */
  takesEarly(address: string, source: number): boolean {
    return this.open && !this.#isFull && this.#expected.has(source) && !this.#late.has(address)
  }

  /** Takes a message whose sender's turn is not committed yet. */
  admit(size: number): void {
    this.#waiting++
    this.#characters += size
    this.#arrived++
    this.#uncommitted++
  }

  /** A message has been applied or let go. */
  free(size: number): void {
    this.#waiting--
    this.#characters -= size
    if (this.#behind && this.#waiting <= this.#limit / 2 && this.#characters <= this.#maxCharacters / 2) {
      this.#behind = false
      this.heal()
    }
  }

  /** The row with this number holds a message that its receiver has already. Call before the row can arrive. */
  passOver(source: number, number: number): void {
    const numbers = this.#early.get(source)
    if (numbers) numbers.add(number)
    else this.#early.set(source, new Set([number]))
  }

  /** Its receiver has let go of the message: the row is not to be passed over. */
  comesAgain(source: number, number: number): void {
    this.#early.get(source)?.delete(number)
  }

  /** The turn of an early message's sender is over: the message has a row, or will never have one. */
  earlyEnded(): void {
    if (--this.#uncommitted === 0) this.#callCommitted()
  }

  #callCommitted(): void {
    for (const resolve of this.#committed.splice(0)) resolve()
  }

  /** True while the inbox lets all messages run past; it reads the outbox when it has room. */
  get is_behind(): boolean {
    return this.#behind
  }

  get is_closed(): boolean {
    return this.#closed
  }

  /** True while the inbox follows: a message that is still missing was lost on the way. */
  get open(): boolean {
    return !this.#healing && !this.#behind && !this.#closed
  }

  /** Number of messages received so far. */
  get arrived(): number {
    return this.#arrived
  }

  /** The next number of a lane this inbox has not seen, or 0 for a lane it does not know. */
  expected(source: number): number {
    return this.#expected.get(source) ?? 0
  }

  /** The lowest source that may still have rows in the outbox, or commit. */
  get floor(): number {
    return this.#floor
  }

  /** Sources below `floor` have no rows in the outbox and commit no more. */
  raiseFloor(floor: number): void {
    if (floor <= this.#floor || this.#waiting > 0) return
    this.#floor = floor
    for (const source of this.#expected.keys()) if (source < floor) this.#expected.delete(source)
    for (const source of this.#early.keys()) if (source < floor) this.#early.delete(source)
  }

  /** Reads a lane again from the beginning. Allowed only while none of its messages waits, or one could come twice. */
  restart(source: number): void {
    this.#expected.delete(source)
    this.heal()
  }

  /** A batch from the transport, or from a lane of this node. */
  receive(batch: Batch): void {
    if (this.#closed) return
    const expected = this.#expected.get(batch.source) ?? this.#following(batch)
    const end = batch.first + batch.messages.length
    if (batch.source < this.#floor || (expected !== undefined && end <= expected)) {
      this.stats.repeats += batch.messages.length
      return
    }
    if (this.#behind) return
    if (this.#healing) {
      this.#holding += batch.messages.length
      this.#heldCharacters += charactersOf(batch)
      if (this.#holding <= this.#limit && this.#heldCharacters <= this.#maxCharacters) this.#held.push(batch)
      else this.#again = true
      return
    }
    if (expected === undefined || batch.first > expected) {
      // The read that follows starts after this batch was committed, so it covers it.
      this.stats.gaps++
      this.heal()
      return
    }
    const skip = expected - batch.first
    this.stats.repeats += skip
    for (let i = skip; i < batch.messages.length; i++) {
      if (this.#isFull) {
        this.#behind = true
        return
      }
      this.#expected.set(batch.source, batch.first + i + 1)
      this.#arrive(batch.messages[i]!, batch.source, batch.first + i)
    }
  }

  /** Returns 1 when all messages that the lane sent under its former source have arrived; else undefined. */
  #following({ first, former }: Batch): number | undefined {
    if (first !== 1 || !former || this.#healing) return undefined
    return this.#expected.get(former.source) === former.next ? 1 : undefined
  }

  get #isFull(): boolean {
    return this.#waiting >= this.#limit || this.#characters >= this.#maxCharacters
  }

  get #maxCharacters(): number {
    return Math.max(MIN_CHARACTERS, this.#limit * CHARACTERS_EACH)
  }

  #arrive(carried: Carried, source: number, number: number): void {
    const catch_up = this.#late.get(carried.address)
    if (catch_up) catch_up.pass()
    if (this.#wasEarly(source, number) || catch_up) return
    this.#take(carried, source, number)
  }

  #wasEarly(source: number, number: number): boolean {
    const numbers = this.#early.get(source)
    if (!numbers?.delete(number)) return false
    if (numbers.size === 0) this.#early.delete(source)
    return true
  }

  #take({ address, sender, message, size }: Carried, source: number, number: number): void {
    this.#waiting++
    this.#characters += size
    this.#arrived++
    let released = false
    this.#deliver({
      address,
      sender,
      message,
      size,
      source,
      number,
      release: () => {
        if (released) return
        released = true
        this.free(size)
      },
    })
  }

  /** Reads all messages that have not arrived from the outbox. Calls during a read lead to one more read. */
  heal(): void {
    if (this.#closed) return
    if (this.#healing) {
      this.#again = true
      return
    }
    this.#healing = true
    void this.#heal()
  }

  async #heal(): Promise<void> {
    for (let failures = 0; !this.#closed; ) {
      this.#again = false
      try {
        // The rows that are read must not have messages that their receivers have, which only their commits tell.
        if (this.#uncommitted > 0) await new Promise<void>((resolve) => this.#committed.push(resolve))
        const more = await this.#read()
        failures = 0
        if (this.#behind) break
        if (more || this.#again) continue
        this.#healing = false
        this.#holding = 0
        this.#heldCharacters = 0
        this.#forgetPassed()
        for (const batch of this.#held.splice(0)) this.receive(batch)
        return
      } catch (error) {
        failures++
        this.#log.warn({ partition: this.partition, error: (error as Error).message }, 'reading the outbox failed')
        await sleep(this.#clock, Math.min(50 * 2 ** failures, 1000))
      }
    }
    this.#held.length = 0
    this.#holding = 0
    this.#heldCharacters = 0
    this.#healing = false
  }

  /** Forgets the numbers of early messages whose rows were settled before the inbox read as far. */
  #forgetPassed(): void {
    for (const [source, numbers] of this.#early) {
      const expected = this.expected(source)
      for (const number of numbers) if (number < expected) numbers.delete(number)
      if (numbers.size === 0) this.#early.delete(source)
    }
  }

  /** Reads the first rows of an actor, up to where this inbox has passed. */
  async #readPassed(address: string): Promise<{ rows: OutboxRow[]; is_last: boolean }> {
    const { messages, characters } = this.share
    const passed = [...this.#expected].map(([source, number]) => ({ source, number }))
    const rows = await this.#store.readOutboxOf(address, this.partition, passed, messages, characters)
    const total = rows.reduce((sum, { size }) => sum + size, 0)
    return { rows, is_last: rows.length < messages && total < characters }
  }

  /** Reads one page of the outbox, by source and number. Returns true when there may be more. */
  async #read(): Promise<boolean> {
    const known = [...this.#expected].map(([source, number]) => ({ source, number }))
    const rows = await this.#store.readOutbox(this.partition, this.#floor, known, PAGE, PAGE_CHARACTERS)
    let characters = 0
    for (const { source, number, address, sender, message, size } of rows) {
      if (this.#closed) return false
      characters += size
      if (number < (this.#expected.get(source) ?? 0)) continue
      if (this.#isFull) {
        this.#behind = true
        return true
      }
      this.#expected.set(source, number + 1)
      this.stats.healed++
      this.#arrive({ address, sender, message, size }, source, number)
    }
    return rows.length === PAGE || characters >= PAGE_CHARACTERS
  }
}

function charactersOf({ messages }: Batch): number {
  return messages.reduce((sum, { size }) => sum + size, 0)
}
