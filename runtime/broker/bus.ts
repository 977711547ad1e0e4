/**
 * Broadcasts to every node that is listening, the sender included: at most once, nothing is kept. Only for facts that a
 * listener can read again from storage.
 */
import type { Msg } from '@nats-io/transport-node'
import type { Clock } from '../time/clock.ts'
import { within } from '../time/time_limit.ts'
import type { Broker } from './broker.ts'

export interface Bus {
  /** Never throws. `subject` is relative to the prefix of the cluster. */
  publish(subject: string, text: string): void
  /**
   * Resolves to a function that stops listening, once messages published from now on will arrive; while the broker is
   * away, after a second. `gap` reports that messages may have been missed.
   */
  listen(subject: string, heard: (text: string) => void, gap: () => void): Promise<() => void>
}

const STAND_MS = 1000

export class NatsBus implements Bus {
  readonly #nats: Broker
  readonly #prefix: string
  readonly #clock: Clock
  readonly #gaps = new Set<() => void>()

  constructor(nats: Broker, prefix: string, clock: Clock) {
    this.#nats = nats
    this.#prefix = prefix
    this.#clock = clock
  }

  publish(subject: string, text: string): void {
    try {
      this.#nats.publish(`${this.#prefix}.${subject}`, text)
    } catch {
      // The connection is closing, or the message is larger than the broker takes: listeners miss it either way.
    }
  }

  async listen(subject: string, heard: (text: string) => void, gap: () => void): Promise<() => void> {
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) heard(message.string())
    }
    const subscription = this.#nats.subscribe(`${this.#prefix}.${subject}`, { callback })
    // A new function for each listener, because two listeners may pass the same one.
    const missed = () => gap()
    this.#gaps.add(missed)
    await within(STAND_MS, this.#nats.flush(), this.#clock)
    return () => {
      this.#gaps.delete(missed)
      subscription.unsubscribe()
    }
  }

  /** The broker is back after it was away. */
  resumed(): void {
    for (const missed of this.#gaps) missed()
  }
}
