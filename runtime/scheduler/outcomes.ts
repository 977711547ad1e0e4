/** The outcomes of commits, as the lane reports them: each turn is settled, undone, or given to the next owner. */
import type { Activation } from '../actor/activation.ts'
import { type Entry, isDurable, isVoid } from '../actor/entry.ts'
import type { PendingTurn, Sent } from '../actor/pending_turn.ts'
import type { WaitingAsks } from '../actor/waiting_asks.ts'
import type { LaneOwner, Lost } from '../commit/lane.ts'
import { Unavailable } from '../refusal.ts'
import type { Faults } from './faults.ts'
import type { Handover } from './handover.ts'
import type { Hindrances } from './hindrances.ts'
import type { SchedulerOptions } from './options.ts'
import type { OrphanedResults } from './orphaned_results.ts'
import type { Repeats } from './repeats.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'
import type { Settlement } from './settlement.ts'

type OutcomesOptions = Pick<SchedulerOptions, 'epoch' | 'send' | 'rewound' | 'moved'>

type Parts = {
  residents: Residents
  queue: RunQueue
  asks: WaitingAsks
  results: OrphanedResults
  settlement: Settlement
  faults: Faults
  hindrances: Hindrances
  repeats: Repeats
  handover: Handover
}

export class Outcomes implements LaneOwner {
  readonly #options: OutcomesOptions
  readonly #parts: Parts

  constructor(options: OutcomesOptions, parts: Parts) {
    this.#options = options
    this.#parts = parts
  }

  epoch(partition: number): number | undefined {
    return this.#options.epoch(partition)
  }

  isDeciding(): boolean {
    return this.#parts.queue.is_busy
  }

  committed(pending_turns: PendingTurn[], sent: Sent[], source: number): void {
    for (const pending_turn of pending_turns) this.#parts.settlement.settleCommitted(pending_turn)
    // After the pending turns: a message may find an activation that must be thrown away, with the work that its
    // pending turn has started.
    if (sent.length > 0) this.#options.send(sent, source)
  }

  faulted(pending_turn: PendingTurn, error: Error): void {
    const { activation, batch, entries } = pending_turn
    pending_turn.endSpans(error.name)
    if (activation && this.#isForgotten(activation, batch)) return
    if (activation) this.#parts.faults.fault(activation, batch.length === 1 ? batch[0] : undefined, error, batch)
    else this.#parts.asks.dismiss(entries, error)
  }

  rewound(lost: Lost): void {
    this.#options.rewound(lost)
  }

  hindered({ activation, batch, entries }: PendingTurn, meaning: 'blocked' | 'held', error: Error): void {
    const { residents, hindrances } = this.#parts
    if (!activation) {
      hindrances.refuse(entries)
      return
    }
    if (this.#isForgotten(activation, batch)) return
    residents.undo(activation, batch)
    if (meaning === 'held') hindrances.hold(activation, error, batch, batch)
    else hindrances.block(activation, error, batch)
  }

  repeated(pending_turn: PendingTurn, error: Error): void {
    const { residents, queue, faults, repeats } = this.#parts
    const activation = pending_turn.activation!
    residents.undo(activation, pending_turn.batch)
    void repeats.without(pending_turn).then(
      (entries) => {
        if (this.#isForgotten(activation, entries)) return
        activation.putBack(entries)
        queue.resume(activation)
      },
      () => {
        const { batch } = pending_turn
        if (!this.#isForgotten(activation, batch)) faults.fault(activation, undefined, error, batch)
      },
    )
  }

  retracted({ activation, batch }: PendingTurn): void {
    const { residents, queue } = this.#parts
    if (this.#isForgotten(activation!, batch)) return
    residents.undo(activation!, batch)
    activation!.putBack(batch.filter((entry) => !isVoid(entry)))
    queue.resume(activation!)
  }

  fenced({ activation, batch }: PendingTurn): void {
    const { partition, epoch } = activation!
    this.#giveOn(activation!, batch)
    this.#parts.residents.forget(activation!)
    this.#options.moved(partition, epoch)
  }

  /** Callers may repeat only repeatable asks. The row of a durable message shows whether it was applied. */
  doubtful({ activation, batch, entries }: PendingTurn): void {
    const { residents, queue, asks, handover } = this.#parts
    const error = new Unavailable('It is not known whether this was done.')
    if (!activation) {
      asks.dismiss(entries, error)
      return
    }
    asks.dismiss(
      batch.filter((entry) => !isDurable(entry)),
      error,
    )
    const rest = [...batch.filter((entry) => entry.is_result), ...batch.filter(isDurable)]
    if (this.#isForgotten(activation, rest)) return
    residents.undo(activation, rest)
    // The state that is loaded shows whether it was applied.
    activation.putBack(rest)
    // A stopping node abandons commits whose outcome is unknown: one may still happen after a load here, not after a
    // takeover.
    if (handover.is_draining) residents.forget(activation)
    else queue.resume(activation)
  }

  /**
   * True when the partition was lost and taken again while the turn was committing: another activation receives the
   * messages now, so the entries are given on.
   */
  #isForgotten(activation: Activation, entries: Entry[]): boolean {
    if (this.#parts.residents.holds(activation)) return false
    this.#giveOn(activation, entries)
    return true
  }

  /** Callers ask the next owner, which reads durable messages from the outbox and is told the results. */
  #giveOn({ address }: Activation, entries: Entry[]): void {
    this.#parts.asks.dismiss(entries)
    this.#parts.results.passOn(address, entries)
  }
}
