/** Messages that an actor has asked to get back soon, one of each type, to write what it remembers. They are not durable. */
import type { Activation } from '../actor/activation.ts'
import type { Message } from '../actor/actor.ts'
import type { Clock } from '../time/clock.ts'
import type { RunQueue } from './run_queue.ts'

export class WriteBehind {
  readonly #clock: Clock
  readonly #queue: RunQueue

  constructor(clock: Clock, queue: RunQueue) {
    this.#clock = clock
    this.#queue = queue
  }

  /** Delivers the message within about `ms`, unless one of its type is on its way or the state is thrown away first. */
  soon(activation: Activation, ms: number, message: Message): void {
    activation.soon ??= new Map()
    if (activation.soon.has(message.type)) return
    activation.soon.set(message.type, message)
    const { generation } = activation
    this.#clock.after(ms, () => {
      if (activation.generation !== generation || !activation.soon?.delete(message.type)) return
      // Most actors are idle most of the time, and an empty map is not small.
      if (activation.soon.size === 0) activation.soon = undefined
      this.#queue.put(activation, { message, origin: 'self', attempts: 0 })
    })
  }

  /** Puts the messages into the mailbox now. */
  flush(activation: Activation): void {
    for (const message of activation.soon?.values() ?? []) activation.put({ message, origin: 'self', attempts: 0 })
    activation.soon = undefined
  }
}
