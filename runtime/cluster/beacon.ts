/**
 * Shows which nodes can reach each other over the broker. One node, the speaker, publishes its id several times a
 * second. Every node stores the id it receives in its row. Nodes on brokers that are not connected therefore store
 * different ids; a node without a broker stores null. The cost is one message for each node, not one for each pair.
 *
 * A node becomes the speaker when it has received no beacon for a while, and stops when it receives one with a lower
 * id. A node that joins asks for the speaker first and then listens, whatever its id, because each change of the
 * speaker changes every node's row.
 */
import type { Broker } from '../broker/broker.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time/clock.ts'
import { within } from '../time/time_limit.ts'

const PUBLISH_MS = 300
/** A node becomes the speaker after this long without a beacon. */
const SPEAK_MS = 900
/** A joining node waits this long for the speaker's answer. */
const ANSWER_MS = 50
/** Message of a joining node, which the speaker answers. */
const QUESTION = '?'
/** A node is cut off after this long without a beacon: it did not even receive its own. */
const DEAF_MS = 1500
/** Minimum time between two attempts to connect anew. */
const AGAIN_MS = 5000

export class Beacon {
  readonly #broker: Broker
  readonly #subject: string
  readonly #node: string
  readonly #clock: Clock
  readonly #log: Log
  #speaker: { id: string; at: number } | undefined
  #left_at: number
  #end: (() => void) | undefined
  #answer = () => {}
  readonly #answered = new Promise<void>((resolve) => {
    this.#answer = resolve
  })

  constructor(broker: Broker, options: { prefix: string; node: string; clock: Clock; log: Log }) {
    this.#broker = broker
    this.#subject = `${options.prefix}.node.beacon`
    this.#node = options.node
    this.#clock = options.clock
    this.#log = options.log
    this.#left_at = options.clock.monotonic()
  }

  /** Resolves when a beacon has arrived, or is overdue. */
  async start(): Promise<void> {
    this.#broker.subscribe(this.#subject, {
      callback: (error, message) => {
        if (!error) this.#hear(message.string())
      },
    })
    this.#publish(QUESTION)
    this.#end = this.#clock.every(PUBLISH_MS, () => this.#tick())
    await within(ANSWER_MS, this.#answered, this.#clock)
    if (this.#speaker) return
    this.#publish()
    await within(ANSWER_MS, this.#answered, this.#clock)
  }

  stop(): void {
    this.#end?.()
  }

  /** The node whose beacon arrives here; null when none does. */
  get heard(): string | null {
    return this.#silence() < DEAF_MS ? this.#speaker!.id : null
  }

  get #isSpeaker(): boolean {
    return this.#speaker?.id === this.#node
  }

  #silence(): number {
    return this.#speaker ? this.#clock.monotonic() - this.#speaker.at : Number.POSITIVE_INFINITY
  }

  #hear(id: string): void {
    if (id === QUESTION) {
      if (this.#isSpeaker) this.#publish()
      return
    }
    if (this.#speaker && id > this.#speaker.id && this.#silence() < SPEAK_MS) return
    this.#speaker = { id, at: this.#clock.monotonic() }
    this.#answer()
  }

  #tick(): void {
    if (this.#isSpeaker || this.#silence() > SPEAK_MS) this.#publish()
    this.#leaveSilence()
  }

  #publish(text = this.#node): void {
    if (this.#broker.isClosed()) return
    try {
      this.#broker.publish(this.#subject, text)
    } catch {
      // Closing.
    }
  }

  /** Replaces a connection whose other end vanished without closing it. */
  #leaveSilence(): void {
    const now = this.#clock.monotonic()
    if (this.#silence() < DEAF_MS + SPEAK_MS || now - this.#left_at < AGAIN_MS || this.#broker.isClosed()) return
    this.#left_at = now
    this.#log.warn({}, 'this node receives no beacons, not even its own: reconnecting to the broker')
    this.#broker.reconnect().catch(() => {})
  }
}
