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

/** The standing of a turn in the lane. */
type Standing = {
  /** Number of turns, one depending on the next, on which it depends. */
  readonly depth: number
  /** The lane's latest attempt at a transaction with this turn. */
  readonly attempt: number
}

/** The inbox of the receiver's partition. */
type Places = {
  admit(size: number): void
  free(size: number): void
  passOver(source: number, number: number): void
  comesAgain(source: number, number: number): void
  earlyEnded(): void
}

type Outcome = 'open' | 'fused' | 'stored' | 'void'

export class EarlyMessage {
  readonly message: { type: string }
  readonly sender_turn: Standing
  /** The receiver's latest turn that has decided on it. */
  receiver_turn: Standing | undefined = undefined
  readonly #places: Places
  readonly #size: number
  #outcome: Outcome = 'open'
  #row: { source: number; number: number } | undefined = undefined
  #is_kept = true
  #ended: (() => void)[] = []

  /** Takes a place. `size`: characters of the message as JSON. */
  constructor(sender_turn: Standing, places: Places, message: { type: string }, size: number) {
    this.sender_turn = sender_turn
    this.message = message
    this.#places = places
    this.#size = size
    places.admit(size)
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
    return this.#is_kept
  }

  /** True when the transaction that is being compiled has the sender's turn and the receiver's: it needs no row. */
  get is_fused(): boolean {
    return this.is_open && this.#is_kept && this.receiver_turn?.attempt === this.sender_turn.attempt
  }

  /** Its row in the outbox, once it has one. */
  get row(): { source: number; number: number } | undefined {
    return this.#row
  }

  /** The transaction with both turns was committed. */
  fuse(): void {
    this.#end('fused')
  }

  /** The sender's turn was committed, and the message has a row with this number. */
  store(source: number, number: number): void {
    // A receiver that has let go of the message gets it from the row.
    if (this.#is_kept) {
      this.#row = { source, number }
      this.#places.passOver(source, number)
    }
    this.#end('stored')
  }

  /** The sender's turn has failed. */
  cancel(): void {
    if (!this.is_open) return
    this.#end('void')
    this.release()
  }

  /** Calls back once the sender's turn is over. Requires an open message. */
  onEnd(callback: () => void): void {
    this.#ended.push(callback)
  }

  /** The receiver has applied the message, or lets go of it. */
  release(): void {
    if (!this.#is_kept) return
    this.#is_kept = false
    this.#places.free(this.#size)
  }

  /** The receiver has not applied the message and lets go of it: it comes again from its row. */
  letGo(): void {
    if (this.#is_kept && this.#row) this.#places.comesAgain(this.#row.source, this.#row.number)
    this.release()
  }

  #end(outcome: Outcome): void {
    this.#outcome = outcome
    this.#places.earlyEnded()
    for (const callback of this.#ended.splice(0)) callback()
  }
}
