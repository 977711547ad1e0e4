/**
 * The scheduler. It gives each message to its actor, runs turns and hands their decisions to the lane.
 *
 * Invariants:
 *  I10 An actor has at most one turn under way, and handles its mailbox in order.
 *  I11 State thrown away (failed commit, lost partition, fault) is never used again: the next turn loads it anew, and
 *      slow work started from it is aborted and its result dropped.
 *  I12 A fault is the message's own: it is tried `MAX_ATTEMPTS` times alone, then parked (tell, timer) or answered with
 *      an error (ask); its neighbours go on.
 *  I13 An ask whose deadline passed before its turn is not applied.
 *
 * One writer: every change of an activation's phase and mailbox is in this file, which is why it is long.
 */
import type { Database } from '../storage/mod.ts'
import { Activation, type Entry } from './activation.ts'
import type { ActorKind, Glance, Message } from './actor.ts'
import { type Address, keyOf, kindOf } from './address.ts'
import { type Behind, shareEnd } from './behind.ts'
import { type Clock, sleep } from './clock.ts'
import { deadLetter } from './dead_letter.ts'
import { isHeld, isLate, isStorageTrouble } from './failure.ts'
import type { Inbox } from './inbox.ts'
import type { LaneOwner, Lost } from './lane.ts'
import type { OutgoingEvent } from './live/live.ts'
import type { Log } from './log.ts'
import { PendingTurn, type Sent, type Surroundings, type TimerChange, type Work } from './pending_turn.ts'
import { Moved, Refusal, Unavailable } from './refusal.ts'
import { SlowWork } from './slow_work.ts'
import type { Store } from './store.ts'
import type { Timers } from './timers.ts'
import { WaitingAsks } from './waiting_asks.ts'

const MAX_ATTEMPTS = 3
const MAILBOX_LIMIT = 10_000
const TURN_LIMIT = 512
/** Number of resident actors beyond which idle ones are passivated soon. */
const MOST_RESIDENT = 200_000
const PRESSED_IDLE_MS = 1000
const PASSIVATE_MS = 5000
const FAULT_RETRY_MS = 50
const STORAGE_RETRY_MS = 250
/** Maximum pause between two attempts to apply messages that the database cannot take. */
const HELD_RETRY_MS = 10_000
/** Attempts after which the operator is warned again. */
const ALARM_EACH = 10
const NOT_NOW = 'This version, or the database, cannot do this right now.'
const HELD = 'a message is held: this version, or the database, does not know what it needs; it waits in order'
const MUCH_WAITS = 'much waits for an actor that cannot go on; its latest messages stay in the outbox until it can'
/** Maximum wait for turns that are under way when their partition is given away. */
const LAST_TURNS_MS = 5000

type SchedulerOptions = {
  database: Database
  kinds: ActorKind[]
  clock: Clock
  log: Log
  partitions: number
  /** An idle actor leaves memory after this long. */
  idle_ms: number
  /** True when the process is short of memory. */
  isShort(): boolean
  epoch(partition: number): number | undefined
  /** The inbox of a partition, while it takes messages. */
  inbox(partition: number): Inbox | undefined
  /** Gives a turn to the lane. */
  push(pending_turn: PendingTurn): void
  store: Store
  timers: Timers
  /** Routes committed messages to their partitions. */
  send(sent: Sent[], source: number): void
  /** Publishes events to watchers. */
  say(words: readonly OutgoingEvent[]): void
  surroundings: Surroundings
  /** Durable and applied exactly once, wherever the actor is. */
  tell(address: string, message: Message): Promise<void>
  /**
   * True while this node holds its lease: no other node can have taken a partition from it. Without the lease nothing
   * is answered without the fence, and no slow work begins.
   */
  leased(): boolean
  /** The database has lost commits that were acknowledged here. */
  rewound(lost: Lost): void
  /** A commit found that this partition has another owner. */
  moved(partition: number, epoch: number | undefined): void
}

/** Receives nothing: for addresses whose kind only a newer version knows. */
const NOBODY: ActorKind = {
  kind: '',
  create: () => undefined,
  load: async () => new Map(),
  receive: {},
  address: (key) => key as Address<never>,
}

class UnknownType extends Error {}

