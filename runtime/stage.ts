/**
 * Where actors live. The stage gives each message to its actor, runs turns and hands what they decided to the lane.
 *
 * Invariants:
 *  I10 An actor has at most one turn under way, and handles its mailbox in order.
 *  I11 State thrown away (failed commit, lost partition, fault) is never used again: the next turn loads it anew, and
 *      slow work started from it is aborted and its result dropped.
 *  I12 A fault is the message's own: it is tried `MAX_ATTEMPTS` times alone, then parked (tell, timer) or answered with
 *      an error (ask); its neighbours go on.
 *  I13 An ask whose deadline passed before its turn is not applied.
 *
 * One writer: every change of a cell's phase and mailbox is in this file, which is why it is long.
 */
import type { Database } from '../storage/mod.ts'
import type { ActorKind, Glance, Message } from './actor.ts'
import { type Address, keyOf, kindOf } from './address.ts'
import { type Behind, shareEnd } from './behind.ts'
import { Cell, type Entry } from './cell.ts'
import { type Clock, sleep } from './clock.ts'
import { deadLetter } from './dead_letter.ts'
import { isHeld, isStorageTrouble, isUniqueViolation } from './failure.ts'
import type { Inlet } from './inlet.ts'
import type { LaneOwner, Lost } from './lane.ts'
import type { LiveWord } from './live/live.ts'
import type { Log } from './log.ts'
import { Part, type Sent, type Surroundings, type TimerChange, type Work } from './part.ts'
import { Moved, Refusal, Unavailable } from './refusal.ts'
import { SlowWork } from './slow_work.ts'
import type { Store } from './store.ts'
import type { Timers } from './timers.ts'
import { WaitingAsks } from './waiting_asks.ts'

const MAX_ATTEMPTS = 3
const MAILBOX_LIMIT = 10_000
const TURN_LIMIT = 512
/** Actors in memory beyond which those that are idle leave soon. */
const MOST_RESIDENT = 200_000
const PRESSED_IDLE_MS = 1000
const PASSIVATE_MS = 5000
const FAULT_RETRY_MS = 50
const STORAGE_RETRY_MS = 250
/** Between tries of what the database does not take, at most. */
const HELD_RETRY_MS = 10_000
/** Tries after which an operator is told again. */
const ALARM_EACH = 10
const NOT_NOW = 'This version, or the database, cannot do this right now.'
const HELD = 'a message is held: this version, or the database, does not know what it needs; it waits in order'
const MUCH_WAITS = 'much waits for an actor that cannot go on; its latest messages stay in the outbox until it can'
/** For turns that are under way when their partition is given away. */
const LAST_TURNS_MS = 5000

type StageOptions = {
  database: Database
  kinds: ActorKind[]
  clock: Clock
  log: Log
  partitions: number
  /** An idle actor leaves memory after this long. */
  idle_ms: number
  /** Whether the process is short of memory. */
  isShort(): boolean
  epoch(partition: number): number | undefined
  /** Where messages enter a partition, while they do. */
  inlet(partition: number): Inlet | undefined
  /** Gives a turn to the lane. */
  push(part: Part): void
  store: Store
  timers: Timers
  /** Takes committed messages to their partitions. */
  send(sent: Sent[], source: number): void
  /** Says it to whoever watches. */
  say(words: readonly LiveWord[]): void
  surroundings: Surroundings
  /** Durable and applied once, wherever the actor is. */
  tell(address: string, message: Message): Promise<void>
  /**
   * True while this node holds its lease: nobody can have taken a partition from it. Otherwise nothing is answered without
   * the fence, and nothing begins outside.
   */
  leased(): boolean
  /** The database has lost commits that were acknowledged here. */
  rewound(lost: Lost): void
  /** A commit found that this partition has another owner. */
  moved(partition: number, epoch: number | undefined): void
}

/** Receives nothing: for an address of a kind that only a newer version knows. */
const NOBODY: ActorKind = {
  kind: '',
  create: () => undefined,
  load: async () => new Map(),
  receive: {},
  address: (key) => key as Address<never>,
}

class UnknownType extends Error {}

