/** Loads the states of actors, those of one kind together. */
import type { Activation } from '../actor/activation.ts'
import type { ActorKind } from '../actor/actor.ts'
import { keyOf } from '../address.ts'
import { isStorageTrouble, STORAGE_RETRY_MS } from '../failure.ts'
import type { Faults } from './faults.ts'
import type { SchedulerOptions } from './options.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'

type LoaderOptions = Pick<SchedulerOptions, 'database' | 'store' | 'log' | 'leased'>

export class Loader {
  readonly #options: LoaderOptions
  readonly #residents: Residents
  readonly #queue: RunQueue
  readonly #faults: Faults
  readonly stats = { loads: 0 }

  constructor(options: LoaderOptions, residents: Residents, queue: RunQueue, faults: Faults) {
    this.#options = options
    this.#residents = residents
    this.#queue = queue
    this.#faults = faults
  }

  /** Loads actors of one kind, then runs their turns. Never rejects: what fails is tried again. */
  async load(kind: ActorKind, all: Activation[]): Promise<void> {
    const activations = all.filter((activation) => this.#residents.holds(activation))
    if (activations.length === 0) return
    const { database, store, log, leased } = this.#options
    // Without the lease another node may own the partition. A database that then goes back to before that, and does not
    // report its history, would accept commits of the state that the other node has left.
    if (!leased()) return this.#queue.resumeLater(STORAGE_RETRY_MS, activations)
    let states: Map<string, unknown>
    try {
      states = kind.load
        ? await kind.load(
            activations.map(({ key }) => key),
            database,
          )
        : byKey(await store.readStates(activations.map(({ address }) => address)))
      for (const { key } of activations) if (!states.has(key)) states.set(key, kind.create(key))
    } catch (error) {
      log.warn({ kind: kind.kind, error: (error as Error).message }, 'loading actors failed')
      this.#failed(kind, activations, error as Error)
      return
    }
    if (!leased()) return this.#queue.resumeLater(STORAGE_RETRY_MS, activations)
    this.stats.loads += activations.length
    for (const activation of activations) {
      if (!this.#residents.holds(activation)) continue
      activation.state = states.get(activation.key)
      activation.loaded = true
      activation.enter('idle')
      this.#queue.schedule(activation)
    }
  }

  /** One actor that cannot be loaded must not keep others away: each is loaded alone, and the one at fault faults. */
  #failed(kind: ActorKind, activations: Activation[], error: Error): void {
    if (isStorageTrouble(error)) this.#queue.resumeLater(STORAGE_RETRY_MS, activations)
    else if (activations.length > 1) for (const activation of activations) void this.load(kind, [activation])
    else if (this.#residents.holds(activations[0]!)) this.#fault(activations[0]!, error)
  }

  #fault(activation: Activation, error: Error): void {
    // A handover may have left its messages to the next owner meanwhile.
    if (activation.waiting === 0) {
      this.#queue.resume(activation)
      return
    }
    const entry = activation.takeFirst()
    this.#faults.fault(activation, entry, error, [entry])
  }
}

function byKey(states: Map<string, unknown>): Map<string, unknown> {
  return new Map([...states].map(([address, state]) => [keyOf(address), state]))
}
