/** A broker inside the process, for nodes that share it. It loses nothing and counts what a real one would carry. */
import type { Broker } from '../../runtime/broker.ts'

type Message = { string(): string; json(): unknown }
type Listener = { callback: (error: Error | null, message: Message) => void }

export class LocalBroker {
  readonly #listeners = new Map<string, Set<Listener>>()
  /** Messages published, and copies of them handed to nodes. */
  published = 0
  delivered = 0

  /** What one node sees of it. `isDead` cuts the node off in both directions. */
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
    // The rest of a connection is for what these nodes do not do.
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
