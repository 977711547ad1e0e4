/**
 * A message that its receiver was given before the sender's turn was committed. Its receiver reads and decides while the
 * sender's turn waits for the lane, and both turns are committed in one transaction whenever possible: the message then
 * never has a row in the outbox.
 *
 *  I16 An early message depends on its sender's turn. It is never applied before that turn is committed, and is void when
 *      the turn fails: a turn that has decided on a void message is undone.
 *  I17 A message has a row exactly when the sender's turn is committed without the turn of its receiver. The receiver
 *      then settles the row, as it does with every message; the inbox passes over the number.
 *
 * open → fused (committed with the receiver's turn) | stored (the sender's turn is committed; there is a row) | void.
 */
import type { Entry } from './entry.ts'
import type { Inbox } from './inbox.ts'
import type { PendingTurn } from './pending_turn.ts'

type Outcome = 'open' | 'fused' | 'stored' | 'void'

export class EarlyMessage {
  readonly sender: PendingTurn
  /** The message in the receiver's mailbox. */
  readonly entry: Entry
  /** The latest turn of the receiver that has decided on it. */
  turn: PendingTurn | undefined = undefined
  readonly #inbox: Inbox
  #outcome: Outcome = 'open'
  #is_released = false

  /** Takes a place in `inbox`, which is open for it (`Inbox.takesEarly`). */
  constructor(sender: PendingTurn, inbox: Inbox, message: Pick<Entry, 'message' | 'sender'> & { size: number }) {
    this.sender = sender
    this.#inbox = inbox
    this.entry = { ...message, origin: 'tell', attempts: 0, early: this, release: () => this.#release() }
    inbox.admit(message.size)
  }

  /** True while the sender's turn has neither been committed nor failed. */
  get is_open(): boolean {
    return this.#outcome === 'open'
  }

  /** True when the sender's turn has failed: the message was never sent. */
  get is_void(): boolean {
    return this.#outcome === 'void'
  }

  /** True while the receiver has it in memory. */
  get is_kept(): boolean {
    return !this.#is_released
  }

  /** True when the transaction that is being compiled has the sender's turn and the receiver's: it needs no row. */
  get is_fused(): boolean {
    return this.is_open && this.is_kept && this.turn !== undefined && this.turn.attempt === this.sender.attempt
  }

  /** The transaction with both turns was committed. */
  fuse(): void {
    this.#end('fused')
  }

  /** The sender's turn was committed, and the message has a row with this number. */
  store(source: number, number: number): void {
    // A receiver that has let go of the message gets it from the row.
    if (this.is_kept) {
      this.entry.source = source
      this.entry.number = number
      this.#inbox.passOver(source, number)
    }
    this.#end('stored')
  }

  /** The sender's turn has failed. */
  cancel(): void {
    if (!this.is_open) return
    this.#end('void')
    this.#release()
  }

  #end(outcome: Outcome): void {
    this.#outcome = outcome
    this.#inbox.earlyEnded()
  }

  /** The receiver has applied the message, or lets go of it. */
  #release(): void {
    if (this.#is_released) return
    this.#is_released = true
    this.#inbox.free(this.entry.size!)
  }
}
