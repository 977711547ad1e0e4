/**
 * The scheduler. It gives each message to its actor, runs turns and hands their decisions to the lane.
 *
 * Its parts are in `scheduler/`, each with one noun, and each is given those that it needs:
 *
 *  - `residents.ts`: the actors in memory, and the end of their state (I11); `passivation.ts`: when they are idle.
 *  - `run_queue.ts`: whose turn is next (I10); `overflow.ts`: who has too much waiting; `write_behind.ts`: what comes soon.
 *  - `loader.ts`, `turns.ts`: loading, reading and deciding (I13).
 *  - `early_delivery.ts`: messages that reach their receivers before their sender's turn is committed (I18, I19).
 *  - `faults.ts`, `hindrances.ts`: what becomes of messages whose turn fails (I12).
 *  - `outcomes.ts`: what the lane reports; `settlement.ts`: a turn that stands; `repeats.ts`: messages that came twice.
 *  - `committed_work.ts`: slow work and its lease (I11); `orphaned_results.ts`: results whose state is gone.
 *  - `handover.ts`: giving partitions away, and the end.
 *
 * One writer: an `Activation` alone changes its mailbox and its phase, and only these parts tell it to.
 */
import type { Activation } from '../actor/activation.ts'
import type { Glance, Message } from '../actor/actor.ts'
import type { Entry } from '../actor/entry.ts'
import { SlowWork } from '../actor/slow_work.ts'
import { WaitingAsks } from '../actor/waiting_asks.ts'
import type { LaneOwner } from '../commit/lane.ts'
import { Moved, Unavailable } from '../refusal.ts'
import type { Clock } from '../time/clock.ts'
import { CommittedWork } from './committed_work.ts'
import { EarlyDelivery } from './early_delivery.ts'
import { Faults } from './faults.ts'
import { Handover } from './handover.ts'
import { Hindrances } from './hindrances.ts'
import { Loader } from './loader.ts'
import type { SchedulerOptions } from './options.ts'
import { OrphanedResults } from './orphaned_results.ts'
import { Outcomes } from './outcomes.ts'
import { Overflow } from './overflow.ts'
import { Passivation } from './passivation.ts'
import { Repeats } from './repeats.ts'
import { Residents } from './residents.ts'
import { RunQueue } from './run_queue.ts'
import { Settlement } from './settlement.ts'
import { Turns } from './turns.ts'
import { WriteBehind } from './write_behind.ts'

const MAILBOX_LIMIT = 10_000

export class Scheduler {
  /** The lane reports to this what became of turns. */
  readonly outcomes: LaneOwner
  readonly #clock: Clock
  readonly #asks: WaitingAsks
  readonly #slow: SlowWork
  readonly #results: OrphanedResults
  readonly #residents: Residents
  readonly #passivation: Passivation
  readonly #queue: RunQueue
  readonly #write_behind: WriteBehind
  readonly #work: CommittedWork
  readonly #faults: Faults
  readonly #hindrances: Hindrances
  readonly #loader: Loader
  readonly #turns: Turns
  readonly #early: EarlyDelivery
  readonly #repeats: Repeats
  readonly #handover: Handover

  constructor(options: SchedulerOptions) {
    const { clock, log } = options
    const slow = new SlowWork()
    const asks = new WaitingAsks(clock)
    const results = new OrphanedResults(options, slow)
    const residents = new Residents(options, asks, slow, results)
    const passivation = new Passivation(options, residents)
    const overflow = new Overflow(options, residents)
    const queue = new RunQueue(clock, residents, overflow, {
      run: (activation) => this.#turns.run(activation),
      load: (kind, activations) => void this.#loader.load(kind, activations),
    })
    const write_behind = new WriteBehind(clock, queue)
    const work = new CommittedWork(log, residents, queue, slow, results, () => options.surroundings.isQuiet())
    const settlement = new Settlement(options, residents, queue, asks, work)
    const faults = new Faults(options, residents, queue, asks)
    const hindrances = new Hindrances(options, residents, queue, overflow, asks)
    const repeats = new Repeats(options)
    const handover = new Handover(clock, { residents, queue, asks, slow, results, write_behind })
    const early = new EarlyDelivery(options, residents, queue, handover)
    const ends = { settlement, faults, hindrances, repeats, handover }
    this.outcomes = new Outcomes(options, { residents, queue, asks, results, ...ends })
    this.#clock = clock
    this.#asks = asks
    this.#slow = slow
    this.#results = results
    this.#residents = residents
    this.#passivation = passivation
    this.#queue = queue
    this.#write_behind = write_behind
    this.#work = work
    this.#faults = faults
    this.#hindrances = hindrances
    this.#loader = new Loader(options, residents, queue, faults)
    this.#turns = new Turns(options, { residents, asks, write_behind, early, settlement, faults, hindrances })
    this.#early = early
    this.#repeats = repeats
    this.#handover = handover
  }