export class Scheduler implements LaneOwner {
  readonly #options: SchedulerOptions
  readonly #kinds = new Map<string, ActorKind>()
  readonly #activations = new Map<string, Activation>()
  /** Activations by partition, so that handing one over does not scan all others. */
  readonly #byPartition = new Map<number, Set<Activation>>()
  readonly #asks: WaitingAsks
  readonly #slow = new SlowWork()
  #loading = new Map<ActorKind, Activation[]>()
  #ready: Activation[] = []
  #scheduled = false
  readonly #endPassivation: () => void
  /** Slow work of committed turns that has not begun because the lease is missing. */
  #waiting: { activation: Activation; generation: number; works: Work[] }[] = []
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

  constructor(options: SchedulerOptions) {
    this.#options = options
    for (const kind of options.kinds) this.#kinds.set(kind.kind, kind)
    this.#asks = new WaitingAsks(options.clock)
    this.#endPassivation = options.clock.every(Math.min(PASSIVATE_MS, Math.max(50, options.idle_ms / 4)), () =>
      this.#passivate(),
    )
  }

  get resident(): number {
    return this.#activations.size
  }

  #kind(address: string): ActorKind {
    return this.#kinds.get(kindOf(address)) ?? NOBODY
  }

  #activation(address: string, partition: number): Activation {
    const epoch = this.#options.epoch(partition)
    let activation = this.#activations.get(address)
    // The partition was lost and taken again: the fence will refuse the turn under way of the former activation.
    if (activation && activation.epoch !== epoch) {
      this.#forget(activation)
      activation = undefined
    }
    if (!activation) {
      activation = new Activation(address, keyOf(address), this.#kind(address), partition, epoch)
      this.#keep(activation)
    }
    return activation
  }

  #keep(activation: Activation): void {
    this.#activations.set(activation.address, activation)
    const others = this.#byPartition.get(activation.partition)
    if (others) others.add(activation)
    else this.#byPartition.set(activation.partition, new Set([activation]))
  }

  #leave(activation: Activation): void {
    this.#activations.delete(activation.address)
    this.#byPartition.get(activation.partition)?.delete(activation)
  }

  #of(partition: number): Activation[] {
    return [...(this.#byPartition.get(partition) ?? [])]
  }

  /** Puts a message into an actor's mailbox. Asks beyond the mailbox limit are answered `Unavailable` at once. */
  deliver(address: string, partition: number, entry: Entry): void {
    const activation = this.#activation(address, partition)
    if (entry.origin === 'ask') {
      if (this.#draining || this.#closing.has(partition)) {
        entry.reject!(new Moved())
        return
      }
      if (activation.mailbox.length >= (activation.kind.mailbox_limit ?? MAILBOX_LIMIT)) {
        entry.reject!(new Unavailable('Too much is waiting for this already.'))
        return
      }
      this.#asks.add(entry)
    }
    this.#enqueue(activation, entry)
  }

  /** Answers `entry` with `Unavailable` when its deadline passes first. For pending turns without an actor. */
  expect(entry: Entry): void {
    this.#asks.add(entry)
  }

  #enqueue(activation: Activation, entry: Entry): void {
    if (activation.held && isDurable(entry)) {
      activation.held.push(entry)
      this.#keepToShare(activation)
      return
    }
    activation.mailbox.push(entry)
    if (activation.blocked > 0 && isTell(entry)) this.#keepToShare(activation)
    if (activation.phase === 'idle') this.#schedule(activation)
  }

  /** Answers without a turn when the actor is in memory and can; undefined otherwise. Synchronous. */
  peek(address: string, message: Message): unknown {
    const activation = this.#activations.get(address)
    if (!activation?.loaded || this.#draining || this.#closing.has(activation.partition) || !this.#isHeld(activation))
      return undefined
    const receive = activation.kind.peek?.[message.type]
    if (!receive) return undefined
    activation.used = this.#options.clock.monotonic()
    return receive(this.#glance(activation), message as never)
  }

  #glance(activation: Activation): Glance {
    return {
      key: activation.key,
      now: new Date(this.#options.clock.now()),
      state: activation.state,
      soon: (ms, message) => this.#soon(activation, ms, message),
    }
  }

  #soon(activation: Activation, ms: number, message: Message): void {
    activation.soon ??= new Map()
    if (activation.soon.has(message.type)) return
    activation.soon.set(message.type, message)
    const generation = activation.generation
    this.#options.clock.after(ms, () => {
      if (activation.generation !== generation || !activation.soon?.delete(message.type)) return
      // Most actors are idle most of the time, and an empty map is not small.
      if (activation.soon.size === 0) activation.soon = undefined
      this.#enqueue(activation, { message, origin: 'self', attempts: 0 })
    })
  }

  // --- turns -----------------------------------------------------------------------------------------------------

  #schedule(activation: Activation): void {
    if (activation.is_stale) this.#undo(activation)
    if (activation.behind) this.#catchUp(activation, activation.behind)
    if (activation.mailbox.length === 0) return
    if (!activation.loaded) {
      activation.phase = 'loading'
      const waiting = this.#loading.get(activation.kind)
      if (waiting) waiting.push(activation)
      else this.#loading.set(activation.kind, [activation])
    } else {
      activation.phase = activation.kind.read ? 'reading' : 'ready'
      this.#ready.push(activation)
    }
    if (!this.#scheduled) {
      this.#scheduled = true
      this.#options.clock.soon(() => this.#tick())
    }
  }

  /** Runs once per turn of the event loop: all messages that arrived in it are loaded, read and decided together. */
  #tick(): void {
    this.#scheduled = false
    const ready = this.#ready
    this.#ready = []
    for (const activation of ready) {
      if (!this.#holds(activation)) continue
      const batch = this.#take(activation)
      if (activation.kind.read) void this.#read(activation, batch)
      else this.#decide(activation, batch, undefined)
    }
    if (this.#loading.size > 0) {
      const loading = this.#loading
      this.#loading = new Map()
      for (const [kind, activations] of loading) void this.#load(kind, activations)
    }
  }

  #take(activation: Activation): Entry[] {
    const limit = activation.solo > 0 ? 1 : (activation.kind.turn_limit ?? TURN_LIMIT)
    if (activation.solo > 0) activation.solo--
    if (activation.mailbox.length <= limit) {
      const all = activation.mailbox
      activation.mailbox = []
      return all
    }
    return activation.mailbox.splice(0, limit)
  }

  async #load(kind: ActorKind, all: Activation[]): Promise<void> {
    const activations = all.filter((activation) => this.#holds(activation))
    if (activations.length === 0) return
    let states: Map<string, unknown>
    try {
      states = kind.load
        ? await kind.load(
            activations.map((activation) => activation.key),
            this.#options.database,
          )
        : byKey(await this.#options.store.readStates(activations.map((activation) => activation.address)))
      for (const { key } of activations) if (!states.has(key)) states.set(key, kind.create(key))
    } catch (error) {
      this.#options.log.warn({ kind: kind.kind, error: (error as Error).message }, 'loading actors failed')
      this.#notLoaded(kind, activations, error as Error)
      return
    }
    this.stats.loads += activations.length
    for (const activation of activations) {
      if (!this.#holds(activation)) continue
      activation.state = states.get(activation.key)
      activation.loaded = true
      activation.phase = 'idle'
      this.#schedule(activation)
    }
  }

  /** One actor that cannot be loaded must not keep others away: each is loaded alone, and the one at fault faults. */
  #notLoaded(kind: ActorKind, activations: Activation[], error: Error): void {
    if (isStorageTrouble(error)) this.#later(STORAGE_RETRY_MS, activations)
    else if (activations.length > 1) for (const activation of activations) void this.#load(kind, [activation])
    else if (this.#holds(activations[0]!)) {
      const entry = activations[0]!.mailbox.shift()!
      this.#fault(activations[0]!, entry, error, [entry])
    }
  }

  /** True while the activation is this scheduler's own. After the loss of its partition an activation is empty and forgotten. */
  #holds(activation: Activation): boolean {
    return this.#activations.get(activation.address) === activation
  }

  /** True while this node holds the epoch under which the activation was made, and no other node can have taken it. */
  #isHeld(activation: Activation): boolean {
    return this.#options.leased() && this.#isOwned(activation)
  }

  #isOwned(activation: Activation): boolean {
    return this.#holds(activation) && activation.epoch === this.#options.epoch(activation.partition)
  }

  #later(ms: number, activations: Activation[]): void {
    this.#options.clock.after(ms, () => {
      for (const activation of activations) this.#resume(activation)
    })
  }

  #resume(activation: Activation): void {
    if (!this.#holds(activation)) return
    activation.phase = 'idle'
    this.#schedule(activation)
  }

  async #read(activation: Activation, batch: Entry[]): Promise<void> {
    const { database, clock, log } = this.#options
    const live = batch.filter((entry) => !entry.expired)
    activation.reading = live
    const generation = activation.generation
    let records: unknown
    try {
      records = await activation.kind.read!(live.map((entry) => entry.message) as never, {
        key: activation.key,
        state: activation.state,
        database,
        now: new Date(clock.now()),
      })
    } catch (error) {
      log.warn({ address: activation.address, error: (error as Error).message }, 'reading for a turn failed')
      if (generation !== activation.generation) return
      activation.reading = undefined
      if (isHeld(error)) {
        this.#hold(activation, error as Error, live, live)
        return
      }
      if (!isStorageTrouble(error)) for (const entry of live) entry.attempts++
      if (live.length === 1 && live[0]!.attempts >= MAX_ATTEMPTS && !isStorageTrouble(error)) {
        this.#giveUp(activation, live[0]!, error as Error)
        return
      }
      activation.mailbox.unshift(...live)
      if (!isStorageTrouble(error)) activation.solo = Math.max(activation.solo, live.length)
      this.#later(isStorageTrouble(error) ? STORAGE_RETRY_MS : FAULT_RETRY_MS, [activation])
      return
    }
    if (generation !== activation.generation) return
    activation.reading = undefined
    this.#decide(activation, live, records)
  }

  #decide(activation: Activation, batch: Entry[], records: unknown): void {
    const now = this.#options.clock.now()
    const soon = (ms: number, message: Message) => this.#soon(activation, ms, message)
    const pending_turn = new PendingTurn(
      activation,
      new Date(now),
      records,
      this.#options.partitions,
      batch,
      soon,
      this.#options.surroundings,
    )
    activation.used = this.#options.clock.monotonic()
    activation.phase = 'ready'
    for (const entry of batch) {
      if (this.#asks.isOver(entry)) continue
      if (entry.timer && pending_turn.changesTimer(entry.timer.name)) continue
      const receive = activation.kind.receive[entry.message.type]
      const changes = pending_turn.changes
      try {
        if (!receive)
          throw new UnknownType(`${activation.kind.kind || 'nobody'} here does not receive ${entry.message.type}`)
        pending_turn.replies.push(receive(pending_turn as never, entry.message as never))
        pending_turn.entries.push(entry)
      } catch (error) {
        if (error instanceof Refusal && pending_turn.changes === changes) {
          pending_turn.replies.push(error)
          pending_turn.entries.push(entry)
          if (entry.origin === 'tell' || entry.origin === 'timer') this.#bury(pending_turn, entry, error)
          continue
        }
        if (error instanceof UnknownType) this.#holdUnknown(activation, pending_turn, entry, batch, error)
        else this.#fault(activation, entry, error as Error, batch)
        return
      }
    }
    this.stats.turns++
    this.stats.messages += pending_turn.entries.length
    if (pending_turn.empty && this.#isHeld(activation)) {
      this.#settled(pending_turn)
      return
    }
    activation.phase = 'committing'
    this.#options.push(pending_turn)
  }

  /** A newer version sent this message: it waits, and earlier messages go on. */
  #holdUnknown(activation: Activation, pending_turn: PendingTurn, entry: Entry, batch: Entry[], error: Error): void {
    this.#undo(activation)
    if (pending_turn.entries.length === 0 || entry.origin === 'ask') {
      this.#hold(activation, error, batch, [entry])
      return
    }
    activation.mailbox.unshift(...batch)
    activation.solo = pending_turn.entries.length
    this.#resume(activation)
  }

  // --- outcomes of commits (LaneOwner) -----------------------------------------------------------------------------

  epoch(partition: number): number | undefined {
    return this.#options.epoch(partition)
  }

  committed(pending_turns: PendingTurn[], sent: Sent[], source: number): void {
    for (const pending_turn of pending_turns) {
      // A later owner of the partition has read the timers itself.
      if (pending_turn.activation && this.#isOwned(pending_turn.activation))
        for (const change of pending_turn.timers) this.#timerChanged(pending_turn.activation, change)
      this.#settled(pending_turn)
    }
    // After the pending turns: a message may find an activation that must be thrown away, with the work that its
    // pending turn has started.
    if (sent.length > 0) this.#options.send(sent, source)
  }

  #timerChanged(activation: Activation, { address, partition, name, due, json }: TimerChange): void {
    // A firing of the former setting that still waits in the mailbox is void.
    if (activation.mailbox.some((entry) => entry.timer?.name === name)) {
      activation.mailbox = activation.mailbox.filter((entry) => entry.timer?.name !== name)
    }
    if (due === null || json === null) this.#options.timers.clear(address, name)
    else this.#options.timers.changed({ address, partition, name, due, message: JSON.parse(json) as Message })
  }

  #settled(pending_turn: PendingTurn): void {
    const activation = pending_turn.activation
    for (let i = 0; i < pending_turn.entries.length; i++) {
      const entry = pending_turn.entries[i]!
      if (entry.timer && !pending_turn.changesTimer(entry.timer.name)) {
        this.#options.timers.clear(activation!.address, entry.timer.name, entry.timer.due)
      }
      const reply = pending_turn.replies[i]
      if (entry.origin === 'ask') this.#asks.answer(entry, reply)
      entry.release?.()
    }
    if (pending_turn.lives.length > 0) this.#options.say(pending_turn.lives)
    for (const effect of pending_turn.effects) {
      try {
        effect()
      } catch (error) {
        this.#options.log.error({ address: activation?.address, error }, 'an effect after a commit failed')
      }
    }
    if (!activation) return
    activation.blocked = 0
    if (pending_turn.entries.some(isDurable)) activation.holds = 0
    // The commit stands, but the partition is another node's by now: drop this memory and begin nothing.
    if (!this.#isOwned(activation)) {
      this.#forget(activation)
      return
    }
    this.#begin(activation, pending_turn.works)
    activation.phase = 'idle'
    this.#schedule(activation)
  }

  /** Slow work begins only under a lease and a held epoch (I11): a node that takes the partition finds the work that has begun. */
  #begin(activation: Activation, works: Work[]): void {
    if (works.length === 0) return
    if (this.#isHeld(activation)) {
      for (const work of works) this.#work(activation, work)
      return
    }
    activation.works++
    this.#waiting.push({ activation, generation: activation.generation, works })
  }

  /** The lease was renewed, so this node still holds its partitions. */
  leaseRenewed(): void {
    for (const { activation, generation, works } of this.#waiting.splice(0)) {
      activation.works--
      if (activation.generation === generation) this.#begin(activation, works)
    }
  }

  faulted(pending_turn: PendingTurn, error: Error): void {
    if (!pending_turn.activation) {
      this.#asks.dismiss(pending_turn.entries, error)
      return
    }
    this.#fault(
      pending_turn.activation,
      pending_turn.batch.length === 1 ? pending_turn.batch[0]! : undefined,
      error,
      pending_turn.batch,
    )
  }

  rewound(lost: Lost): void {
    this.#options.rewound(lost)
  }

  /** Its messages stay in order, and the attempt does not count: they are not to blame. */
  hindered(pending_turn: PendingTurn, meaning: 'blocked' | 'held', error: Error): void {
    const { activation } = pending_turn
    if (!activation) {
      this.#asks.dismiss(pending_turn.entries, new Unavailable(NOT_NOW))
      return
    }
    this.#undo(activation)
    if (meaning === 'held') this.#hold(activation, error, pending_turn.batch, pending_turn.batch)
    else this.#block(activation, error, pending_turn.batch)
  }

  #block(activation: Activation, error: Error, batch: Entry[]): void {
    const facts = { address: activation.address, messages: batch.length, error: error.message }
    this.#options.log.warn(facts, 'a turn waits for rows that others hold')
    if (activation.blocked === 0) this.stats.blocked++
    const ms = Math.min(STORAGE_RETRY_MS * 2 ** activation.blocked++, HELD_RETRY_MS)
    activation.mailbox.unshift(...batch)
    this.#keepToShare(activation)
    this.#later(ms, [activation])
  }

  /**
   * This version, or the database, does not support what a message of `at_fault` needs. Durable messages wait in order
   * until it does. Callers of the asks at fault get an error, and other messages are served meanwhile.
   */
  #hold(activation: Activation, error: Error, batch: Entry[], at_fault: Entry[]): void {
    const facts = { address: activation.address, type: at_fault[0]?.message.type, error: error.message }
    if (activation.holds % ALARM_EACH === 0) this.#options.log.error(facts, HELD)
    if (activation.holds === 0) this.stats.held++
    const told = new Set(at_fault.filter(isAsk))
    this.#asks.dismiss(told, new Unavailable(NOT_NOW))
    const rest = [...batch.filter((entry) => !told.has(entry)), ...activation.mailbox]
    activation.mailbox = rest.filter(isAsk)
    this.#putAside(activation, rest)
    this.#resume(activation)
  }

  /** Keeps durable messages, to be tried again later, in order. */
  #putAside(activation: Activation, entries: Entry[]): void {
    // Results of slow work are void with their state: the actor starts that work again.
    const is_lost = (entry: Entry) => entry.origin === 'self' && !entry.is_result && !activation.loaded
    const held = entries.filter((entry) => !isAsk(entry) && !is_lost(entry))
    if (entries.some(is_lost) && activation.kind.receive.wake) held.unshift(wake())
    if (held.length === 0) return
    if (activation.held) {
      // `held` is already scheduled for a retry; only messages of the actor to itself can have arrived since.
      activation.held = [...held, ...activation.held.filter((entry) => !is_lost(entry))]
      return
    }
    activation.held = held
    this.#keepToShare(activation)
    this.#options.clock.after(Math.min(STORAGE_RETRY_MS * 2 ** activation.holds++, HELD_RETRY_MS), () =>
      this.#unhold(activation),
    )
  }

  #unhold(activation: Activation): void {
    if (!this.#holds(activation) || !activation.held) return
    activation.mailbox.unshift(...activation.held)
    activation.held = undefined
    if (activation.phase === 'idle') this.#schedule(activation)
  }

  repeated(pending_turn: PendingTurn, error: Error): void {
    const activation = pending_turn.activation!
    this.#undo(activation)
    void this.#withoutRepeats(pending_turn).then(
      (entries) => {
        activation.mailbox.unshift(...entries)
        this.#resume(activation)
      },
      () => this.#fault(activation, undefined, error, pending_turn.batch),
    )
  }

  /** The entries of a pending turn that are still to be settled. */
  async #withoutRepeats(pending_turn: PendingTurn): Promise<Entry[]> {
    const { store, timers } = this.#options
    const { address, partition } = pending_turn.activation!
    const tells = pending_turn.batch.filter((entry) => entry.origin === 'tell')
    const fired = pending_turn.batch.filter((entry) => entry.timer)
    const there = new Map<Entry, boolean>()
    const unsettled = await store.unsettled(
      tells.map((entry) => ({ partition, source: entry.source!, number: entry.number! })),
    )
    for (const [i, entry] of tells.entries()) there.set(entry, unsettled[i]!)
    const unfired = await store.unfired(fired.map((entry) => ({ address, ...entry.timer! })))
    for (const [i, entry] of fired.entries()) there.set(entry, unfired[i]!)
    return pending_turn.batch.filter((entry) => {
      if (there.get(entry) !== false) return true
      this.stats.repeats++
      if (entry.timer) timers.clear(address, entry.timer.name, entry.timer.due)
      entry.release?.()
      return false
    })
  }

  fenced(pending_turn: PendingTurn): void {
    this.#asks.dismiss(pending_turn.batch)
    this.#passOn(pending_turn.address, pending_turn.batch)
    this.#forget(pending_turn.activation!)
    this.#options.moved(pending_turn.activation!.partition, pending_turn.activation!.epoch)
  }

  /** Callers may repeat only repeatable asks. The row of a durable message shows whether it was applied. */
  doubtful(pending_turn: PendingTurn): void {
    const error = new Unavailable('It is not known whether this was done.')
    const activation = pending_turn.activation
    if (!activation) {
      this.#asks.dismiss(pending_turn.entries, error)
      return
    }
    const durable = pending_turn.batch.filter(isDurable)
    this.#asks.dismiss(
      pending_turn.batch.filter((entry) => !durable.includes(entry)),
      error,
    )
    this.#undo(activation, true)
    // The state that is loaded shows whether it was applied.
    activation.mailbox.unshift(...pending_turn.batch.filter((entry) => entry.is_result), ...durable)
    // A stopping node abandons commits whose outcome is unknown: one may still happen after a load here, not after a
    // takeover.
    if (this.#draining) this.#forget(activation)
    else this.#resume(activation)
  }

  /** The partition has another owner: drop all its actors from memory. */
  lost(partition: number): void {
    for (const activation of this.#of(partition)) if (activation.phase !== 'committing') this.#forget(activation)
  }

  #forget(activation: Activation): void {
    this.#evict(activation)
    const left = [...(activation.reading ?? []), ...activation.mailbox.splice(0), ...(activation.held ?? [])]
    activation.reading = undefined
    activation.held = undefined
    this.#asks.dismiss(left)
    this.#passOn(activation.address, left)
    if (this.#holds(activation)) this.#leave(activation)
  }

  /** Passes the results of calls that must not be aborted to the present owner of the actor. */
  #passOn(address: string, entries: Iterable<Entry>): void {
    for (const { message, is_result } of entries) if (is_result) this.#slow.keep(this.#tellResult(address, message))
  }

  /** Retries until the result is stored: an actor that receives it twice recognises the attempt. */
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

  #evict(activation: Activation): void {
    activation.loaded = false
    activation.is_stale = false
    activation.state = undefined
    activation.awake = undefined
    activation.soon = undefined
    activation.generation++
    this.#slow.abort(activation)
  }

  /** Throws the state away. When slow work is lost with it, wakes the actor to start that work again. */
  #undo(activation: Activation, lost = false): void {
    const wake =
      lost || activation.is_stale || activation.works > 0 || (activation.soon !== undefined && activation.soon.size > 0)
    this.#evict(activation)
    if (wake) this.#wake(activation)
  }

  #wake(activation: Activation): void {
    if (!activation.kind.receive.wake || activation.mailbox.some((entry) => entry.message.type === 'wake')) return
    activation.mailbox.unshift(wake())
  }

  /** `entry` is the message at fault when it is known; `batch` is all messages of the turn, in order. */
  #fault(activation: Activation, entry: Entry | undefined, error: Error, batch: Entry[]): void {
    this.stats.faults++
    const { log } = this.#options
    const facts = { address: activation.address, type: entry?.message.type, messages: batch.length, error }
    // Another transaction was first, which the next attempt sees: an operator can mend nothing, unless it goes on.
    const was_late = isLate(error) && (entry?.attempts ?? 0) + 1 < MAX_ATTEMPTS
    if (was_late) log.warn(facts, 'a turn met a row that has come or gone meanwhile, and is tried again')
    else log.error(facts, 'a turn failed and was undone')
    this.#undo(activation)
    if (entry) entry.attempts++
    if (entry && batch.length === 1 && entry.attempts >= MAX_ATTEMPTS) {
      this.#giveUp(activation, entry, error)
      return
    }
    activation.mailbox.unshift(...batch)
    activation.solo = Math.max(activation.solo, batch.length)
    if (batch.length === 1) this.#later(FAULT_RETRY_MS, [activation])
    else this.#resume(activation)
  }

  #giveUp(activation: Activation, entry: Entry, error: Error): void {
    if (entry.origin === 'ask' || entry.origin === 'self') {
      this.#asks.dismiss([entry], error)
      this.#resume(activation)
      return
    }
    const pending_turn = new PendingTurn(
      activation,
      new Date(this.#options.clock.now()),
      undefined,
      this.#options.partitions,
      [entry],
    )
    pending_turn.entries.push(entry)
    pending_turn.replies.push(undefined)
    this.#bury(pending_turn, entry, error)
    activation.phase = 'committing'
    this.#options.push(pending_turn)
  }

  #bury(pending_turn: PendingTurn, entry: Entry, error: Error): void {
    this.stats.parked++
    this.#options.log.error({ address: pending_turn.address, type: entry.message.type, error }, 'a message was parked')
    pending_turn.dead.push(deadLetter(pending_turn.activation!.partition, pending_turn.address, entry, error))
  }

  // --- actors that let messages run past (`behind.ts`) ---------------------------------------------------------------

  /** An actor that cannot go on must not take all places of its partition: its youngest tells are dropped from memory. */
  #keepToShare(activation: Activation): void {
    const inbox = this.#isOwned(activation) ? this.#options.inbox(activation.partition) : undefined
    if (!inbox) return
    const tells = (activation.held ?? activation.mailbox).filter(isTell)
    const end = shareEnd(
      tells.map(({ size }) => size ?? 0),
      inbox.share,
    )
    if (end === tells.length) return
    if (activation.behind?.is_over !== false) {
      this.#options.log.warn({ address: activation.address }, MUCH_WAITS)
      activation.behind = inbox.fallBehind(activation.address)
    }
    const forgotten = new Set(tells.slice(end))
    if (activation.held) activation.held = activation.held.filter((entry) => !forgotten.has(entry))
    else activation.mailbox = activation.mailbox.filter((entry) => !forgotten.has(entry))
    for (const { release } of forgotten) release?.()
  }

  /** Requires an idle activation. */
  #catchUp(activation: Activation, behind: Behind): void {
    if (behind.is_over) activation.behind = undefined
    else if (!activation.mailbox.some(isTell) && !activation.held?.some(isTell)) behind.goOn()
  }

  // --- slow work, passivation, the end ---------------------------------------------------------------------------

  #work(activation: Activation, work: Work): void {
    const { address } = activation
    const { log } = this.#options
    this.#slow.start(activation, work, () => this.#isHeld(activation), {
      done: (message) =>
        this.#enqueue(activation, { message, origin: 'self', attempts: 0, ...(work.unbroken && { is_result: true }) }),
      failed: (error) => {
        log.error({ address, error }, 'slow work failed; the actor starts anew')
        activation.is_stale = true
        if (activation.phase === 'idle') this.#schedule(activation)
      },
      orphaned: (message) => this.#tellResult(address, message),
    })
  }

  /** Resolves when the calls that must not be aborted have ended and their results are stored. */
  calls(): Promise<void> {
    return this.#slow.calls()
  }

  #passivate(): void {
    const { clock, idle_ms } = this.#options
    const before = clock.monotonic() - (this.#isPressed() ? PRESSED_IDLE_MS : idle_ms)
    for (const activation of this.#activations.values()) {
      if (
        activation.phase !== 'idle' ||
        activation.mailbox.length > 0 ||
        activation.held ||
        activation.works > 0 ||
        activation.used > before
      )
        continue
      if (activation.soon && activation.soon.size > 0) continue
      if (activation.behind?.is_over === false) continue
      this.#leave(activation)
      this.stats.passivated++
    }
  }

  /** True when memory is short: idle actors are passivated sooner, and loaded again with their next message. */
  #isPressed(): boolean {
    return this.#activations.size > MOST_RESIDENT || this.#options.isShort()
  }

  /** Accepts no new asks for these partitions; resolves when none of their turns is under way, or after `ms`. */
  async quiet(partitions: Set<number>, ms: number): Promise<void> {
    for (const partition of partitions) this.#closing.add(partition)
    const activations = [...partitions].flatMap((partition) => this.#of(partition))
    await this.#settle(activations, ms, (activation) => this.#slow.isBreakable(activation))
    // The next owner finds durable messages in the tables. Asks and write-behind messages exist only here, so they get
    // a longer wait.
    for (const activation of activations) this.#leaveDurable(activation)
    await this.#settle(activations, LAST_TURNS_MS, () => false)
    for (const partition of partitions) this.#closing.delete(partition)
  }

  #leaveDurable(activation: Activation): void {
    this.#asks.dismiss(activation.mailbox.filter(isDurable))
    activation.mailbox = activation.mailbox.filter((entry) => !isDurable(entry))
    this.#asks.dismiss(activation.held ?? [])
    this.#passOn(activation.address, activation.held ?? [])
    activation.held = undefined
  }

  /** Runs the write-behind messages now; waits for turns, and while `busy` returns true. */
  async #settle(
    activations: Iterable<Activation>,
    ms: number,
    busy: (activation: Activation) => boolean,
  ): Promise<void> {
    const { clock } = this.#options
    const until = clock.monotonic() + ms
    const all = [...activations]
    for (const activation of all) {
      for (const message of activation.soon?.values() ?? [])
        activation.mailbox.push({ message, origin: 'self', attempts: 0 })
      activation.soon = undefined
      if (activation.phase === 'idle') this.#schedule(activation)
    }
    while (clock.monotonic() < until) {
      if (!all.some((activation) => activation.phase !== 'idle' || activation.mailbox.length > 0 || busy(activation)))
        break
      await sleep(clock, 5)
    }
  }

  /** Accepts no new asks; resolves when no turn is under way and all mailboxes are empty, or after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    await this.#settle(this.#activations.values(), ms, () => false)
  }

  stop(): void {
    this.#stopped = true
    this.#endPassivation()
    for (const activation of [...this.#activations.values()]) this.#forget(activation)
    this.#asks.stop()
  }
}

/** True for messages that stay in the database until they are applied. */
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
