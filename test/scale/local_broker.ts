/**
 * A broker inside the process, for nodes that share it. The broker loses nothing and counts the messages that a real
 * one would carry.
 */
import type { Broker } from '../../runtime/broker/broker.ts'

type Message = { string(): string; json(): unknown }
type Listener = { callback: (error: Error | null, message: Message) => void }

export class LocalBroker {
  readonly #listeners = new Map<string, Set<Listener>>()
  /** The number of messages published, and of copies handed to nodes. */
  published = 0
  delivered = 0

  /** Returns the broker as one node sees it. `isDead` cuts the node off in both directions. */
  connection(isDead: () => boolean): Broker {
    const broker = {
      isClosed: isDead,
      reconnect: async () => {},
      publish: (subject: string, payload: string) => {
        if (!isDead()) this.#publish(subject, payload)
      },
      subscribe: (subject: string, { callback }: Listener) => {
        const listener: Listener = { callback: (error, message) => !isDead() && callback(error, message) }
        const listeners = this.#listeners.get(subject) ?? new Set()
        this.#listeners.set(subject, listeners.add(listener))
        return { unsubscribe: () => listeners.delete(listener) }
      },
    }
    // These nodes do not use the rest of a connection.
    return broker as unknown as Broker
  }

  #publish(subject: string, payload: string): void {
    this.published++
    let parsed: unknown
    const message = {
      string: () => payload,
      json: () => {
        parsed ??= JSON.parse(payload)
        return parsed
      },
    }
    const listeners = this.#listeners.get(subject) ?? []
    setImmediate(() => {
      for (const { callback } of listeners) {
        this.delivered++
        callback(null, message)
      }
    })
  }
}
