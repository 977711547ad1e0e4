/**
 * Words to every node that listens at the moment, the speaker included: at most once, and nothing is kept. Only for what
 * a listener can read again where it is stored.
 */
import type { Msg } from '@nats-io/transport-node'
import type { Broker } from './broker.ts'
import type { Clock } from './clock.ts'
import { within } from './within.ts'

export interface Bus {
  /** Never throws. `subject` stands below the prefix of the cluster. */
  publish(subject: string, text: string): void
  /**
   * Resolves to how to stop, when whatever is published from now on is heard; while the broker is away, after a second.
   * `gap` tells that something may have been missed.
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
      // Closing, or larger than the broker takes: as good as not heard.
    }
  }

  async listen(subject: string, heard: (text: string) => void, gap: () => void): Promise<() => void> {
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) heard(message.string())
    }
    const subscription = this.#nats.subscribe(`${this.#prefix}.${subject}`, { callback })
    // A function of its own for each listener: two may share theirs.
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