export class Stage implements LaneOwner {
  readonly #options: StageOptions
  readonly #kinds = new Map<string, ActorKind>()
  readonly #cells = new Map<string, Cell>()
  /** The same by partition: handing one over must not walk all others. */
  readonly #byPartition = new Map<number, Set<Cell>>()
  readonly #asks: WaitingAsks
  readonly #slow = new SlowWork()
  #loading = new Map<ActorKind, Cell[]>()
  #ready: Cell[] = []
  #scheduled = false
  readonly #endPassivation: () => void
  /** Decided and committed, and not begun for want of the lease. */
  #waiting: { cell: Cell; generation: number; works: Work[] }[] = []
  #draining = false
  #stopped = false
  /** Partitions that are being given away. */
  readonly #closing = new Set<number>()
  readonly stats = {
    turns: 0,
    messages: 0,
    loads: 0,
    passivated: 0,
    faults: 0,
    parked: 0,
    repeats: 0,
    blocked: 0,
    held: 0,
  }

  constructor(options: StageOptions) {
    this.#options = options
    for (const kind of options.kinds) this.#kinds.set(kind.kind, kind)
    this.#asks = new WaitingAsks(options.clock)
    this.#endPassivation = options.clock.every(Math.min(PASSIVATE_MS, Math.max(50, options.idle_ms / 4)), () =>
      this.#passivate(),
    )
  }

  get resident(): number {
    return this.#cells.size
  }

  #kind(address: string): ActorKind {
    return this.#kinds.get(kindOf(address)) ?? NOBODY
  }

  #cell(address: string, partition: number): Cell {
    const epoch = this.#options.epoch(partition)
    let cell = this.#cells.get(address)
    // The partition was lost and taken again: what the former cell still has under way will be fenced.
    if (cell && cell.epoch !== epoch) {
      this.#forget(cell)
      cell = undefined
    }
    if (!cell) {
      cell = new Cell(address, keyOf(address), this.#kind(address), partition, epoch)
      this.#keep(cell)
    }
    return cell
  }

  #keep(cell: Cell): void {
    this.#cells.set(cell.address, cell)
    const others = this.#byPartition.get(cell.partition)
    if (others) others.add(cell)
    else this.#byPartition.set(cell.partition, new Set([cell]))
  }

  #leave(cell: Cell): void {
    this.#cells.delete(cell.address)
    this.#byPartition.get(cell.partition)?.delete(cell)
  }

  #of(partition: number): Cell[] {
    return [...(this.#byPartition.get(partition) ?? [])]
  }

  /** Puts a message into an actor's mailbox. An ask beyond the mailbox' bound is answered `Unavailable` at once. */
  deliver(address: string, partition: number, entry: Entry): void {
    const cell = this.#cell(address, partition)
    if (entry.origin === 'ask') {
      if (this.#draining || this.#closing.has(partition)) {
        entry.reject!(new Moved())
        return
      }
      if (cell.mailbox.length >= (cell.kind.mailbox_limit ?? MAILBOX_LIMIT)) {
        entry.reject!(new Unavailable('Too much is waiting for this already.'))
        return
      }
      this.#asks.add(entry)
    }
    this.#enqueue(cell, entry)
  }

  /** Answers `entry` with `Unavailable` when its deadline passes first. For parts without an actor. */
  expect(entry: Entry): void {
    this.#asks.add(entry)
  }

  #enqueue(cell: Cell, entry: Entry): void {
    if (cell.held && isDurable(entry)) {
      cell.held.push(entry)
      this.#keepToShare(cell)
      return
    }
    cell.mailbox.push(entry)
    if (cell.blocked > 0 && isTell(entry)) this.#keepToShare(cell)
    if (cell.phase === 'idle') this.#schedule(cell)
  }

  /** Answers without a turn when the actor is in memory and can; undefined otherwise. Synchronous. */
  peek(address: string, message: Message): unknown {
    const cell = this.#cells.get(address)
    if (!cell?.loaded || this.#draining || this.#closing.has(cell.partition) || !this.#isHeld(cell)) return undefined
    const receive = cell.kind.peek?.[message.type]
    if (!receive) return undefined
    cell.used = this.#options.clock.monotonic()
    return receive(this.#glance(cell), message as never)
  }

  #glance(cell: Cell): Glance {
    return {
      key: cell.key,
      now: new Date(this.#options.clock.now()),
      state: cell.state,
      soon: (ms, message) => this.#soon(cell, ms, message),
    }
  }

  #soon(cell: Cell, ms: number, message: Message): void {
    cell.soon ??= new Map()
    if (cell.soon.has(message.type)) return
    cell.soon.set(message.type, message)
    const generation = cell.generation
    this.#options.clock.after(ms, () => {
      if (cell.generation !== generation || !cell.soon?.delete(message.type)) return
      // Most actors are idle most of the time, and an empty map is not small.
      if (cell.soon.size === 0) cell.soon = undefined
      this.#enqueue(cell, { message, origin: 'self', attempts: 0 })
    })
  }

  // --- turns -----------------------------------------------------------------------------------------------------

  #schedule(cell: Cell): void {
    if (cell.is_stale) this.#undo(cell)
    if (cell.behind) this.#catchUp(cell, cell.behind)
    if (cell.mailbox.length === 0) return
    if (!cell.loaded) {
      cell.phase = 'loading'
      const waiting = this.#loading.get(cell.kind)
      if (waiting) waiting.push(cell)
      else this.#loading.set(cell.kind, [cell])
    } else {
      cell.phase = cell.kind.read ? 'reading' : 'ready'
      this.#ready.push(cell)
    }
    if (!this.#scheduled) {
      this.#scheduled = true
      this.#options.clock.soon(() => this.#tick())
    }
  }

  /** Once per turn of the event loop: everything that arrived in it is loaded, read and decided together. */
  #tick(): void {
    this.#scheduled = false
    const ready = this.#ready
    this.#ready = []
    for (const cell of ready) {
      if (!this.#holds(cell)) continue
      const batch = this.#take(cell)
      if (cell.kind.read) void this.#read(cell, batch)
      else this.#decide(cell, batch, undefined)
    }
    if (this.#loading.size > 0) {
      const loading = this.#loading
      this.#loading = new Map()
      for (const [kind, cells] of loading) void this.#load(kind, cells)
    }
  }

  #take(cell: Cell): Entry[] {
    const limit = cell.solo > 0 ? 1 : (cell.kind.turn_limit ?? TURN_LIMIT)
    if (cell.solo > 0) cell.solo--
    if (cell.mailbox.length <= limit) {
      const all = cell.mailbox
      cell.mailbox = []
      return all
    }
    return cell.mailbox.splice(0, limit)
  }

  async #load(kind: ActorKind, all: Cell[]): Promise<void> {
    const cells = all.filter((cell) => this.#holds(cell))
    if (cells.length === 0) return
    let states: Map<string, unknown>
    try {
      states = kind.load
        ? await kind.load(
            cells.map((cell) => cell.key),
            this.#options.database,
          )
        : byKey(await this.#options.store.readStates(cells.map((cell) => cell.address)))
      for (const { key } of cells) if (!states.has(key)) states.set(key, kind.create(key))
    } catch (error) {
      this.#options.log.warn({ kind: kind.kind, error: (error as Error).message }, 'loading actors failed')
      this.#notLoaded(kind, cells, error as Error)
      return
    }
    this.stats.loads += cells.length
    for (const cell of cells) {
      if (!this.#holds(cell)) continue
      cell.state = states.get(cell.key)
      cell.loaded = true
      cell.phase = 'idle'
      this.#schedule(cell)
    }
  }

  /** One actor that cannot be loaded must not keep others away: they are loaded alone, it faults. */
  #notLoaded(kind: ActorKind, cells: Cell[], error: Error): void {
    if (isStorageTrouble(error)) this.#later(STORAGE_RETRY_MS, cells)
    else if (cells.length > 1) for (const cell of cells) void this.#load(kind, [cell])
    else if (this.#holds(cells[0]!)) {
      const entry = cells[0]!.mailbox.shift()!
      this.#fault(cells[0]!, entry, error, [entry])
    }
  }

  /** True while the cell is this stage's own; when its partition was lost the cell was emptied and forgotten. */
  #holds(cell: Cell): boolean {
    return this.#cells.get(cell.address) === cell
  }

  /** True while the epoch under which the cell was made is this node's, and nobody can have taken it. */
  #isHeld(cell: Cell): boolean {
    return this.#options.leased() && this.#isOwned(cell)
  }

  #isOwned(cell: Cell): boolean {
    return this.#holds(cell) && cell.epoch === this.#options.epoch(cell.partition)
  }

  #later(ms: number, cells: Cell[]): void {
    this.#options.clock.after(ms, () => {
      for (const cell of cells) this.#resume(cell)
    })
  }

  #resume(cell: Cell): void {
    if (!this.#holds(cell)) return
    cell.phase = 'idle'
    this.#schedule(cell)
  }

  async #read(cell: Cell, batch: Entry[]): Promise<void> {
    const { database, clock, log } = this.#options
    const live = batch.filter((entry) => !entry.expired)
    cell.reading = live
    const generation = cell.generation
    let records: unknown
    try {
      records = await cell.kind.read!(live.map((entry) => entry.message) as never, {
        key: cell.key,
        state: cell.state,
        database,
        now: new Date(clock.now()),
      })
    } catch (error) {
      log.warn({ address: cell.address, error: (error as Error).message }, 'reading for a turn failed')
      if (generation !== cell.generation) return
      cell.reading = undefined
      if (isHeld(error)) {
        this.#hold(cell, error as Error, live, live)
        return
      }
      if (!isStorageTrouble(error)) for (const entry of live) entry.attempts++
      if (live.length === 1 && live[0]!.attempts >= MAX_ATTEMPTS && !isStorageTrouble(error)) {
        this.#giveUp(cell, live[0]!, error as Error)
        return
      }
      cell.mailbox.unshift(...live)
      if (!isStorageTrouble(error)) cell.solo = Math.max(cell.solo, live.length)
      this.#later(isStorageTrouble(error) ? STORAGE_RETRY_MS : FAULT_RETRY_MS, [cell])
      return
    }
    if (generation !== cell.generation) return
    cell.reading = undefined
    this.#decide(cell, live, records)
  }

  #decide(cell: Cell, batch: Entry[], records: unknown): void {
    const now = this.#options.clock.now()
    const soon = (ms: number, message: Message) => this.#soon(cell, ms, message)
    const part = new Part(
      cell,
      new Date(now),
      records,
      this.#options.partitions,
      batch,
      soon,
      this.#options.surroundings,
    )
    cell.used = this.#options.clock.monotonic()
    cell.phase = 'ready'
    for (const entry of batch) {
      if (this.#asks.isOver(entry)) continue
      if (entry.timer && part.changesTimer(entry.timer.name)) continue
      const receive = cell.kind.receive[entry.message.type]
      const changes = part.changes
      try {
        if (!receive) throw new UnknownType(`${cell.kind.kind || 'nobody'} here does not receive ${entry.message.type}`)
        part.replies.push(receive(part as never, entry.message as never))
        part.entries.push(entry)
      } catch (error) {
        if (error instanceof Refusal && part.changes === changes) {
          part.replies.push(error)
          part.entries.push(entry)
          if (entry.origin === 'tell' || entry.origin === 'timer') this.#bury(part, entry, error)
          continue
        }
        if (error instanceof UnknownType) this.#holdUnknown(cell, part, entry, batch, error)
        else this.#fault(cell, entry, error as Error, batch)
        return
      }
    }
    this.stats.turns++
    this.stats.messages += part.entries.length
    if (part.empty && this.#isHeld(cell)) {
      this.#settled(part)
      return
    }
    cell.phase = 'committing'
    this.#options.push(part)
  }

  /** A newer version has sent it: it waits, and what came before it goes on. */
  #holdUnknown(cell: Cell, part: Part, entry: Entry, batch: Entry[], error: Error): void {
    this.#undo(cell)
    if (part.entries.length === 0 || entry.origin === 'ask') {
      this.#hold(cell, error, batch, [entry])
      return
    }
    cell.mailbox.unshift(...batch)
    cell.solo = part.entries.length
    this.#resume(cell)
  }

  // --- outcomes of commits (LaneOwner) -----------------------------------------------------------------------------

  epoch(partition: number): number | undefined {
    return this.#options.epoch(partition)
  }

  committed(parts: Part[], sent: Sent[], source: number): void {
    for (const part of parts) {
      // Whoever has taken the partition meanwhile has read them.
      if (part.cell && this.#isOwned(part.cell)) for (const change of part.timers) this.#timerChanged(part.cell, change)
      this.#settled(part)
    }
    // After the parts: a message may find a cell that must be thrown away, with the work that its part has started.
    if (sent.length > 0) this.#options.send(sent, source)
  }

  #timerChanged(cell: Cell, { address, partition, name, due, json }: TimerChange): void {
    // A firing of the former setting that still waits in the mailbox is void.
    if (cell.mailbox.some((entry) => entry.timer?.name === name)) {
      cell.mailbox = cell.mailbox.filter((entry) => entry.timer?.name !== name)
    }
    if (due === null || json === null) this.#options.timers.clear(address, name)
    else this.#options.timers.changed({ address, partition, name, due, message: JSON.parse(json) as Message })
  }

  #settled(part: Part): void {
    const cell = part.cell
    for (let i = 0; i < part.entries.length; i++) {
      const entry = part.entries[i]!
      if (entry.timer && !part.changesTimer(entry.timer.name)) {
        this.#options.timers.clear(cell!.address, entry.timer.name, entry.timer.due)
      }
      const reply = part.replies[i]
      if (entry.origin === 'ask') this.#asks.answer(entry, reply)
      entry.release?.()
    }
    if (part.lives.length > 0) this.#options.say(part.lives)
    for (const effect of part.effects) {
      try {
        effect()
      } catch (error) {
        this.#options.log.error({ address: cell?.address, error }, 'an effect after a commit failed')
      }
    }
    if (!cell) return
    cell.blocked = 0
    if (part.entries.some(isDurable)) cell.holds = 0
    // What was committed stands, but it is another's by now: nothing of this memory may be used, nor anything begin.
    if (!this.#isOwned(cell)) {
      this.#forget(cell)
      return
    }
    this.#begin(cell, part.works)
    cell.phase = 'idle'
    this.#schedule(cell)
  }

  /** Slow work begins only under a lease and a held epoch (I11): whoever takes the partition finds what has begun. */
  #begin(cell: Cell, works: Work[]): void {
    if (works.length === 0) return
    if (this.#isHeld(cell)) {
      for (const work of works) this.#work(cell, work)
      return
    }
    cell.works++
    this.#waiting.push({ cell, generation: cell.generation, works })
  }

  /** The lease was renewed, and with it what this node holds. */
  leaseRenewed(): void {
    for (const { cell, generation, works } of this.#waiting.splice(0)) {
      cell.works--
      if (cell.generation === generation) this.#begin(cell, works)
    }
  }

  faulted(part: Part, error: Error): void {
    if (!part.cell) {
      this.#asks.dismiss(part.entries, error)
      return
    }
    this.#fault(part.cell, part.batch.length === 1 ? part.batch[0]! : undefined, error, part.batch)
  }

  rewound(lost: Lost): void {
    this.#options.rewound(lost)
  }

  /** Its messages stay in order, and no try counts: they are not to blame. */
  hindered(part: Part, meaning: 'blocked' | 'held', error: Error): void {
    const { cell } = part
    if (!cell) {
      this.#asks.dismiss(part.entries, new Unavailable(NOT_NOW))
      return
    }
    this.#undo(cell)
    if (meaning === 'held') this.#hold(cell, error, part.batch, part.batch)
    else this.#block(cell, error, part.batch)
  }

  #block(cell: Cell, error: Error, batch: Entry[]): void {
    const facts = { address: cell.address, messages: batch.length, error: error.message }
    this.#options.log.warn(facts, 'a turn waits for rows that others hold')
    if (cell.blocked === 0) this.stats.blocked++
    const ms = Math.min(STORAGE_RETRY_MS * 2 ** cell.blocked++, HELD_RETRY_MS)
    cell.mailbox.unshift(...batch)
    this.#keepToShare(cell)
    this.#later(ms, [cell])
  }

  /**
   * This version, or the database, does not know what one of `at_fault` needs. Durable messages wait in order until it does;
   * callers of those at fault are told, and the others are served meanwhile.
   */
  #hold(cell: Cell, error: Error, batch: Entry[], at_fault: Entry[]): void {
    const facts = { address: cell.address, type: at_fault[0]?.message.type, error: error.message }
    if (cell.holds % ALARM_EACH === 0) this.#options.log.error(facts, HELD)
    if (cell.holds === 0) this.stats.held++
    const told = new Set(at_fault.filter(isAsk))
    this.#asks.dismiss(told, new Unavailable(NOT_NOW))
    const rest = [...batch.filter((entry) => !told.has(entry)), ...cell.mailbox]
    cell.mailbox = rest.filter(isAsk)
    this.#putAside(cell, rest)
    this.#resume(cell)
  }

  /** Whatever nobody waits for is tried again later, in order. */
  #putAside(cell: Cell, entries: Entry[]): void {
    // Results of slow work went with the state that they were for: the actor takes that up again.
    const is_lost = (entry: Entry) => entry.origin === 'self' && !entry.is_result && !cell.loaded
    const held = entries.filter((entry) => !isAsk(entry) && !is_lost(entry))
    if (entries.some(is_lost) && cell.kind.receive.wake) held.unshift(wake())
    if (held.length === 0) return
    if (cell.held) {
      // `held` is already scheduled for a retry; only messages of the actor to itself can have arrived since.
      cell.held = [...held, ...cell.held.filter((entry) => !is_lost(entry))]
      return
    }
    cell.held = held
    this.#keepToShare(cell)
    this.#options.clock.after(Math.min(STORAGE_RETRY_MS * 2 ** cell.holds++, HELD_RETRY_MS), () => this.#unhold(cell))
  }

  #unhold(cell: Cell): void {
    if (!this.#holds(cell) || !cell.held) return
    cell.mailbox.unshift(...cell.held)
    cell.held = undefined
    if (cell.phase === 'idle') this.#schedule(cell)
  }

  repeated(part: Part, error: Error): void {
    const cell = part.cell!
    this.#undo(cell)
    void this.#withoutRepeats(part).then(
      (entries) => {
        cell.mailbox.unshift(...entries)
        this.#resume(cell)
      },
      () => this.#fault(cell, undefined, error, part.batch),
    )
  }

  /** The entries of a part that are still to be settled. */
  async #withoutRepeats(part: Part): Promise<Entry[]> {
    const { store, timers } = this.#options
    const { address, partition } = part.cell!
    const tells = part.batch.filter((entry) => entry.origin === 'tell')
    const fired = part.batch.filter((entry) => entry.timer)
    const there = new Map<Entry, boolean>()
    const unsettled = await store.unsettled(
      tells.map((entry) => ({ partition, source: entry.source!, number: entry.number! })),
    )
    for (const [i, entry] of tells.entries()) there.set(entry, unsettled[i]!)
    const unfired = await store.unfired(fired.map((entry) => ({ address, ...entry.timer! })))
    for (const [i, entry] of fired.entries()) there.set(entry, unfired[i]!)
    return part.batch.filter((entry) => {
      if (there.get(entry) !== false) return true
      this.stats.repeats++
      if (entry.timer) timers.clear(address, entry.timer.name, entry.timer.due)
      entry.release?.()
      return false
    })
  }

  fenced(part: Part): void {
    this.#asks.dismiss(part.batch)
    this.#passOn(part.address, part.batch)
    this.#forget(part.cell!)
    this.#options.moved(part.cell!.partition, part.cell!.epoch)
  }

  /** Callers may repeat only what they know to be repeatable; what is durable proves by its row whether it was applied. */
  doubtful(part: Part): void {
    const error = new Unavailable('It is not known whether this was done.')
    const cell = part.cell
    if (!cell) {
      this.#asks.dismiss(part.entries, error)
      return
    }
    const durable = part.batch.filter(isDurable)
    this.#asks.dismiss(
      part.batch.filter((entry) => !durable.includes(entry)),
      error,
    )
    this.#undo(cell, true)
    // The state that is loaded shows if it was applied.
    cell.mailbox.unshift(...part.batch.filter((entry) => entry.is_result), ...durable)
    // A node that stops abandons commits whose outcome is unknown: one may still happen after a load here, not after a takeover.
    if (this.#draining) this.#forget(cell)
    else this.#resume(cell)
  }

  /** The partition has another owner: nothing of it stays in memory. */
  lost(partition: number): void {
    for (const cell of this.#of(partition)) if (cell.phase !== 'committing') this.#forget(cell)
  }

  #forget(cell: Cell): void {
    this.#evict(cell)
    const left = [...(cell.reading ?? []), ...cell.mailbox.splice(0), ...(cell.held ?? [])]
    cell.reading = undefined
    cell.held = undefined
    this.#asks.dismiss(left)
    this.#passOn(cell.address, left)
    if (this.#holds(cell)) this.#leave(cell)
  }

  /** Results of calls that must not be cut short reach whoever has the actor now. */
  #passOn(address: string, entries: Iterable<Entry>): void {
    for (const { message, is_result } of entries) if (is_result) this.#slow.keep(this.#tellResult(address, message))
  }

  /** Tried until it is kept: whoever hears it twice knows the attempt. */
  async #tellResult(address: string, message: Message): Promise<void> {
    const { clock, log, tell } = this.#options
    for (;;) {
      try {
        await tell(address, message)
        return
      } catch (error) {
        log.warn({ address, error }, 'the result of a call could not be kept yet')
        if (this.#stopped) return
        await sleep(clock, STORAGE_RETRY_MS)
      }
    }
  }

  // --- faults ----------------------------------------------------------------------------------------------------

  #evict(cell: Cell): void {
    cell.loaded = false
    cell.is_stale = false
    cell.state = undefined
    cell.awake = undefined
    cell.soon = undefined
    cell.generation++
    this.#slow.abort(cell)
  }

  /** Throws the state away; when something in flight for it goes with it, the actor is told to take that up again. */
  #undo(cell: Cell, lost = false): void {
    const wake = lost || cell.is_stale || cell.works > 0 || (cell.soon !== undefined && cell.soon.size > 0)
    this.#evict(cell)
    if (wake) this.#wake(cell)
  }

  #wake(cell: Cell): void {
    if (!cell.kind.receive.wake || cell.mailbox.some((entry) => entry.message.type === 'wake')) return
    cell.mailbox.unshift(wake())
  }

  /** `entry` is the message at fault when that is known; `batch` all that the turn was given, in order. */
  #fault(cell: Cell, entry: Entry | undefined, error: Error, batch: Entry[]): void {
    this.stats.faults++
    const { log } = this.#options
    const facts = { address: cell.address, type: entry?.message.type, messages: batch.length, error }
    // Somebody else was first, which the next try sees: nothing that an operator could mend, unless it goes on.
    const was_late = isUniqueViolation(error) && (entry?.attempts ?? 0) + 1 < MAX_ATTEMPTS
    if (was_late) log.warn(facts, 'a turn met a row that exists by now, and is tried again')
    else log.error(facts, 'a turn failed and was undone')
    this.#undo(cell)
    if (entry) entry.attempts++
    if (entry && batch.length === 1 && entry.attempts >= MAX_ATTEMPTS) {
      this.#giveUp(cell, entry, error)
      return
    }
    cell.mailbox.unshift(...batch)
    cell.solo = Math.max(cell.solo, batch.length)
    if (batch.length === 1) this.#later(FAULT_RETRY_MS, [cell])
    else this.#resume(cell)
  }

  #giveUp(cell: Cell, entry: Entry, error: Error): void {
    if (entry.origin === 'ask' || entry.origin === 'self') {
      this.#asks.dismiss([entry], error)
      this.#resume(cell)
      return
    }
    const part = new Part(cell, new Date(this.#options.clock.now()), undefined, this.#options.partitions, [entry])
    part.entries.push(entry)
    part.replies.push(undefined)
    this.#bury(part, entry, error)
    cell.phase = 'committing'
    this.#options.push(part)
  }

  #bury(part: Part, entry: Entry, error: Error): void {
    this.stats.parked++
    this.#options.log.error({ address: part.address, type: entry.message.type, error }, 'a message was parked')
    part.dead.push(deadLetter(part.cell!.partition, part.address, entry, error))
  }

  // --- actors that let messages run past (`behind.ts`) ---------------------------------------------------------------

  /** An actor that cannot go on must not take all places of its partition: of what it was told the youngest are forgotten. */
  #keepToShare(cell: Cell): void {
    const inlet = this.#isOwned(cell) ? this.#options.inlet(cell.partition) : undefined
    if (!inlet) return
    const tells = (cell.held ?? cell.mailbox).filter(isTell)
    const end = shareEnd(
      tells.map(({ size }) => size ?? 0),
      inlet.share,
    )
    if (end === tells.length) return
    if (cell.behind?.is_over !== false) {
      this.#options.log.warn({ address: cell.address }, MUCH_WAITS)
      cell.behind = inlet.fallBehind(cell.address)
    }
    const forgotten = new Set(tells.slice(end))
    if (cell.held) cell.held = cell.held.filter((entry) => !forgotten.has(entry))
    else cell.mailbox = cell.mailbox.filter((entry) => !forgotten.has(entry))
    for (const { release } of forgotten) release?.()
  }

  /** The cell is idle. */
  #catchUp(cell: Cell, behind: Behind): void {
    if (behind.is_over) cell.behind = undefined
    else if (!cell.mailbox.some(isTell) && !cell.held?.some(isTell)) behind.goOn()
  }

  // --- slow work, passivation, the end ---------------------------------------------------------------------------

  #work(cell: Cell, work: Work): void {
    const { address } = cell
    const { log } = this.#options
    this.#slow.start(cell, work, () => this.#isHeld(cell), {
      done: (message) =>
        this.#enqueue(cell, { message, origin: 'self', attempts: 0, ...(work.unbroken && { is_result: true }) }),
      failed: (error) => {
        log.error({ address, error }, 'slow work failed; the actor starts anew')
        cell.is_stale = true
        if (cell.phase === 'idle') this.#schedule(cell)
      },
      orphaned: (message) => this.#tellResult(address, message),
    })
  }

  /** Resolves when the calls that must not be cut short have ended and their results are kept. */
  calls(): Promise<void> {
    return this.#slow.calls()
  }

  #passivate(): void {
    const { clock, idle_ms } = this.#options
    const before = clock.monotonic() - (this.#isPressed() ? PRESSED_IDLE_MS : idle_ms)
    for (const cell of this.#cells.values()) {
      if (cell.phase !== 'idle' || cell.mailbox.length > 0 || cell.held || cell.works > 0 || cell.used > before)
        continue
      if (cell.soon && cell.soon.size > 0) continue
      if (cell.behind?.is_over === false) continue
      this.#leave(cell)
      this.stats.passivated++
    }
  }

  /** Too much is in memory: whoever is idle goes sooner, and is loaded again when something comes for it. */
  #isPressed(): boolean {
    return this.#cells.size > MOST_RESIDENT || this.#options.isShort()
  }

  /** No new asks for these partitions; resolves when none of their turns is under way, or after `ms`. */
  async quiet(partitions: Set<number>, ms: number): Promise<void> {
    for (const partition of partitions) this.#closing.add(partition)
    const cells = [...partitions].flatMap((partition) => this.#of(partition))
    await this.#settle(cells, ms, (cell) => this.#slow.isBreakable(cell))
    // The next owner finds in the tables what is durable. What callers were promised and what was to be written behind
    // is only here: it is worth more patience.
    for (const cell of cells) this.#leaveDurable(cell)
    await this.#settle(cells, LAST_TURNS_MS, () => false)
    for (const partition of partitions) this.#closing.delete(partition)
  }

  #leaveDurable(cell: Cell): void {
    this.#asks.dismiss(cell.mailbox.filter(isDurable))
    cell.mailbox = cell.mailbox.filter((entry) => !isDurable(entry))
    this.#asks.dismiss(cell.held ?? [])
    this.#passOn(cell.address, cell.held ?? [])
    cell.held = undefined
  }

  /** What was to be written behind is written now; waits for turns, and for what else `busy` says. */
  async #settle(cells: Iterable<Cell>, ms: number, busy: (cell: Cell) => boolean): Promise<void> {
    const { clock } = this.#options
    const until = clock.monotonic() + ms
    const all = [...cells]
    for (const cell of all) {
      for (const message of cell.soon?.values() ?? []) cell.mailbox.push({ message, origin: 'self', attempts: 0 })
      cell.soon = undefined
      if (cell.phase === 'idle') this.#schedule(cell)
    }
    while (clock.monotonic() < until) {
      if (!all.some((cell) => cell.phase !== 'idle' || cell.mailbox.length > 0 || busy(cell))) break
      await sleep(clock, 5)
    }
  }

  /** No new asks; resolves when no turn is under way and no mailbox waits, or after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    await this.#settle(this.#cells.values(), ms, () => false)
  }

  stop(): void {
    this.#stopped = true
    this.#endPassivation()
    for (const cell of [...this.#cells.values()]) this.#forget(cell)
    this.#asks.stop()
  }
}

/** What stays in the database until it is applied. */
function isDurable(entry: Entry): boolean {
  return entry.origin === 'tell' || entry.timer !== undefined
}

function isTell(entry: Entry): boolean {
  return entry.origin === 'tell'
}

function isAsk(entry: Entry): boolean {
  return entry.origin === 'ask'
}

function wake(): Entry {
  return { message: { type: 'wake' }, origin: 'self', attempts: 0 }
}

function byKey(states: Map<string, unknown>): Map<string, unknown> {
  return new Map([...states].map(([address, state]) => [keyOf(address), state]))
}
