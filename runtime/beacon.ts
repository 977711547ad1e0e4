/**
 * Which nodes hear each other. Of those who do, the one with the lowest id says so several times a second, and all name it
 * as the broker that they hear: so nodes whose brokers do not know of each other name different ones, and a node without a
 * broker names none. Costs one message for each node, not one for each pair.
 */
import type { Broker } from './broker.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

const SAY_MS = 300
/** After that long without a word from a lower one, a node speaks itself. */
const SPEAK_MS = 900
/** After that long it is deaf: it did not hear itself either. */
const DEAF_MS = 1500
/** Between two tries to connect anew. */
const AGAIN_MS = 5000

export class Beacon {
  readonly #broker: Broker
  readonly #subject: string
  readonly #node: string
  readonly #clock: Clock
  readonly #log: Log
  #lowest: { id: string; at: number } | undefined
  #left_at: number
  #end: (() => void) | undefined

  constructor(broker: Broker, options: { prefix: string; node: string; clock: Clock; log: Log }) {
    this.#broker = broker
    this.#subject = `${options.prefix}.node.beacon`
    this.#node = options.node
    this.#clock = options.clock
    this.#log = options.log
    this.#left_at = options.clock.monotonic()
  }

  start(): void {
    this.#broker.subscribe(this.#subject, {
      callback: (error, message) => {
        if (!error) this.#hear(message.string())
      },
    })
    this.#say()
    this.#end = this.#clock.every(SAY_MS, () => this.#beat())
  }

  stop(): void {
    this.#end?.()
  }

  /** The node whose beacon is heard; null for a node that hears none. */
  get heard(): string | null {
    return this.#silence() < DEAF_MS ? this.#lowest!.id : null
  }

  #silence(): number {
    return this.#lowest ? this.#clock.monotonic() - this.#lowest.at : Number.POSITIVE_INFINITY
  }

  #hear(id: string): void {
    if (this.#lowest && id > this.#lowest.id && this.#silence() < SPEAK_MS) return
    this.#lowest = { id, at: this.#clock.monotonic() }
  }

  #beat(): void {
    if (!this.#lowest || this.#lowest.id >= this.#node || this.#silence() > SPEAK_MS) this.#say()
    this.#leaveSilence()
  }

  #say(): void {
    if (this.#broker.isClosed()) return
    try {
      this.#broker.publish(this.#subject, this.#node)
    } catch {
      // Closing.
    }
  }

  /** A connection whose other end is gone without a word is left for a new one. */
  #leaveSilence(): void {
    const now = this.#clock.monotonic()
    if (this.#silence() < DEAF_MS + SPEAK_MS || now - this.#left_at < AGAIN_MS || this.#broker.isClosed()) return
    this.#left_at = now
    this.#log.warn({}, 'this node hears nobody, not even itself: connecting to the broker anew')
    this.#broker.reconnect().catch(() => {})
  }
}
