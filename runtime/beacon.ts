/**
 * Which nodes hear each other. One node, the speaker, publishes its id several times a second. Every node stores the id it
 * hears in its row. Nodes on brokers that are not connected therefore store different ids; a node without a broker stores null.
 * Costs one message for each node, not one for each pair.
 *
 * A node speaks when it has heard nobody for a while, and goes on until it hears one with a lower id. One that comes later asks
 * who speaks and listens, whatever its id: each change of the speaker is a change of every node's row.
 */
import type { Broker } from './broker.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import { within } from './within.ts'

const SAY_MS = 300
/** After that long without a word a node speaks itself. */
const SPEAK_MS = 900
/** A newcomer waits that long for an answer. */
const ANSWER_MS = 50
/** The word of a newcomer, which the speaker answers. */
const QUESTION = '?'
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

  /** Resolves when somebody is heard, or should have been. */
  async start(): Promise<void> {
    this.#broker.subscribe(this.#subject, {
      callback: (error, message) => {
        if (!error) this.#hear(message.string())
      },
    })
    this.#say(QUESTION)
    this.#end = this.#clock.every(SAY_MS, () => this.#beat())
    await within(ANSWER_MS, this.#answered, this.#clock)
    if (this.#speaker) return
    this.#say()
    await within(ANSWER_MS, this.#answered, this.#clock)
  }

  stop(): void {
    this.#end?.()
  }

  /** The node whose beacon is heard; null for a node that hears none. */
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
      if (this.#isSpeaker) this.#say()
      return
    }
    if (this.#speaker && id > this.#speaker.id && this.#silence() < SPEAK_MS) return
    this.#speaker = { id, at: this.#clock.monotonic() }
    this.#answer()
  }

  #beat(): void {
    if (this.#isSpeaker || this.#silence() > SPEAK_MS) this.#say()
    this.#leaveSilence()
  }

  #say(word = this.#node): void {
    if (this.#broker.isClosed()) return
    try {
      this.#broker.publish(this.#subject, word)
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
