/**
 * The transport. A few JetStream streams carry committed messages to the owners of their partitions on other nodes,
 * several in one publish. Each partition has its own subject in one of the streams, and its owner one ephemeral
 * consumer.
 *
 * PostgreSQL has the truth, so the transport may lose, repeat or delay messages: publishes ask for no acknowledgement,
 * the streams are in the broker's memory and forget by age and size, and a transport that is down only makes messages
 * slower (the inbox then reads them from the outbox).
 */
import {
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  jetstream,
  jetstreamManager,
  type PushConsumer,
} from '@nats-io/jetstream'
import { type NatsConnection, TimeoutError } from '@nats-io/transport-node'
import type { Sent } from '../actor/pending_turn.ts'
import type { Log } from '../log.ts'
import { within } from '../time/time_limit.ts'
import { freeOldStream } from './old_streams.ts'
import { TransportStreams } from './transport_streams.ts'

export type Carried = {
  address: string
  sender: string | null
  message: { type: string }
  /** Length of the message as JSON, in characters, approximate. */
  size: number
}
/** Consecutive messages of one lane to one partition; `first` is the number of the first one. */
export type Batch = {
  source: number
  first: number
  /** In the batch with the first message of a source: the lane's former source and its next number. */
  former?: { source: number; next: number } | undefined
  messages: Carried[]
}

type Reader = { consumer: PushConsumer; messages: ConsumerMessages }

const MAX_PUBLISH = 256 * 1024
/** Maximum time that a takeover waits for a consumer. */
const STAND_MS = 1000
/** Maximum number of consumers being created or deleted at the same time: the broker drops requests when too many wait. */
const OPENING = 64
/** JetStream's error code for: no leader at the moment. */
const NO_LEADER = 10008

export class JetStreamTransport {
  readonly #nats: NatsConnection
  readonly #prefix: string
  readonly #log: Log
  readonly #replicas: number
  readonly #streams: TransportStreams
  /** The receiver of each partition; messages of a partition without one are ignored here. */
  readonly #receivers = new Map<number, (batch: Batch) => void>()
  readonly #readers = new Map<number, Reader>()
  readonly #heard = new Set<number>()
  readonly #reopening = new Set<number>()
  #opening = 0
  readonly #waiting: (() => void)[] = []
  /** True when streams of the former layout exist. */
  #has_old = false
  #js: JetStreamClient | undefined
  /** The trouble that was logged last. */
  #last_trouble: string | undefined
  #up = true
  readonly stats = { published: 0, received: 0, bytes: 0 }

  constructor(nats: NatsConnection, options: { prefix: string; replicas: number; log: Log }) {
    this.#nats = nats
    this.#prefix = options.prefix
    this.#replicas = options.replicas
    this.#log = options.log
    this.#streams = new TransportStreams(nats, options)
  }

  /** False while the broker is away: nothing is published then. Set by the watcher of the connection. */
  get up(): boolean {
    return this.#up
  }

  set up(up: boolean) {
    this.#up = up
  }

  /** A sentence while the broker cannot make the streams as the settings want them. */
  get trouble(): string | undefined {
    return this.#streams.trouble
  }

