/**
 * The broker's stream of live events: one short stream in its memory. The broker repeats each event to the listeners,
 * with its number and the number of the channel's event before it, so that a gap shows. A watcher that comes back reads
 * the events since from the stream.
 */
import {
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type PushConsumer,
  RepublishHeaders,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { makeStream, streamName } from '../broker/streams.ts'

/** Milliseconds for which the stream keeps an event. */
export const KEPT_MS = 5 * 60_000
/** Bytes of the broker's memory, for all channels together. */
const MAX_BYTES = 64 * 1024 * 1024
const READ_MS = 2000
/** A watcher that missed more reads the stored records instead. */
const MAX_READ = 1000
const MAX_CHARACTERS_READ = 2 * 1024 * 1024
const PUBLISH_MS = 5000

/** Follows the events that were removed, and stands for one that is missing: watchers read again. */
export const DROPPED = '[{"type":"history.dropped","data":{}}]'

/** `before`: the number of the channel's event before it; 0 when the stream does not keep that any more. */
export type Event = { seq: number; before: number; text: string }

/** `generation` changes whenever the stream begins to number anew. */
export type StreamState = { generation: string; first: number; last: number }

/** Reads of missed events, and the watchers that a read for another one has served. */
export type GapStats = { reads: number; shared: number }

export class LiveStream {
  readonly #nats: NatsConnection
  readonly #prefix: string
  readonly #replicas: number
  /** Counts over all channels. */
  readonly gaps: GapStats = { reads: 0, shared: 0 }
  #js: JetStreamClient | undefined
  #manager: JetStreamManager | undefined

  constructor(nats: NatsConnection, prefix: string, replicas: number) {
    this.#nats = nats
    this.#prefix = prefix
    this.#replicas = replicas
  }

  get #name(): string {
    return streamName(this.#prefix, 'live')
  }

  /** Creates the stream where it is missing. Rejects while the broker cannot. */
  async ensure(): Promise<StreamState> {
    this.#js ??= jetstream(this.#nats, { timeout: PUBLISH_MS })
    this.#manager ??= await jetstreamManager(this.#nats, { checkAPI: false })
    const info = await makeStream(this.#nats, {
      name: this.#name,
      subjects: [`${this.#prefix}.live.*`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.Memory,
      discard: DiscardPolicy.Old,
      max_age: KEPT_MS * 1e6,
      max_bytes: MAX_BYTES,
      // A busy channel would push the events of all others out. One more than is read shows that there were more.
      max_msgs_per_subject: MAX_READ + 1,
      num_replicas: this.#replicas,
      republish: { src: `${this.#prefix}.live.>`, dest: `${this.#prefix}.heard.>` },
    })
    const { first_seq, last_seq } = info.state
    return { generation: Date.parse(info.created).toString(36), first: first_seq, last: last_seq }
  }

  /** Resolves once the broker has it. A rejection leaves open whether the event was published. */
  async publish(channel: string, text: string): Promise<void> {
    if (!this.#js) throw new Error('there is no stream yet')
    await this.#js.publish(`${this.#prefix}.live.${channel}`, text)
  }

  /** Removes all events of a channel and publishes a marker. A read that meets the marker fails. */
  async drop(channel: string): Promise<void> {
    if (!this.#manager) throw new Error('there is no stream yet')
    await this.#manager.streams.purge(this.#name, { filter: `${this.#prefix}.live.${channel}` })
    await this.publish(channel, DROPPED)
  }

  /** Resolves to a function that stops listening, once the broker knows the subscription. */
  async listen(channel: string, receive: (event: Event) => void): Promise<() => void> {
    const callback = (error: Error | null, message: Msg) => {
      if (error !== null) return
      const seq = Number(message.headers?.get(RepublishHeaders.Sequence))
      if (!seq) return
      receive({ seq, before: Number(message.headers?.get(RepublishHeaders.LastSequence)), text: message.string() })
    }
    const subscription = this.#nats.subscribe(`${this.#prefix}.heard.${channel}`, { callback })
    try {
      await this.#nats.flush()
    } catch (error) {
      // The client would renew the subscription with the connection, for no listener.
      subscription.unsubscribe()
      throw error
    }
    return () => subscription.unsubscribe()
  }

  /** Reads the events of a channel after `seq`, up to now. Rejects when they are too many, or do not arrive in time. */
  async read(channel: string, seq: number): Promise<Event[]> {
    const consumer = await this.#js!.consumers.getPushConsumer(this.#name, {
      filter_subjects: `${this.#prefix}.live.${channel}`,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: seq + 1,
    })
    try {
      const { num_pending } = await consumer.info(true)
      if (num_pending > MAX_READ) throw new Error('too many events to read')
      return num_pending === 0 ? [] : await takeAll(consumer)
    } finally {
      // The broker would keep the consumer for minutes.
      consumer.delete().catch(() => {})
    }
  }

  /** The number of the last event of a channel; 0 when none is kept. */
  async lastOf(channel: string): Promise<number> {
    const found = await this.#manager!.streams.getMessage(this.#name, {
      last_by_subj: `${this.#prefix}.live.${channel}`,
    })
    return found?.seq ?? 0
  }
}

async function takeAll(consumer: PushConsumer): Promise<Event[]> {
  const events: Event[] = []
  let characters = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const messages = await consumer.consume({
    callback: (message) => {
      const text = message.string()
      characters += text.length
      if (characters > MAX_CHARACTERS_READ) reject(new Error('too many events to read'))
      if (text === DROPPED) reject(new Error('events were removed'))
      events.push({ seq: message.seq, before: events.at(-1)?.seq ?? 0, text })
      if (message.info.pending === 0) resolve()
    },
  })
  const timer = setTimeout(() => reject(new Error('the stream did not answer in time')), READ_MS)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    await messages.close().catch(() => {})
  }
  return events
}
