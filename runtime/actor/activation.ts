/**
 * A resident actor: its state, its mailbox and its phase.
 *
 *  I10 An actor has at most one turn under way, and handles its mailbox in order.
 *
 * One writer: only the methods here change the mailbox and what is set aside of it, and each leaves the order as it is.
 * The phase goes round as `Phase` says; only the parts of the scheduler (`scheduler/`) call these methods.
 */
import type { ActorKind, Message } from './actor.ts'
import type { CatchUp } from './catch_up.ts'
import { type Entry, isAsk, isDurable, isSelf, isTell, isWake, wake } from './entry.ts'

/** Messages that an actor handled weigh a third after this many milliseconds. */
const HEAT_MS = 10_000

/** Maximum messages of one turn, where the kind says nothing else. */
const TURN_LIMIT = 512

/**
 * Changes after which a turn leaves the rest of its messages to the next one. A message may cause any number of changes
 * (an event with a thousand listeners), and other actors wait for the commit.
 */
const MAX_CHANGES = 4096

/**
 * idle → loading → (reading →) ready → committing (→ blocked) → idle. An activation has at most one turn under way. The
 * next turn sees the decisions of this one only once they are committed. `blocked`: the turn is undone, and its messages
 * wait before they are tried again.
 */
export type Phase = 'idle' | 'loading' | 'reading' | 'ready' | 'committing' | 'blocked'

export class Activation {
  readonly address: string
  readonly key: string
  readonly kind: ActorKind
  readonly partition: number
  /** The epoch with which this node held the partition when the activation was made; it fences all turns of the activation. */
  readonly epoch: number | undefined
  loaded = false
  /** Slow work of this state has failed without the state knowing. It serves the turn under way and no other. */
  is_stale = false
  state: unknown = undefined
  /** The batch of the turn whose reads are under way. */
  reading: Entry[] | undefined = undefined
  /** Messages still to be handled one per turn, after a commit with several of them failed. */
  solo = 0
  /** The turn under way was taken as one of those. */
  is_solo = false
  /** Consecutive turns that could not be committed because other transactions hold rows that they need. */
  blocked = 0
  /** Times that its durable messages were set aside, since one was applied. */
  holds = 0
  /** Set while later messages run past this actor because too many waited while it could not go on. */
  catch_up: CatchUp | undefined = undefined
  /** Slow work in flight; an activation with work is not passivated. */
  works = 0
  /** Name of the timer row that keeps the actor awake; null when there is none, undefined until that is known. */
  awake: string | null | undefined = undefined
  /** Write-behind messages that are scheduled already, by type. */
  soon: Map<string, Message> | undefined = undefined
  used = 0
  /** Messages of the next turn, where the last ones were cut: lower where each message changes much. */
  #most: number | undefined = undefined
  #heat = 0
  #heated_at = 0
  #phase: Phase = 'idle'
  #mailbox: Entry[] = []
  #held: Entry[] | undefined = undefined
  #generation = 0

  constructor(address: string, key: string, kind: ActorKind, partition: number, epoch: number | undefined) {
    this.address = address
    this.key = key
    this.kind = kind
    this.partition = partition
    this.epoch = epoch
  }

  get phase(): Phase {
    return this.#phase
  }

  /** Notes messages that were handled at `at`, in milliseconds of the monotonic clock. */
  warm(messages: number, at: number): void {
    this.#heat = this.#heat * Math.exp((this.#heated_at - at) / HEAT_MS) + messages
    this.#heated_at = at
    this.used = at
  }

