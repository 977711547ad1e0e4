/**
 * Where actors live. The stage gives each message to its actor, runs turns and hands what they decided to the lanes.
 *
 * Invariants:
 *  I10 An actor has at most one turn under way, and handles its mailbox in order.
 *  I11 State thrown away (failed commit, lost partition, fault) is never used again: the next turn loads it anew, and
 *      slow work started from it is aborted and its result dropped.
 *  I12 A fault is the message's own: it is tried `MAX_ATTEMPTS` times alone, then parked (tell, timer) or answered with
 *      an error (ask); its neighbours go on.
 *  I13 An ask whose deadline passed before its turn is not applied.
 */
import type { Database } from '../storage/mod.ts'
import type { ActorKind, Glance, Message } from './actor.ts'
import { keyOf, kindOf } from './address.ts'
import { Cell, type Entry } from './cell.ts'
import type { Clock } from './clock.ts'
import type { Lane, LaneOwner } from './lane.ts'
import type { Log } from './log.ts'
import { Part, type Sent, type Work } from './part.ts'
import { Moved, Refusal, Unavailable } from './refusal.ts'
import type { Timers } from './timers.ts'

const MAX_ATTEMPTS = 3
const MAILBOX_LIMIT = 10_000
const TURN_LIMIT = 512
const FAULT_RETRY_MS = 50
const STORAGE_RETRY_MS = 250
const DEADLINE_SWEEP_MS = 100

type StageOptions = {
  database: Database
  kinds: ActorKind[]
  clock: Clock
  log: Log
  partitions: number
  /** An idle actor leaves memory after this long. */
  idle_ms: number
  epoch(partition: number): number | undefined
  lane(partition: number): Lane
  timers: Timers
  publish(sent: Sent[], source: number): void
  /** A commit found that this partition has another owner. */
  moved(partition: number): void
}

export class Stage implements LaneOwner {
  readonly #options: StageOptions
  readonly #kinds = new Map<string, ActorKind>()
  readonly #cells = new Map<string, Cell>()
  readonly #asks = new Set<Entry>()
  readonly #aborts = new Map<Cell, Set<AbortController>>()
  #loading = new Map<ActorKind, Cell[]>()
  #ready: Cell[] = []
  #scheduled = false
  #sweeper: NodeJS.Timeout
  #passivator: NodeJS.Timeout
  #draining = false
  readonly stats = { turns: 0, messages: 0, loads: 0, passivated: 0, faults: 0, parked: 0, repeats: 0 }

  constructor(options: StageOptions) {
    this.#options = options
    for (const kind of options.kinds) this.#kinds.set(kind.kind, kind)
    this.#sweeper = setInterval(() => this.#sweepDeadlines(), DEADLINE_SWEEP_MS)
    this.#sweeper.unref()
    this.#passivator = setInterval(() => this.#passivate(), Math.max(50, options.idle_ms / 4))
    this.#passivator.unref()
  }

  get resident(): number {
    return this.#cells.size
  }

  /** The actor kind of an address; throws a TypeError for a kind this node does not know. */
  kind(address: string): ActorKind {
    const kind = this.#kinds.get(kindOf(address))
    if (!kind) throw new TypeError(`no actor kind for ${address}`)
    return kind
  }