  /** Rejects when the broker has no JetStream. A broker that is electing a leader has it, and may answer later. */
  async start(): Promise<void> {
    this.#js = jetstream(this.#nats)
    const manager = await jetstreamManager(this.#nats, { checkAPI: false })
    try {
      await manager.getAccountInfo()
    } catch (error) {
      if (!(error instanceof TimeoutError) && (error as { code?: unknown }).code !== NO_LEADER) throw error
      this.#log.warn({ error: (error as Error).message }, 'JetStream does not answer yet; using the outbox')
      return
    }
    this.#has_old = await this.#freeOld(0)
  }

  async #freeOld(partition: number): Promise<boolean> {
    try {
      return await freeOldStream(this.#nats, { prefix: this.#prefix, replicas: this.#replicas, partition })
    } catch (error) {
      this.#log.debug({ partition, error: (error as Error).message }, 'removing the old stream of a partition failed')
      return false
    }
  }

  /**
   * Reads the partition's messages from now on; earlier ones are in the outbox. Creates the stream where it is missing.
   * Does nothing while a call for the partition is under way.
   *
   * Resolves once the consumer exists, or after `STAND_MS`: a stream that lost its leader takes seconds to elect
   * another, and neither a takeover nor the outbox may wait for it. The consumer then comes later, and the numbers show
   * what it missed.
   */
  async reopen(partition: number, receive: (batch: Batch) => void): Promise<void> {
    this.#receivers.set(partition, receive)
    if (this.#reopening.has(partition)) return
    this.#reopening.add(partition)
    await within(
      STAND_MS,
      this.#inTurn(() => this.#stand(partition)),
    )
  }

  /** Runs the work once fewer than `OPENING` others are under way. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#opening < OPENING) this.#opening++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#opening--
    }
  }

  async #stand(partition: number): Promise<void> {
    try {
      this.#leave(partition)
      // The partition was given up while others were opened.
      if (!this.#receivers.has(partition)) return
      const reader = await this.#follow(partition, await this.#consumer(partition))
      if (this.#receivers.has(partition)) this.#readers.set(partition, reader)
      else this.#discard(reader)
      if (this.#has_old) await this.#freeOld(partition)
      this.#last_trouble = undefined
    } catch (error) {
      const { trouble } = this
      if (trouble !== undefined) {
        // The same for all partitions.
        if (trouble !== this.#last_trouble) this.#log.error({}, trouble)
        this.#last_trouble = trouble
        return
      }
      this.#log.warn(
        { partition, error: (error as Error).message },
        'opening the transport of a partition failed; using the outbox',
      )
    } finally {
      this.#reopening.delete(partition)
    }
  }

  #consumer(partition: number): Promise<PushConsumer> {
    return this.#streams.use(partition, (stream) =>
      this.#js!.consumers.getPushConsumer(stream, {
        deliver_policy: DeliverPolicy.New,
        filter_subjects: this.#streams.subject(partition),
      }),
    )
  }

  async #follow(partition: number, consumer: PushConsumer): Promise<Reader> {
    const messages = await consumer.consume({
      callback: (message) => {
        const receive = this.#receivers.get(partition)
        if (!receive) return
        this.#heard.add(partition)
        this.stats.received++
        try {
          const text = message.string()
          const body = JSON.parse(text) as {
            s: number
            f: number
            b?: { source: number; next: number }
            m: { a: string; f: string | null; m: { type: string } }[]
          }
          const size = Math.ceil(text.length / body.m.length)
          receive({
            source: body.s,
            first: body.f,
            former: body.b,
            messages: body.m.map((one) => ({ address: one.a, sender: one.f, message: one.m, size })),
          })
        } catch (error) {
          this.#log.warn({ partition, seq: message.seq, error }, 'an unreadable message on the transport was skipped')
        }
      },
    })
    return { consumer, messages }
  }

  /**
   * True when a message for the partition arrived since the last call. Silence while messages are missing means that
   * the consumer is at a void position: the stream was wiped or deleted, and numbers its messages anew.
   */
  heard(partition: number): boolean {
    return this.#heard.delete(partition)
  }

  /** Stops reading the partition. Messages that are under way for it are dropped. */
  async close(partition: number): Promise<void> {
    this.#receivers.delete(partition)
    this.#leave(partition)
  }

  #leave(partition: number): void {
    const reader = this.#readers.get(partition)
    if (!reader) return
    this.#readers.delete(partition)
    this.#discard(reader)
  }

  #discard({ consumer, messages }: Reader): void {
    messages.close().catch(() => {})
    // The broker would keep the consumer for five minutes: too many where thousands of partitions change hands.
    this.#inTurn(async () => {
      if (this.#up && !this.#nats.isClosed()) await consumer.delete()
    }).catch(() => {})
  }

  /** Sends consecutive committed messages of one lane to a partition. Never throws and never waits. */
  publish(partition: number, sent: Sent[], source: number): void {
    if (!this.#up || this.#nats.isClosed()) return
    let { number: first, former } = sent[0]!
    let body = ''
    let count = 0
    for (const send of sent) {
      if (body.length > MAX_PUBLISH) {
        this.#publish(partition, source, first, former, body)
        former = undefined
        first += count
        body = ''
        count = 0
      }
      const sender = send.sender === null ? 'null' : `"${send.sender}"`
      body += `${count > 0 ? ',' : ''}{"a":"${send.address}","f":${sender},"m":${send.json}}`
      count++
    }
    this.#publish(partition, source, first, former, body)
  }

  #publish(partition: number, source: number, first: number, former: Sent['former'], body: string): void {
    const before = former ? `"b":${JSON.stringify(former)},` : ''
    const text = `{"s":${source},"f":${first},${before}"m":[${body}]}`
    try {
      this.#nats.publish(this.#streams.subject(partition), text)
      this.stats.published++
      this.stats.bytes += text.length
    } catch (error) {
      // Too large for the broker, or closing: the receiver finds the message in the outbox.
      this.#log.debug(
        { partition, error: (error as Error).message },
        'publishing failed; the receiver reads the outbox',
      )
    }
  }

  /** Stops reading all partitions. */
  async stop(): Promise<void> {
    for (const partition of [...this.#receivers.keys()]) await this.close(partition)
  }
}
