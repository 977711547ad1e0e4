/**
 * The modelled NATS: the messages it passes on, and the ones it loses. Messages of one publisher reach each subscriber
 * in order; there is no order between publishers. While its servers are split, each node gets the messages of its own
 * island alone.
 */
import type { Host } from './host.ts'
import type { ModelBroker, Subscription, Word } from './model_broker.ts'
import type { ModelTransport } from './model_transport.ts'
import type { World } from './world.ts'

export class Network {
  readonly world: World
  readonly transports = new Set<ModelTransport>()
  is_up = true
  /** The most milliseconds each way. */
  latency_ms = 1
  /** The probability that a message is lost, and that a message of a stream comes again or late. */
  lost = 0
  repeated = 0
  late = 0
  /** The island of each host outside the main one. */
  readonly islands = new Map<Host, number>()
  readonly #brokers = new Set<ModelBroker>()
  readonly #interest = new Map<string, Set<Subscription>>()
  readonly #last = new Map<string, number>()

  constructor(world: World) {
    this.world = world
  }

  join(broker: ModelBroker): void {
    this.#brokers.add(broker)
  }

  leave(broker: ModelBroker): void {
    this.#brokers.delete(broker)
    this.disconnect(broker)
  }

  /** Makes the server forget a connection. */
  disconnect(broker: ModelBroker): void {
    for (const [subject, set] of this.#interest) {
      for (const one of set) if (one.broker === broker) set.delete(one)
      if (set.size === 0) this.#interest.delete(subject)
    }
  }

  islandOf(host: Host): number {
    return this.islands.get(host) ?? 0
  }

  subscribe(subscription: Subscription): void {
    const set = this.#interest.get(subscription.subject)
    if (set) set.add(subscription)
    else this.#interest.set(subscription.subject, new Set([subscription]))
  }

  unsubscribe(subscription: Subscription): void {
    const set = this.#interest.get(subscription.subject)
    if (set?.delete(subscription) && set.size === 0) this.#interest.delete(subscription.subject)
  }

  /** Passes a published message on when it has reached the server. */
  route(from: ModelBroker, word: Word): void {
    const island = this.islandOf(from.host)
    let is_heard = false
    for (const subject of [word.subject, `${word.subject.slice(0, word.subject.lastIndexOf('.'))}.*`]) {
      for (const subscription of this.#interest.get(subject) ?? []) {
        if (this.islandOf(subscription.broker.host) !== island) continue
        is_heard = true
        if (!this.world.happens(this.lost)) this.#down(from.host, subscription, word)
      }
    }
    if (is_heard || !word.reply) return
    const answer: Word = { subject: word.reply, data: NOTHING, headers: { code: 503 } }
    this.route(from, answer)
  }

  /** Returns the arrival time of a message sent now. A message never arrives before the one sent before it. */
  arrival(channel: string, from: number): number {
    const at = Math.max(from + this.world.between(0.1, this.latency_ms), (this.#last.get(channel) ?? 0) + 0.001)
    this.#last.set(channel, at)
    return at
  }

  stop(): void {
    this.is_up = false
    this.#interest.clear()
    for (const broker of this.#brokers) broker.lose()
  }

  start(): void {
    this.is_up = true
  }

  /** Removes streams and their readers without a word. */
  wipe(): void {
    for (const transport of this.transports) transport.forget()
  }

  #down(from: Host, { broker, take, subject }: Subscription, word: Word): void {
    const { connection, host } = broker
    const at = this.arrival(`${from.number} ${host.number}`, Math.max(this.world.time, broker.silent_until))
    host.at(at, () => {
      if (broker.connection === connection) take(word, subject)
    })
  }
}

const NOTHING = new Uint8Array(0)
