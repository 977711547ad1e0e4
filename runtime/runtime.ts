/** The actors as seen by the layers above, on whichever node they are. */
import type { MessageOf, Protocol, ReplyOf } from './actor/actor.ts'
import type { Address } from './address.ts'
import type { Bus } from './broker/bus.ts'

/** The interface of a node for the layers above. */
export interface Runtime {
  readonly id: string
  /** For messages between nodes that may be lost. */
  readonly bus: Bus
  /** Sends a message and waits for its reply, which comes after the commit. Rejects with `Refusal` or `Unavailable`. */
  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options?: AskOptions,
  ): Promise<ReplyOf<P, M['type']>>
  /** Replies at once when the actor is here, in memory and answers without a commit; else undefined: use `ask`. */
  tryAsk<P extends Protocol, M extends MessageOf<P>>(address: Address<P>, message: M): ReplyOf<P, M['type']> | undefined
  /** True when this node owns the address, as far as it knows. */
  isHere(address: string): boolean
  /**
   * Durable once resolved, applied exactly once, later. Rejects with `Unavailable` when it is unknown whether the
   * message became durable.
   */
  tell<P extends Protocol>(address: Address<P>, message: MessageOf<P>, options?: AskOptions): Promise<void>
}

export type AskOptions = {
  /** Maximum wait of the caller, in milliseconds from now. Default 10 000. */
  deadline_ms?: number
  /**
   * Executing it twice has the effect of executing it once. The next owner then answers when an owner is lost with the
   * question. Otherwise the caller gets `Unavailable`, because it is unknown whether it was executed. Default false.
   */
  repeatable?: boolean
}
