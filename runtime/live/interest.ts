/**
 * The watched channels of all nodes: a node publishes live events only for channels that are watched. Each node
 * announces its watched channels every few seconds, and waits for acknowledgements when it adds one.
 *
 *  W1 A node that has begun to watch a channel receives every change that commits afterwards on any node, or a report
 *  that events may be missing.
 *  W2 After its last watcher has gone, a channel stays watched for longer than the stream keeps events. So the stream
 *  has no holes for that time.
 */
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Clock } from '../time/clock.ts'
import { KEPT_MS } from './stream.ts'

const ANNOUNCE_MS = 2000
/** A channel stays watched for this long without an announcement from its node. */
const BELIEVED_MS = 15_000
/**
 * A node that starts, or that may have missed announcements, treats every channel as watched until it must have received
 * the announcements of all others.
 */
const IGNORANT_MS = 3 * ANNOUNCE_MS
const LINGER_MS = 2 * KEPT_MS
const ANSWER_MS = 1000

type Announcement = { node: string; channels: string[] }

export class Interest {
  readonly #nats: NatsConnection
  readonly #subject: string
  readonly #node: string
  readonly #clock: Clock
  /** The nodes that have to know, without this one. */
  readonly #others: () => string[]
  #ignorant_until: number
  /** The time until which each channel is watched here. */
  readonly #here = new Map<string, number>()
  /** Channels watched here that every other node has acknowledged. */
  readonly #acknowledged = new Set<string>()
  readonly #elsewhere = new Map<string, number>()
  #subscription: Subscription | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    nats: NatsConnection,
    prefix: string,
    options: { node: string; clock: Clock; others: () => string[]; alone: boolean },
  ) {
    this.#nats = nats
    this.#subject = `${prefix}.watched`
    this.#node = options.node
    this.#clock = options.clock
    this.#others = options.others
    this.#ignorant_until = options.alone ? 0 : options.clock.now() + IGNORANT_MS
  }

  start(): void {
    this.#subscription = this.#nats.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error === null) this.#receive(message)
      },
    })
    this.#timer = setInterval(() => this.announce(), ANNOUNCE_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#subscription?.unsubscribe()
  }

  /** True when the channel may have watchers. */
  has(channel: string): boolean {
    if (this.#here.has(channel)) return true
    const now = this.#clock.now()
    return now < this.#ignorant_until || (this.#elsewhere.get(channel) ?? 0) > now
  }

  /** This node may have missed announcements: until the next ones every channel may have watchers. */
  doubt(): void {
    if (this.#others().length > 0) this.#ignorant_until = this.#clock.now() + IGNORANT_MS
  }

  /** Resolves to true once every other node knows; to false when some did not answer in time. */
  async begin(channel: string): Promise<boolean> {
    this.#here.set(channel, Number.POSITIVE_INFINITY)
    const others = new Set(this.#others())
    if (this.#acknowledged.has(channel) || others.size === 0) return true
    const announcement: Announcement = { node: this.#node, channels: [channel] }
    // This node answers itself too.
    const answers = await this.#nats.requestMany(this.#subject, JSON.stringify(announcement), {
      strategy: 'count',
      maxMessages: others.size + 1,
      maxWait: ANSWER_MS,
    })
    try {
      for await (const answer of answers) others.delete(answer.string())
    } catch {
      // The broker is away: no node has answered.
    }
    if (others.size === 0) this.#acknowledged.add(channel)
    return others.size === 0
  }

  /** The last watcher of the channel here has gone. The channel stays watched for a while (W2). */
  end(channel: string): void {
    if (this.#here.has(channel)) this.#here.set(channel, this.#clock.now() + LINGER_MS)
  }

  /** Announces the channels watched here, for nodes that may not know them. */
  announce(): void {
    const now = this.#clock.now()
    for (const [channel, until] of this.#here) {
      if (until >= now) continue
      this.#here.delete(channel)
      this.#acknowledged.delete(channel)
    }
    for (const [channel, until] of this.#elsewhere) if (until < now) this.#elsewhere.delete(channel)
    if (this.#here.size === 0 || this.#nats.isClosed()) return
    try {
      this.#nats.publish(this.#subject, JSON.stringify({ node: this.#node, channels: [...this.#here.keys()] }))
    } catch {
      // Closing.
    }
  }

  #receive(message: Msg): void {
    try {
      const { node, channels } = message.json<Announcement>()
      if (node !== this.#node) {
        const until = this.#clock.now() + BELIEVED_MS
        for (const channel of channels) this.#elsewhere.set(channel, until)
      }
      if (message.reply) message.respond(this.#node)
    } catch {
      // Not an announcement, or this node is closing. An error thrown here would end the reading of the connection.
    }
  }
}
