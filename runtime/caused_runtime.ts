/** The actors as seen by one request: each message to them carries its cause. */
import type { Message, MessageOf, Protocol, ReplyOf } from './actor/actor.ts'
import type { Address } from './address.ts'
import type { AskOptions, Runtime } from './runtime.ts'
import type { Cause } from './tracing/cause.ts'

class CausedRuntime implements Runtime {
  readonly #runtime: Runtime
  readonly #cause: Cause

  constructor(runtime: Runtime, cause: Cause) {
    this.#runtime = runtime
    this.#cause = cause
  }

  get id() {
    return this.#runtime.id
  }

  get bus() {
    return this.#runtime.bus
  }

  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options?: AskOptions,
  ): Promise<ReplyOf<P, M['type']>> {
    return this.#runtime.ask(address, this.#caused(message), options)
  }

  tryAsk<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
  ): ReplyOf<P, M['type']> | undefined {
    return this.#runtime.tryAsk(address, this.#caused(message))
  }

  isHere(address: string): boolean {
    return this.#runtime.isHere(address)
  }

  tell<P extends Protocol>(address: Address<P>, message: MessageOf<P>, options?: AskOptions): Promise<void> {
    return this.#runtime.tell(address, this.#caused(message), options)
  }

  #caused<M extends Message>(message: M): M {
    return { ...message, cause: this.#cause }
  }
}

/** The same runtime for one request. */
export function causedBy(runtime: Runtime, cause: Cause): Runtime {
  return new CausedRuntime(runtime, cause)
}
