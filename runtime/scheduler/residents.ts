/**
 * The actors in memory: found, made, undone and forgotten.
 *
 *  I11 State thrown away (failed commit, lost partition, fault) is never used again: the next turn loads it anew, and
 *      slow work started from it is aborted and its result dropped.
 *
 * State is thrown away here and nowhere else. `undo` keeps the actor with its messages; `forget` lets go of both.
 */
import { Activation } from '../actor/activation.ts'
import type { ActorKind } from '../actor/actor.ts'
import { type Entry, isWake } from '../actor/entry.ts'
import type { SlowWork } from '../actor/slow_work.ts'
import type { WaitingAsks } from '../actor/waiting_asks.ts'
import { type Address, keyOf, kindOf } from '../address.ts'
import type { SchedulerOptions } from './options.ts'
import type { OrphanedResults } from './orphaned_results.ts'

type ResidentsOptions = Pick<SchedulerOptions, 'kinds' | 'epoch' | 'leased'>

/** Messages a second below which an actor counts as idle. */
const MIN_RATE = 0.05

/** Receives nothing: for addresses whose kind only a newer version knows. */
const NOBODY: ActorKind = {
  kind: '',
  create: () => undefined,
  load: async () => new Map(),
  receive: {},
  address: (key) => key as Address<never>,
}

export class Residents {
  readonly #options: ResidentsOptions
  readonly #asks: WaitingAsks
  readonly #slow: SlowWork
  readonly #results: OrphanedResults
  readonly #kinds = new Map<string, ActorKind>()
  readonly #activations = new Map<string, Activation>()
  /** Activations by partition, so that handing one over does not scan all others. */
  readonly #byPartition = new Map<number, Set<Activation>>()

  constructor(options: ResidentsOptions, asks: WaitingAsks, slow: SlowWork, results: OrphanedResults) {
    this.#options = options
    this.#asks = asks
    this.#slow = slow
    this.#results = results
    for (const kind of options.kinds) this.#kinds.set(kind.kind, kind)
  }

  get size(): number {
    return this.#activations.size
  }

  all(): Iterable<Activation> {
    return this.#activations.values()
  }

  of(partition: number): Activation[] {
    return [...(this.#byPartition.get(partition) ?? [])]
  }

  /** The actors in memory that handled most messages lately, the busiest first. */
  hottest(limit: number, at: number): { address: string; per_second: number }[] {
    const busy: { address: string; per_second: number }[] = []
    for (const activation of this.#activations.values()) {
      const per_second = activation.rateAt(at)
      if (per_second >= MIN_RATE) busy.push({ address: activation.address, per_second })
    }
    return busy.sort((one, other) => other.per_second - one.per_second).slice(0, limit)
  }

  find(address: string): Activation | undefined {
    return this.#activations.get(address)
  }

  /** The activation of an address, made when there is none under the epoch with which this node holds the partition. */
  at(address: string, partition: number): Activation {
    const epoch = this.#options.epoch(partition)
    let activation = this.#activations.get(address)
    // The partition was lost and taken again: the fence will refuse the turn under way of the former activation.
    if (activation && activation.epoch !== epoch) {
      this.forget(activation)
      activation = undefined
    }
    if (!activation) {
      activation = new Activation(address, keyOf(address), this.kind(address), partition, epoch)
      this.#keep(activation)
    }
    return activation
  }

  /** The kind of the actor at an address. */
  kind(address: string): ActorKind {
    return this.#kinds.get(kindOf(address)) ?? NOBODY
  }

  #keep(activation: Activation): void {
    this.#activations.set(activation.address, activation)
    const others = this.#byPartition.get(activation.partition)
    if (others) others.add(activation)
    else this.#byPartition.set(activation.partition, new Set([activation]))
  }

  /** Lets an idle actor without messages or work leave memory. */
  leave(activation: Activation): void {
    this.#activations.delete(activation.address)
    this.#byPartition.get(activation.partition)?.delete(activation)
  }

  /** True while the activation is this scheduler's own. After the loss of its partition an activation is empty and forgotten. */
  holds(activation: Activation): boolean {
    return this.#activations.get(activation.address) === activation
  }

  /** True while this node holds the epoch under which the activation was made. The fence alone is sure of it. */
  isOwned(activation: Activation): boolean {
    const { epoch, partition } = activation
    // A message may come for a partition that is not here, as from a takeover that was overtaken by the next.
    return epoch !== undefined && this.holds(activation) && epoch === this.#options.epoch(partition)
  }

  /** True while this node holds the epoch under which the activation was made, and no other node can have taken it. */
  isHeld(activation: Activation): boolean {
    return this.#options.leased() && this.isOwned(activation)
  }

  /**
   * Throws the state away, and wakes the actor: what it was about to do may be known to that state alone, and another
   * state may ignore results of slow work that wait. `batch`: the messages of its turn, which the caller puts back.
   */
  undo(activation: Activation, batch: readonly Entry[] = []): void {
    const { loaded, works } = activation
    this.#evict(activation)
    if ((loaded || works > 0) && !batch.some(isWake)) activation.wake()
  }

  /** Throws the state away, and the messages: their callers hear `Moved`, and the rest is in the tables. */
  forget(activation: Activation): void {
    this.#evict(activation)
    const left = activation.takeAll()
    this.#asks.dismiss(left)
    this.#results.passOn(activation.address, left)
    if (this.holds(activation)) this.leave(activation)
  }

  /** The partition has another owner. A turn that is being committed learns so from the fence. */
  lost(partition: number): void {
    for (const activation of this.of(partition)) if (activation.phase !== 'committing') this.forget(activation)
  }

  #evict(activation: Activation): void {
    activation.evict()
    this.#slow.abort(activation)
  }

  stop(): void {
    for (const activation of [...this.#activations.values()]) this.forget(activation)
  }
}
