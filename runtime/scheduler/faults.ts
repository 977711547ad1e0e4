/**
 * Turns that failed, and the messages that are to blame.
 *
 *  I12 A fault is the message's own: it is tried `MAX_ATTEMPTS` times, the later ones alone, then parked (tell, timer) or answered with
 *      an error (ask); its neighbours go on.
 *
 * Turns that fail through no fault of their messages are in `hindrances.ts`.
 */
import type { Activation } from '../actor/activation.ts'
import { deadLetter } from '../actor/dead_letter.ts'
import { type Entry, factsOf } from '../actor/entry.ts'
import { PendingTurn } from '../actor/pending_turn.ts'
import type { WaitingAsks } from '../actor/waiting_asks.ts'
import { isLate, isStorageTrouble, STORAGE_RETRY_MS } from '../failure.ts'
import type { SchedulerOptions } from './options.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'

type FaultsOptions = Pick<SchedulerOptions, 'clock' | 'log' | 'partitions' | 'push'>

const MAX_ATTEMPTS = 3
const FAULT_RETRY_MS = 50

export class Faults {
  readonly #options: FaultsOptions
  readonly #residents: Residents
  readonly #queue: RunQueue
  readonly #asks: WaitingAsks
  readonly stats = { faults: 0, parked: 0 }

  constructor(options: FaultsOptions, residents: Residents, queue: RunQueue, asks: WaitingAsks) {
    this.#options = options
    this.#residents = residents
    this.#queue = queue
    this.#asks = asks
  }

  /** `entry` is the message at fault when it is known; `batch` is all messages of the turn, in order. */
  fault(activation: Activation, entry: Entry | undefined, error: Error, batch: Entry[]): void {
    this.stats.faults++
    const { log } = this.#options
    const facts = { address: activation.address, ...factsOf(entry), messages: batch.length, error }
    // Another transaction was first, which the next attempt sees: an operator can mend nothing, unless it goes on.
    const was_late = isLate(error) && (entry?.attempts ?? 0) + 1 < MAX_ATTEMPTS
    if (was_late) log.warn(facts, 'a turn met a row that has come or gone meanwhile, and is tried again')
    else log.error(facts, 'a turn failed and was undone')
    this.#residents.undo(activation, batch)
    if (entry) entry.attempts++
    if (entry && batch.length === 1 && entry.attempts >= MAX_ATTEMPTS) {
      this.#giveUp(activation, entry, error)
      return
    }
    activation.putBack(batch)
    activation.solo = Math.max(activation.solo, batch.length)
    if (batch.length === 1) this.#queue.resumeLater(FAULT_RETRY_MS, [activation])
    else this.#queue.resume(activation)
  }

  /** The reads of a turn failed. The state is as it was: they cannot have changed it. */
  failedRead(activation: Activation, batch: Entry[], error: Error): void {
    const is_trouble = isStorageTrouble(error)
    if (!is_trouble) for (const entry of batch) entry.attempts++
    if (!is_trouble && batch.length === 1 && batch[0]!.attempts >= MAX_ATTEMPTS) {
      this.#giveUp(activation, batch[0]!, error)
      return
    }
    activation.putBack(batch)
    if (!is_trouble) activation.solo = Math.max(activation.solo, batch.length)
    this.#queue.resumeLater(is_trouble ? STORAGE_RETRY_MS : FAULT_RETRY_MS, [activation])
  }

  #giveUp(activation: Activation, entry: Entry, error: Error): void {
    if (entry.origin === 'ask' || entry.origin === 'self') {
      this.#asks.dismiss([entry], error)
      this.#queue.resume(activation)
      return
    }
    const { clock, partitions, push } = this.#options
    const pending_turn = new PendingTurn(activation, new Date(clock.now()), undefined, partitions, [entry])
    pending_turn.settle(entry, undefined)
    this.bury(pending_turn, entry, error)
    activation.enter('committing')
    push(pending_turn)
  }

  /** Parks a message as a dead letter when the turn commits. */
  bury(pending_turn: PendingTurn, entry: Entry, error: Error): void {
    this.stats.parked++
    this.#options.log.error({ address: pending_turn.address, ...factsOf(entry), error }, 'a message was parked')
    pending_turn.dead.push(deadLetter(pending_turn.activation!.partition, pending_turn.address, entry, error))
  }
}
