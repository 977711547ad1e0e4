/**
 * The road: one JetStream stream per partition carries committed messages to the partition's owner on another node,
 * several in one publish. PostgreSQL is the vault, so the road may lose, repeat or delay: publishes ask for no acknowledgement, the
 * stream forgets what its owner has read, and a road that is down only makes messages slower (the inlet then reads them
 * from the outbox).
 */
import {
  type ConsumerMessages,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { type NatsConnection, TimeoutError } from '@nats-io/transport-node'
import type { Log } from './log.ts'
import type { Sent } from './part.ts'
import { within } from './within.ts'

export type Carried = {
  address: string
  sender: string | null
  message: { type: string }
  /** Characters of the message as JSON, roughly. */
  size: number
}
/** Consecutive messages of one lane to one partition, the first of which has the number `first`. */
export type Batch = {
  source: number
  first: number
  /** With the first message of a source: what its lane sent before, under which source. */
  former?: { source: number; next: number } | undefined
  messages: Carried[]
}

const MAX_PUBLISH = 256 * 1024
const PURGE_MS = 5000
/** The broker's code for a stream that is there with other settings: it was made by another version, or other replicas. */
const STREAM_EXISTS = 10058
/** The broker's code for: no leader at the moment. */
const NO_LEADER = 10008
/** How long a takeover waits for a stream. */
const STAND_MS = 1000
const MAX_AGE_NS = 600 * 1e9
/** The broker sets this much aside for each stream: 1 GiB for 64 partitions. What does not fit is read from the outbox. */
const MAX_BYTES = 16 * 1024 * 1024

export class Road {
  readonly #nats: NatsConnection
  readonly #prefix: string
  readonly #log: Log
  readonly #replicas: number
  /** Who is to hear a partition; a partition without one is nobody's business here. */
  readonly #receivers = new Map<number, (batch: Batch) => void>()
  readonly #readers = new Map<number, ConsumerMessages>()
  readonly #read = new Map<number, number>()
  readonly #heard = new Set<number>()
  readonly #reopening = new Set<number>()
  #js: JetStreamClient | undefined
  #manager: JetStreamManager | undefined
  #purger: NodeJS.Timeout | undefined
  #up = true
  readonly stats = { published: 0, received: 0, bytes: 0 }

  constructor(nats: NatsConnection, options: { prefix: string; replicas: number; log: Log }) {
    this.#nats = nats
    this.#prefix = options.prefix
    this.#replicas = options.replicas
    this.#log = options.log
  }

  get up(): boolean {
    return this.#up
  }

  set up(up: boolean) {
    this.#up = up
  }

  /** Rejects when the broker has no JetStream. One whose servers are electing a leader has it, and may answer later. */
  async start(): Promise<void> {
    this.#js = jetstream(this.#nats)
    this.#manager = await jetstreamManager(this.#nats, { checkAPI: false })
    await this.#manager.getAccountInfo().catch((error) => {
      if (!(error instanceof TimeoutError) && error.code !== NO_LEADER) throw error
      this.#log.warn({ error: error.message }, 'JetStream does not answer yet; using the outbox')
    })
    this.#purger = setInterval(() => void this.purge(), PURGE_MS)
    this.#purger.unref()
  }

  #stream(partition: number): string {
    return `${this.#prefix}-log-${partition}`
  }

  async #ensure(partition: number): Promise<void> {
    const name = this.#stream(partition)
    const limits = {
      discard: DiscardPolicy.Old,
      max_age: MAX_AGE_NS,
      max_bytes: MAX_BYTES,
      num_replicas: this.#replicas,
    }
    const subjects = [`${this.#prefix}.log.${partition}`]
    try {
      await this.#manager!.streams.add({
        name,
        subjects,
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        ...limits,
      })
    } catch (error) {
      if ((error as { code?: unknown }).code !== STREAM_EXISTS) throw error
      await this.#manager!.streams.update(name, { subjects, ...limits })
    }
  }

  /**
   * Reads the partition's stream from now on, which is made where it is missing; what was there before is in the outbox.
   * Does nothing while that is under way.
   *
   * Resolves once the reader stands, or after `STAND_MS`: a stream whose leader is gone takes seconds to find another,
   * and neither a takeover nor the outbox may wait for it. The reader then comes later, and what it missed is found by
   * its number.
   */
  async reopen(partition: number, receive: (batch: Batch) => void): Promise<void> {
    this.#receivers.set(partition, receive)
    if (this.#reopening.has(partition)) return
    this.#reopening.add(partition)
    await within(STAND_MS, this.#stand(partition))
  }

  async #stand(partition: number): Promise<void> {
    try {
      await this.#leave(partition)
      this.#read.delete(partition)
      await this.#ensure(partition)
      const reader = await this.#follow(partition)
      // Given up meanwhile: reading on would purge what another owner has not read.
      if (this.#receivers.has(partition)) this.#readers.set(partition, reader)
      else await reader.close()
    } catch (error) {
      this.#log.warn({ partition, error: (error as Error).message }, 'no road for a partition; using the outbox')
    } finally {
      this.#reopening.delete(partition)
    }
  }

  async #follow(partition: number): Promise<ConsumerMessages> {
    const consumer = await this.#js!.consumers.getPushConsumer(this.#stream(partition), {
      deliver_policy: DeliverPolicy.New,
    })
    return consumer.consume({
      callback: (message) => {
        const receive = this.#receivers.get(partition)
        if (!receive) return
        this.#read.set(partition, message.seq)
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
          this.#log.warn({ partition, seq: message.seq, error }, 'an unreadable message on the road was passed over')
        }
      },
    })
  }

  /**
   * Whether anything came for the partition since this was asked last. Silence while messages are missing means that the
   * reader stands nowhere: the stream was wiped or deleted, and numbers its messages anew.
   */
  heard(partition: number): boolean {
    return this.#heard.delete(partition)
  }

  async close(partition: number): Promise<void> {
    this.#receivers.delete(partition)
    await this.#leave(partition)
  }

  async #leave(partition: number): Promise<void> {
    const reader = this.#readers.get(partition)
    this.#readers.delete(partition)
    await reader?.close().catch(() => {})
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
      this.#nats.publish(`${this.#prefix}.log.${partition}`, text)
      this.stats.published++
      this.stats.bytes += text.length
    } catch (error) {
      // Too large for the broker, or closing: the receiver finds the message in the outbox.
      this.#log.debug({ partition, error: (error as Error).message }, 'not published')
    }
  }

  /** Forgets what the owner has read: once in its memory, a message's only truth is the outbox. */
  async purge(): Promise<void> {
    if (!this.#up) return
    const read = [...this.#read]
    this.#read.clear()
    for (const [partition, seq] of read) {
      await this.#manager!.streams.purge(this.#stream(partition), { seq: seq + 1 }).catch(() => {})
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#purger)
    for (const partition of [...this.#receivers.keys()]) await this.close(partition)
  }
}
