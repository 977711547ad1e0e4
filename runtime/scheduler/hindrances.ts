/**
 * Turns that cannot go on through no fault of their messages (I12). The messages stay in order, and the attempt does not
 * count.
 *
 * A turn is blocked while other transactions hold rows that it needs. It is held while this version, or the database,
 * does not know what a message needs: then durable messages are set aside, and others are served meanwhile.
 */
import type { Activation } from '../actor/activation.ts'
import { type Entry, factsOf, isAsk } from '../actor/entry.ts'
import type { PendingTurn } from '../actor/pending_turn.ts'
import type { WaitingAsks } from '../actor/waiting_asks.ts'
import { STORAGE_RETRY_MS } from '../failure.ts'
import { Unavailable } from '../refusal.ts'
import type { SchedulerOptions } from './options.ts'
import type { Overflow } from './overflow.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'

type HindrancesOptions = Pick<SchedulerOptions, 'clock' | 'log'>

/** Maximum pause between two attempts to apply messages that the database cannot take. */
const HELD_RETRY_MS = 10_000
/** Attempts after which the operator is warned again. */
const ALARM_EACH = 10
const HELD = 'a message is held: this version, or the database, does not know what it needs; it waits in order'
const NOT_NOW = 'This version, or the database, cannot do this right now.'

export class Hindrances {
  readonly #options: HindrancesOptions
  readonly #residents: Residents
  readonly #queue: RunQueue
  readonly #overflow: Overflow
  readonly #asks: WaitingAsks
  readonly stats = { blocked: 0, held: 0 }

  constructor(
    options: HindrancesOptions,
    residents: Residents,
    queue: RunQueue,
    overflow: Overflow,
    asks: WaitingAsks,
  ) {
    this.#options = options
    this.#residents = residents
    this.#queue = queue
    this.#overflow = overflow
    this.#asks = asks
  }

  /** Tells the callers of asks at fault that what they want cannot be done now. */
  refuse(entries: Iterable<Entry>): void {
    this.#asks.dismiss(entries, new Unavailable(NOT_NOW))
  }

  /** Tries the messages again later, with longer pauses each time. */
  block(activation: Activation, error: Error, batch: Entry[]): void {
    const only = batch.length === 1 ? factsOf(batch[0]) : undefined
    const facts = { address: activation.address, ...only, messages: batch.length, error: error.message }
    this.#options.log.warn(facts, 'a turn waits for rows that others hold')
    if (activation.blocked === 0) this.stats.blocked++
    const ms = pause(activation.blocked++)
    activation.putBack(batch)
    activation.enter('blocked')
    this.#overflow.keepToShare(activation)
    this.#queue.resumeLater(ms, [activation])
  }

  /**
   * This version, or the database, does not support what a message of `at_fault` needs. Durable messages wait in order
   * until it does. Callers of the asks at fault get an error, and other messages are served meanwhile.
   */
  hold(activation: Activation, error: Error, batch: Entry[], at_fault: Entry[]): void {
    const facts = { address: activation.address, ...factsOf(at_fault[0]), error: error.message }
    if (activation.holds % ALARM_EACH === 0) this.#options.log.error(facts, HELD)
    if (activation.holds === 0) this.stats.held++
    const answered = new Set(at_fault.filter(isAsk))
    this.refuse(answered)
    if (activation.setAside(batch.filter((entry) => !answered.has(entry)))) {
      this.#overflow.keepToShare(activation)
      this.#options.clock.after(pause(activation.holds++), () => this.#unhold(activation))
    }
    this.#queue.resume(activation)
  }

  /** A newer version sent this message: it waits, and earlier messages go on. */
  holdUnknown(pending_turn: PendingTurn, entry: Entry, error: Error): void {
    const { batch, entries } = pending_turn
    const activation = pending_turn.activation!
    this.#residents.undo(activation, batch)
    if (entries.length === 0 || entry.origin === 'ask') {
      this.hold(activation, error, batch, [entry])
      return
    }
    activation.putBack(batch)
    activation.solo = entries.length
    this.#queue.resume(activation)
  }

  #unhold(activation: Activation): void {
    if (!this.#residents.holds(activation) || !activation.takeUp()) return
    if (activation.phase === 'idle') this.#queue.schedule(activation)
  }
}

/** Milliseconds before the next attempt. */
function pause(attempts: number): number {
  return Math.min(STORAGE_RETRY_MS * 2 ** attempts, HELD_RETRY_MS)
}
