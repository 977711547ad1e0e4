/**
 * The actors whose turn is next. An actor enters when it is idle and has messages, and no more until it is idle again:
 * so it has at most one turn under way (I10).
 *
 * All messages that arrive in one turn of the event loop are loaded, read and decided together.
 */
import type { Activation } from '../actor/activation.ts'
import type { ActorKind } from '../actor/actor.ts'
import { type Entry, isTell } from '../actor/entry.ts'
import type { Clock } from '../time/clock.ts'
import type { Overflow } from './overflow.ts'
import type { Residents } from './residents.ts'

/** Called for the actors in the queue when it is their turn. */
type Runs = {
  /** Runs the next turn of an actor whose state is loaded. */
  run(activation: Activation): void
  load(kind: ActorKind, activations: Activation[]): void
}

export class RunQueue {
  readonly #clock: Clock
  readonly #residents: Residents
  readonly #overflow: Overflow
  readonly #runs: Runs
  #loading = new Map<ActorKind, Activation[]>()
  #ready: Activation[] = []
  #scheduled = false
  #ticking = false

  constructor(clock: Clock, residents: Residents, overflow: Overflow, runs: Runs) {
    this.#clock = clock
    this.#residents = residents
    this.#overflow = overflow
    this.#runs = runs
  }

  /** True while actors are about to have their turns. */
  get is_busy(): boolean {
    return this.#scheduled || this.#ticking
  }

  /** Puts a message behind the others of its actor, and the actor in the queue. */
  put(activation: Activation, entry: Entry): void {
    const is_aside = activation.put(entry)
    if (is_aside || (activation.blocked > 0 && isTell(entry))) this.#overflow.keepToShare(activation)
    if (!is_aside && activation.phase === 'idle') this.schedule(activation)
  }

  /** Puts an idle actor in the queue when it has messages. */
  schedule(activation: Activation): void {
    if (activation.is_stale) this.#residents.undo(activation)
    if (activation.catch_up) this.#overflow.catchUp(activation, activation.catch_up)
    if (activation.waiting === 0) return
    if (!activation.loaded) {
      activation.enter('loading')
      const waiting = this.#loading.get(activation.kind)
      if (waiting) waiting.push(activation)
      else this.#loading.set(activation.kind, [activation])
    } else {
      activation.enter(activation.kind.read ? 'reading' : 'ready')
      this.#ready.push(activation)
    }
    if (!this.#scheduled) {
      this.#scheduled = true
      this.#clock.soon(() => this.#tick())
    }
  }

  /** The turn of the actor is over, whatever came of it. */
  resume(activation: Activation): void {
    if (!this.#residents.holds(activation)) return
    activation.enter('idle')
    this.schedule(activation)
  }

  /** The same after `ms`. */
  resumeLater(ms: number, activations: Activation[]): void {
    this.#clock.after(ms, () => {
      for (const activation of activations) this.resume(activation)
    })
  }

  /** Runs once per turn of the event loop. */
  #tick(): void {
    this.#scheduled = false
    this.#ticking = true
    const ready = this.#ready
    this.#ready = []
    for (const activation of ready) if (this.#residents.holds(activation)) this.#runs.run(activation)
    this.#ticking = false
    if (this.#loading.size === 0) return
    const loading = this.#loading
    this.#loading = new Map()
    for (const [kind, activations] of loading) this.#runs.load(kind, activations)
  }
}