  /** Number of actors in memory. */
  get resident(): number {
    return this.#residents.size
  }

  /** Counters for metrics and benchmarks. */
  get stats() {
    return {
      ...this.#turns.stats,
      ...this.#loader.stats,
      ...this.#early.stats,
      ...this.#passivation.stats,
      ...this.#faults.stats,
      ...this.#hindrances.stats,
      ...this.#repeats.stats,
    }
  }

  /** Puts a message into an actor's mailbox. Asks beyond the mailbox limit are answered `Unavailable` at once. */
  deliver(address: string, partition: number, entry: Entry): void {
    const activation = this.#residents.at(address, partition)
    if (entry.origin === 'ask') {
      if (this.#handover.isClosing(partition)) {
        entry.reject!(new Moved())
        return
      }
      if (activation.waiting >= (activation.kind.mailbox_limit ?? MAILBOX_LIMIT)) {
        entry.reject!(new Unavailable('Too much is waiting for this already.'))
        return
      }
      this.#asks.add(entry)
    }
    this.#queue.put(activation, entry)
  }

  /** Answers `entry` with `Unavailable` when its deadline passes first. For pending turns without an actor. */
  expect(entry: Entry): void {
    this.#asks.add(entry)
  }

  /** Answers without a turn when the actor is in memory and can; undefined otherwise. Synchronous. */
  peek(address: string, message: Message): unknown {
    const activation = this.#residents.find(address)
    if (!activation?.loaded) return undefined
    if (this.#handover.isClosing(activation.partition) || !this.#residents.isHeld(activation)) return undefined
    const receive = activation.kind.peek?.[message.type]
    if (!receive) return undefined
    activation.warm(1, this.#clock.monotonic())
    return receive(this.#glance(activation), message as never)
  }

  #glance(activation: Activation): Glance {
    return {
      key: activation.key,
      now: new Date(this.#clock.now()),
      state: activation.state,
      soon: (ms, message) => this.#write_behind.soon(activation, ms, message),
    }
  }

  /** The actors that handle most messages now. */
  hottest(limit: number): { address: string; per_second: number }[] {
    return this.#residents.hottest(limit, this.#clock.monotonic())
  }

  /** The lease was renewed, so this node still holds its partitions: slow work that waited for that begins. */
  leaseRenewed(): void {
    this.#work.leaseRenewed()
  }

  /** The partition has another owner: drops all its actors from memory. */
  lost(partition: number): void {
    this.#residents.lost(partition)
  }

  /** Resolves when the calls that must not be aborted have ended and their results are stored. */
  calls(): Promise<void> {
    return this.#slow.calls()
  }

  /** Accepts no new asks for these partitions; resolves when none of their turns is under way, or after `ms`. */
  quiet(partitions: Set<number>, ms: number): Promise<void> {
    return this.#handover.quiet(partitions, ms)
  }

  /** Accepts no new asks; resolves when no turn is under way and all mailboxes are empty, or after `ms`. */
  drain(ms: number): Promise<void> {
    return this.#handover.drain(ms)
  }

  /** Forgets all actors. Callers that still wait hear that the node is shutting down. */
  stop(): void {
    this.#results.stop()
    this.#passivation.stop()
    this.#residents.stop()
    this.#asks.stop()
  }
}
