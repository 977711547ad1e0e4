/** Messages and timers that a turn was given although they had been applied before. The tables know which. */
import { type Entry, rowOf } from '../actor/entry.ts'
import type { PendingTurn } from '../actor/pending_turn.ts'
import type { SchedulerOptions } from './options.ts'

type RepeatsOptions = Pick<SchedulerOptions, 'store' | 'timers'>

export class Repeats {
  readonly #options: RepeatsOptions
  readonly stats = { repeats: 0 }

  constructor(options: RepeatsOptions) {
    this.#options = options
  }

  /** The entries of a turn that are still to be applied; the others are let go. Rejects when the tables cannot be read. */
  async without(pending_turn: PendingTurn): Promise<Entry[]> {
    const { store, timers } = this.#options
    const { address, partition } = pending_turn.activation!
    const tells = pending_turn.batch.filter((entry) => rowOf(entry))
    const fired = pending_turn.batch.filter((entry) => entry.timer)
    const there = new Map<Entry, boolean>()
    const unsettled = await store.unsettled(tells.map((entry) => ({ partition, ...rowOf(entry)! })))
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
}