  /** Messages a second that were handled lately. */
  rateAt(at: number): number {
    return (this.#heat * Math.exp((this.#heated_at - at) / HEAT_MS) * 1000) / HEAT_MS
  }

  /** Messages that wait for a turn, without those set aside. */
  get waiting(): number {
    return this.#mailbox.length
  }

  /** True while durable messages are set aside: this version or the database lacks what the first of them needs. */
  get is_held(): boolean {
    return this.#held !== undefined
  }

  /** A recent turn was blocked, so its next turns commit apart from the others. */
  get is_suspect(): boolean {
    return this.blocked > 0
  }

  /** Raised whenever the in-memory state is thrown away; results of slow work started before are then ignored. */
  get generation(): number {
    return this.#generation
  }

  enter(phase: Phase): void {
    this.#phase = phase
  }

  /** Puts a message behind all others. Returns true when it is set aside with those that it must not overtake. */
  put(entry: Entry): boolean {
    if (this.#held && isDurable(entry)) {
      this.#held.push(entry)
      return true
    }
    this.#mailbox.push(entry)
    return false
  }

  /** Puts messages that were taken before all others, in their order; a wake goes behind results that wait. */
  putBack(entries: readonly Entry[]): void {
    const wake = entries.find(isWake)
    this.#mailbox.unshift(...(wake ? entries.filter((entry) => entry !== wake) : entries))
    if (wake) this.#putWake(wake)
  }

  /** Takes the messages of the next turn. */
  take(): Entry[] {
    this.is_solo = this.solo > 0
    const whole = this.kind.turn_limit ?? TURN_LIMIT
    const limit = this.is_solo ? 1 : Math.min(whole, this.#most ?? whole)
    if (this.is_solo) this.solo--
    // Reads of messages that the turn does not reach would be in vain; a turn that is not cut tries twice as many.
    if (this.#most !== undefined && !this.is_solo) this.#most = limit < whole ? limit * 2 : undefined
    const end = this.#beforeAlone(this.#endOfTurn(limit))
    if (this.#mailbox.length <= end) {
      const all = this.#mailbox
      this.#mailbox = []
      return all
    }
    return this.#mailbox.splice(0, end)
  }

  /**
   * Ends a turn of `batch` behind so many messages if it has made enough changes: the others go back to the mailbox,
   * out of `batch`.
   */
  cut(batch: Entry[], handled: number, changes: number): void {
    if (changes < MAX_CHANGES || handled === batch.length) return
    this.#most = handled
    this.putBack(batch.splice(handled))
  }

  /** Index of the first message that cannot share a turn with those before it: one of them is not committed yet. */
  #endOfTurn(limit: number): number {
    const { early } = this.kind
    if (!early || !this.#mailbox.some((entry) => entry.early?.is_open)) return limit
    const types = new Set<string>()
    const apart = new Set<string>()
    for (let i = 0; i < limit && i < this.#mailbox.length; i++) {
      const { message, early: message_early } = this.#mailbox[i]!
      const others = message_early?.is_open ? (early[message.type] ?? []) : []
      if (apart.has(message.type) || others.some((type) => types.has(type))) return i
      types.add(message.type)
      for (const type of others) apart.add(type)
    }
    return limit
  }

  /** Cuts a turn of so many messages: one that takes a turn alone is the first and the last of its turn. */
  #beforeAlone(limit: number): number {
    const { alone } = this.kind
    if (!alone) return limit
    for (let i = 0; i < limit && i < this.#mailbox.length; i++) {
      if (alone.includes(this.#mailbox[i]!.message.type)) return Math.max(i, 1)
    }
    return limit
  }

  /** Takes the first message; requires one. */
  takeFirst(): Entry {
    return this.#mailbox.shift()!
  }

  /** Takes everything, what is being read for and what is set aside included. */
  takeAll(): Entry[] {
    const all = [...(this.reading ?? []), ...this.#mailbox, ...(this.#held ?? [])]
    this.reading = undefined
    this.#mailbox = []
    this.#held = undefined
    return all
  }

  /** Takes durable messages and everything that is set aside: none of it has to be applied by this node. */
  takeDurable(): Entry[] {
    const durable = [...this.#mailbox.filter(isDurable), ...(this.#held ?? [])]
    this.#mailbox = this.#mailbox.filter((entry) => !isDurable(entry))
    this.#held = undefined
    return durable
  }

  /**
   * Sets `batch`, and behind it the mailbox, aside for later, in order; asks stay in the mailbox. Returns true when
   * nothing was set aside before.
   */
  setAside(batch: readonly Entry[]): boolean {
    const rest = [...batch, ...this.#mailbox]
    this.#mailbox = rest.filter(isAsk)
    // Results of slow work are void with their state: the actor starts that work again.
    const is_lost = (entry: Entry) => entry.origin === 'self' && !entry.is_result && !this.loaded
    const held = rest.filter((entry) => !isAsk(entry) && !is_lost(entry))
    if (rest.some(is_lost) && this.kind.receive.wake) held.unshift(wake())
    if (held.length === 0) return false
    const is_first = this.#held === undefined
    // Only messages of the actor to itself can have arrived since the others were set aside.
    this.#held = this.#held ? [...held, ...this.#held.filter((entry) => !is_lost(entry))] : held
    return is_first
  }

  /** Puts what is set aside before all others. Returns false when there is nothing. */
  takeUp(): boolean {
    if (!this.#held) return false
    this.#mailbox.unshift(...this.#held)
    this.#held = undefined
    return true
  }

  /** A firing of this timer that waits for a turn, or is set aside, is void. */
  dropTimer(name: string): void {
    this.#held = this.#held?.filter((entry) => entry.timer?.name !== name)
    if (!this.#mailbox.some((entry) => entry.timer?.name === name)) return
    this.#mailbox = this.#mailbox.filter((entry) => entry.timer?.name !== name)
  }

  /** True when a tell is waiting or set aside. */
  get has_tells(): boolean {
    return this.#mailbox.some(isTell) || this.#held?.some(isTell) === true
  }

  /** The tells that are set aside, or else those that wait, in order. */
  tells(): Entry[] {
    return (this.#held ?? this.#mailbox).filter(isTell)
  }

  /** Drops some of `tells()`. */
  drop(tells: ReadonlySet<Entry>): void {
    if (this.#held) this.#held = this.#held.filter((entry) => !tells.has(entry))
    else this.#mailbox = this.#mailbox.filter((entry) => !tells.has(entry))
  }

  /** Tells the actor to start lost work again, where its kind can. */
  wake(): void {
    if (this.kind.receive.wake) this.#putWake(wake())
  }

  /** Behind the last result that waits: work that results end must not begin again. Before all that follows it. */
  #putWake(wake: Entry): void {
    if (this.#mailbox.some(isWake)) return
    this.#mailbox.splice(this.#mailbox.findLastIndex(isSelf) + 1, 0, wake)
  }

  /** Throws the state away, with all that goes by its generation. */
  evict(): void {
    this.loaded = false
    this.is_stale = false
    this.state = undefined
    this.awake = undefined
    this.soon = undefined
    this.#generation++
  }
}