  #cell(address: string, partition: number): Cell {
    let cell = this.#cells.get(address)
    if (!cell) {
      cell = new Cell(address, keyOf(address), this.kind(address), partition)
      this.#cells.set(address, cell)
    }
    return cell
  }

  /** Puts a message into an actor's mailbox. An ask beyond the mailbox' bound is answered `Unavailable` at once. */
  deliver(address: string, partition: number, entry: Entry): void {
    let cell: Cell
    try {
      cell = this.#cell(address, partition)
    } catch (error) {
      this.#park(partition, address, entry, error as Error)
      return
    }
    if (entry.origin === 'ask') {
      if (this.#draining) {
        entry.reject!(new Unavailable('This node is shutting down.'))
        return
      }
      if (cell.mailbox.length >= (cell.kind.mailbox_limit ?? MAILBOX_LIMIT)) {
        entry.reject!(new Unavailable('Too much is waiting for this already.'))
        return
      }
      this.#asks.add(entry)
    }
    cell.mailbox.push(entry)
    if (cell.phase === 'idle') this.#schedule(cell)
  }

  /** Answers without a turn when the actor is in memory and can; undefined otherwise. Synchronous. */
  peek(address: string, message: Message): unknown {
    const cell = this.#cells.get(address)
    if (!cell?.loaded) return undefined
    const receive = cell.kind.peek?.[message.type]
    if (!receive) return undefined
    cell.used = this.#options.clock.now()
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
    cell.soon ??= new Set()
    if (cell.soon.has(message.type)) return
    cell.soon.add(message.type)
    const generation = cell.generation
    this.#options.clock.after(ms, () => {
      if (cell.generation !== generation) return
      cell.soon?.delete(message.type)
      cell.mailbox.push({ message, origin: 'self', attempts: 0 })
      if (cell.phase === 'idle') this.#schedule(cell)
    })
  }

  // --- turns -----------------------------------------------------------------------------------------------------

  #schedule(cell: Cell): void {
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
      setImmediate(() => this.#tick())
    }
  }

  /** Once per turn of the event loop: everything that arrived in it is loaded, read and decided together. */
  #tick(): void {
    this.#scheduled = false
    const ready = this.#ready
    this.#ready = []
    for (const cell of ready) {
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

  async #load(kind: ActorKind, cells: Cell[]): Promise<void> {
    let states: Map<string, unknown>
    try {
      states = kind.load
        ? await kind.load(
            cells.map((cell) => cell.key),
            this.#options.database,
          )
        : await this.#loadStates(cells)
    } catch (error) {
      this.#options.log.warn({ kind: kind.kind, error: (error as Error).message }, 'loading actors failed')
      this.#later(STORAGE_RETRY_MS, cells)
      return
    }
    this.stats.loads += cells.length
    for (const cell of cells) {
      if (!this.#holds(cell)) continue
      cell.state = states.get(cell.key) ?? kind.create(cell.key)
      cell.loaded = true
      cell.phase = 'idle'
      this.#schedule(cell)
    }
  }

  async #loadStates(cells: Cell[]): Promise<Map<string, unknown>> {
    const list = cells.map((cell) => `'${cell.address}'`).join()
    const rows = await this.#options.database.execute(
      `select address, state from actor_state where address in (${list})`,
    )
    return new Map(rows.map((row) => [keyOf(row.address as string), row.state]))
  }

  /** True while the cell is this stage's own; when its partition was lost the cell was emptied and forgotten. */
  #holds(cell: Cell): boolean {
    return this.#cells.get(cell.address) === cell
  }

  #later(ms: number, cells: Cell[]): void {
    this.#options.clock.after(ms, () => {
      for (const cell of cells) {
        if (!this.#holds(cell)) continue
        cell.phase = 'idle'
        this.#schedule(cell)
      }
    })
  }

  async #read(cell: Cell, batch: Entry[]): Promise<void> {
    const { database, clock, log } = this.#options
    const live = batch.filter((entry) => !entry.expired)
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
      for (const entry of live) entry.attempts++
      const given = live.filter((entry) => entry.attempts > MAX_ATTEMPTS && !isStorageTrouble(error))
      if (given.length > 0 && live.length === 1) {
        this.#giveUp(cell, given[0]!, error as Error)
        return
      }
      cell.mailbox.unshift(...live)
      if (!isStorageTrouble(error)) cell.solo = Math.max(cell.solo, live.length)
      this.#later(STORAGE_RETRY_MS, [cell])
      return
    }
    if (generation !== cell.generation) return
    this.#decide(cell, live, records)
  }

  #decide(cell: Cell, batch: Entry[], records: unknown): void {
    const part = new Part(cell, new Date(this.#options.clock.now()), records, this.#options.partitions)
    cell.used = part.now.getTime()
    cell.phase = 'ready'
    for (let i = 0; i < batch.length; i++) {
      const entry = batch[i]!
      if (entry.expired) continue
      if (entry.timer && part.timers.some((change) => change.name === entry.timer!.name)) {
        entry.release?.()
        continue
      }
      const receive = cell.kind.receive[entry.message.type]
      const changes = part.changes
      try {
        if (!receive) throw new Error(`${cell.kind.kind} does not receive ${entry.message.type}`)
        part.replies.push(receive(part as never, entry.message as never))
        part.entries.push(entry)
      } catch (error) {
        if (error instanceof Refusal && part.changes === changes) {
          part.replies.push(error)
          part.entries.push(entry)
          if (entry.origin === 'tell' || entry.origin === 'timer') this.#bury(part, entry, error)
          continue
        }
        this.#fault(cell, entry, error as Error, [...part.entries, entry, ...batch.slice(i + 1)])
        return
      }
    }
    this.stats.turns++
    this.stats.messages += part.entries.length
    if (part.empty) {
      this.#settled(part)
      return
    }
    cell.phase = 'committing'
    this.#options.lane(cell.partition).push(part)
  }

  // --- outcomes of commits (LaneOwner) -----------------------------------------------------------------------------

  epoch(partition: number): number | undefined {
    return this.#options.epoch(partition)
  }

  committed(parts: Part[], sent: Sent[], source: number): void {
    if (sent.length > 0) this.#options.publish(sent, source)
    for (const part of parts) {
      for (const change of part.timers) {
        if (change.due === null || change.json === null) this.#options.timers.clear(change.address, change.name)
        else {
          const message = JSON.parse(change.json) as Message
          this.#options.timers.set({ ...change, due: change.due, message })
        }
      }
      this.#settled(part)
    }
  }

  #settled(part: Part): void {
    const cell = part.cell
    for (let i = 0; i < part.entries.length; i++) {
      const entry = part.entries[i]!
      if (entry.timer && !part.timers.some((change) => change.name === entry.timer!.name)) {
        this.#options.timers.clear(cell!.address, entry.timer.name, entry.timer.due)
      }
      const reply = part.replies[i]
      if (entry.origin === 'ask') {
        this.#asks.delete(entry)
        if (reply instanceof Refusal) entry.reject!(reply)
        else entry.resolve!(reply)
      }
      entry.release?.()
    }
    for (const effect of part.effects) effect()
    if (!cell) return
    for (const work of part.works) this.#work(cell, work)
    cell.phase = 'idle'
    this.#schedule(cell)
  }

  faulted(part: Part, error: Error): void {
    if (!part.cell) {
      for (const entry of part.entries) entry.reject?.(error)
      return
    }
    this.#fault(part.cell, part.entries.length === 1 ? part.entries[0]! : undefined, error, part.entries)
  }

  repeated(part: Part, error: Error): void {
    const cell = part.cell!
    this.#evict(cell)
    void this.#withoutRepeats(part).then(
      (entries) => {
        cell.mailbox.unshift(...entries)
        cell.phase = 'idle'
        this.#schedule(cell)
      },
      () => this.#fault(cell, undefined, error, part.entries),
    )
  }

  /** The entries of a part that are still to be settled. */
  async #withoutRepeats(part: Part): Promise<Entry[]> {
    const { database } = this.#options
    const cell = part.cell!
    const kept: Entry[] = []
    for (const entry of part.entries) {
      const due = entry.timer && new Date(entry.timer.due).toISOString()
      const rows =
        entry.origin === 'tell'
          ? await database.execute(
              `select 1 from outbox where partition = ${cell.partition} and source = ${entry.source} and number = ${entry.number}`,
            )
          : entry.timer
            ? await database.execute(
                `select 1 from timer where address = '${cell.address}' and name = '${entry.timer.name.replaceAll("'", "''")}' and due_at = '${due}'`,
              )
            : [{}]
      if (rows.length > 0) kept.push(entry)
      else {
        this.stats.repeats++
        entry.release?.()
      }
    }
    return kept
  }

  fenced(part: Part): void {
    for (const entry of part.entries) {
      this.#asks.delete(entry)
      entry.reject?.(new Moved())
      entry.release?.()
    }
    if (!part.cell) return
    this.#forget(part.cell)
    this.#options.moved(part.cell.partition)
  }

  /** The partition has another owner: nothing of it stays in memory. */
  lost(partition: number): void {
    for (const cell of [...this.#cells.values()]) {
      if (cell.partition === partition && cell.phase !== 'committing') this.#forget(cell)
    }
  }

  #forget(cell: Cell): void {
    this.#evict(cell)
    for (const entry of cell.mailbox.splice(0)) {
      this.#asks.delete(entry)
      entry.reject?.(new Moved())
      entry.release?.()
    }
    this.#cells.delete(cell.address)
  }

  // --- faults ----------------------------------------------------------------------------------------------------

  #evict(cell: Cell): void {
    cell.loaded = false
    cell.state = undefined
    cell.awake = undefined
    cell.soon = undefined
    cell.generation++
    for (const abort of this.#aborts.get(cell) ?? []) abort.abort()
    this.#aborts.delete(cell)
  }

  /** `entry` is the message at fault when that is known; `entries` all of the turn, in order. */
  #fault(cell: Cell, entry: Entry | undefined, error: Error, entries: Entry[]): void {
    this.stats.faults++
    this.#options.log.error(
      { address: cell.address, type: entry?.message.type, messages: entries.length, error },
      'a turn failed and was undone',
    )
    const hadWork = cell.works > 0 && cell.kind.receive.wake !== undefined
    this.#evict(cell)
    if (hadWork) cell.mailbox.unshift({ message: { type: 'wake' }, origin: 'self', attempts: 0 })
    if (entries.length === 1 && entry && ++entry.attempts >= MAX_ATTEMPTS) {
      this.#giveUp(cell, entry, error)
      return
    }
    if (entry && entries.length > 1) entry.attempts++
    cell.mailbox.unshift(...entries)
    cell.solo = Math.max(cell.solo, entries.length)
    cell.phase = 'loading'
    this.#later(entries.length === 1 ? FAULT_RETRY_MS : 0, [cell])
  }

  #giveUp(cell: Cell, entry: Entry, error: Error): void {
    cell.phase = 'idle'
    if (entry.origin === 'ask') {
      this.#asks.delete(entry)
      entry.reject!(error)
      this.#schedule(cell)
      return
    }
    if (entry.origin === 'self') {
      this.#schedule(cell)
      return
    }
    const part = new Part(cell, new Date(this.#options.clock.now()), undefined, this.#options.partitions)
    part.entries.push(entry)
    part.replies.push(undefined)
    this.#bury(part, entry, error)
    cell.phase = 'committing'
    this.#options.lane(cell.partition).push(part)
  }

  #bury(part: Part, entry: Entry, error: Error): void {
    this.stats.parked++
    this.#options.log.error({ address: part.address, type: entry.message.type, error }, 'a message was parked')
    part.dead.push({
      partition: part.cell!.partition,
      address: part.address,
      sender: entry.sender ?? null,
      json: JSON.stringify(entry.message),
      error: error instanceof Refusal ? `${error.code}: ${error.message}` : String(error.stack ?? error),
    })
  }

  /** Parks a message for an address of unknown kind. */
  #park(partition: number, address: string, entry: Entry, error: Error): void {
    if (entry.origin === 'ask') {
      entry.reject!(error)
      return
    }
    const unknown: ActorKind = { kind: '', create: () => undefined, receive: {}, address: () => address }
    const cell = new Cell(address, keyOf(address), unknown, partition)
    this.#giveUp(cell, entry, error)
  }

  // --- slow work, deadlines, passivation ---------------------------------------------------------------------------

  #work(cell: Cell, run: Work): void {
    const generation = cell.generation
    const abort = new AbortController()
    const set = this.#aborts.get(cell) ?? new Set()
    set.add(abort)
    this.#aborts.set(cell, set)
    cell.works++
    const done = () => {
      cell.works--
      set.delete(abort)
      if (set.size === 0 && this.#aborts.get(cell) === set) this.#aborts.delete(cell)
    }
    run(abort.signal).then(
      (message) => {
        done()
        if (cell.generation !== generation) return
        cell.mailbox.push({ message, origin: 'self', attempts: 0 })
        if (cell.phase === 'idle') this.#schedule(cell)
      },
      (error) => {
        done()
        if (cell.generation !== generation) return
        this.#options.log.error({ address: cell.address, error }, 'slow work failed; the actor starts anew')
        if (cell.kind.receive.wake) cell.mailbox.push({ message: { type: 'wake' }, origin: 'self', attempts: 0 })
        if (cell.phase === 'idle') {
          this.#evict(cell)
          this.#schedule(cell)
        }
      },
    )
  }

  #sweepDeadlines(): void {
    const now = this.#options.clock.now()
    for (const entry of this.#asks) {
      if (entry.deadline === undefined || entry.deadline > now) continue
      entry.expired = true
      this.#asks.delete(entry)
      entry.reject!(new Unavailable('The answer did not come in time.'))
    }
  }

  #passivate(): void {
    const before = this.#options.clock.now() - this.#options.idle_ms
    for (const cell of this.#cells.values()) {
      if (cell.phase !== 'idle' || cell.mailbox.length > 0 || cell.works > 0 || cell.used > before) continue
      if (cell.soon && cell.soon.size > 0) continue
      this.#cells.delete(cell.address)
      this.stats.passivated++
    }
  }

  /** No new asks; resolves when no turn is under way and no mailbox waits, or after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    const until = Date.now() + ms
    for (const cell of this.#cells.values()) {
      for (const type of cell.soon ?? []) cell.mailbox.push({ message: { type }, origin: 'self', attempts: 0 })
      cell.soon = undefined
      if (cell.phase === 'idle') this.#schedule(cell)
    }
    while (Date.now() < until) {
      let busy = false
      for (const cell of this.#cells.values()) if (cell.phase !== 'idle' || cell.mailbox.length > 0) busy = true
      if (!busy) break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  stop(): void {
    clearInterval(this.#sweeper)
    clearInterval(this.#passivator)
    for (const cell of [...this.#cells.values()]) this.#forget(cell)
    for (const entry of this.#asks) entry.reject!(new Unavailable('This node is shutting down.'))
    this.#asks.clear()
  }
}

/** Trouble with the database itself rather than with what was asked of it. */
function isStorageTrouble(error: unknown): boolean {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at) {
    if (typeof at.code === 'string') return !/^(2|42|P0)/.test(at.code) || !/^[0-9A-Z]{5}$/.test(at.code)
  }
  return false
}
