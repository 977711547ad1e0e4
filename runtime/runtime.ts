/** The actors as the rooms above see them, wherever they are. */
import type { MessageOf, Protocol, ReplyOf } from './actor.ts'
import type { Address } from './address.ts'
import type { Bus } from './bus.ts'

/** What the rooms above see of a node. */
export interface Runtime {
  readonly id: string
  /** For words between nodes that need not arrive. */
  readonly bus: Bus
  /** Sends a message and waits for its reply, which comes after the commit. Rejects with `Refusal` or `Unavailable`. */
  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options?: AskOptions,
  ): Promise<ReplyOf<P, M['type']>>
  /** The reply at once when the actor is here, in memory and answers without a commit; else undefined: use `ask`. */
  tryAsk<P extends Protocol, M extends MessageOf<P>>(address: Address<P>, message: M): ReplyOf<P, M['type']> | undefined
  /** Whether this node answers for the address itself, as far as it knows. */
  isHere(address: string): boolean
  /** Durable once resolved, applied once, later. Rejects with `Unavailable` when it may or may not have become so. */
  tell<P extends Protocol>(address: Address<P>, message: MessageOf<P>, options?: AskOptions): Promise<void>
}

export type AskOptions = {
  /** How long the caller waits, in milliseconds from now. Default 10 000. */
  deadline_ms?: number
  /**
   * Doing it twice has the effect of doing it once. Then the next owner answers when an owner is lost with the question;
   * otherwise the caller hears `Unavailable`, because nobody knows whether it was done. Default false.
   */
  repeatable?: boolean
}
