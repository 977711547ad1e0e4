/**
 * Slow work beside the turns, by the actor that started it. Work is aborted when its state is thrown away (I11). Calls
 * that must not be aborted go on: their result then reaches the actor as a durable message, on whichever node it is.
 */

import { givePermit } from '../work/permit.ts'
import type { Activation } from './activation.ts'
import type { Message } from './actor.ts'
import type { Work } from './pending_turn.ts'

export type WorkEnds = {
  done(message: Message): void
  failed(error: unknown): void
  /** The result of an unbroken call whose state is gone. */
  orphaned(message: Message): Promise<void>
}

export class SlowWork {
  readonly #aborts = new Map<Activation, Set<AbortController>>()
  /** Unbroken calls, until their results are stored. */
  readonly #calls = new Set<Promise<void>>()

  /** Starts work; at most one of `ends` follows. The work may begin something outside while `isHeld` returns true. */
  start(activation: Activation, { run, unbroken }: Work, isHeld: () => boolean, ends: WorkEnds): void {
    const { generation } = activation
    const abort = new AbortController()
    const set = unbroken ? undefined : this.#breakable(activation)
    set?.add(abort)
    activation.works++
    const end = () => {
      activation.works--
      set?.delete(abort)
      if (set?.size === 0 && this.#aborts.get(activation) === set) this.#aborts.delete(activation)
      return activation.generation === generation
    }
    givePermit(abort.signal, () => activation.generation === generation && isHeld())
    const whole = Promise.resolve(abort.signal)
      .then(run)
      .then(
        (message) => {
          if (end()) ends.done(message)
          else if (unbroken) return ends.orphaned(message)
        },
        (error) => {
          if (end()) ends.failed(error)
        },
      )
    if (unbroken) this.keep(whole)
  }

  /** Makes `calls` wait until the result of an unbroken call is stored. `whole` never rejects. */
  keep(whole: Promise<void>): void {
    this.#calls.add(whole)
    void whole.finally(() => this.#calls.delete(whole))
  }

  #breakable(activation: Activation): Set<AbortController> {
    let set = this.#aborts.get(activation)
    if (!set) {
      set = new Set()
      this.#aborts.set(activation, set)
    }
    return set
  }

  /** True when the activation has work that would be aborted now. */
  isBreakable(activation: Activation): boolean {
    return this.#aborts.has(activation)
  }

  abort(activation: Activation): void {
    for (const abort of this.#aborts.get(activation) ?? []) abort.abort()
    this.#aborts.delete(activation)
  }

  /** Resolves when the calls under way have ended and their results are stored. */
  async calls(): Promise<void> {
    while (this.#calls.size > 0) await Promise.all(this.#calls)
  }
}
