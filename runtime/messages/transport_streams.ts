/** The streams of the transport: a few for all partitions, each of which has its own subject in one of them. */
import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { isStreamMissing, isTooFewServers, makeStream, streamName } from '../broker/streams.ts'

/** Constant for any number of partitions: partition p is in stream p modulo this. */
export const STREAMS = 8
/** Bytes of memory that the broker reserves for each stream. Messages that do not fit are read from the outbox. */
const MAX_BYTES = 16 * 1024 * 1024
/** Unread messages of this age have been found in the outbox. Older ones would cost memory, and the broker scans them. */
const MAX_AGE_NS = 10 * 1e9

export class TransportStreams {
  readonly #nats: NatsConnection
  readonly #prefix: string
  readonly #replicas: number
  /** A sentence while the broker has fewer servers than replicas are to be made. */
  trouble: string | undefined
  /** The streams that this node has found or created, by index. */
  readonly #known = new Map<number, Promise<void>>()

  constructor(nats: NatsConnection, { prefix, replicas }: { prefix: string; replicas: number }) {
    this.#nats = nats
    this.#prefix = prefix
    this.#replicas = replicas
  }

  /** Differs from the subjects of the former layout: nodes of both may run side by side, and no two streams share a subject. */
  subject(partition: number): string {
    return `${this.#prefix}.transport.${partition % STREAMS}.${partition}`
  }

  /**
   * Does the work with the name of the partition's stream, and does it again when the stream was gone. Creates the
   * stream where it is missing. Rejects while the broker cannot.
   */
  async use<Result>(partition: number, work: (stream: string) => Promise<Result>): Promise<Result> {
    const index = partition % STREAMS
    const made = this.#ensure(index)
    await made
    try {
      return await work(this.#name(index))
    } catch (error) {
      if (!isStreamMissing(error)) throw error
      // The stream was deleted since, or lost with the broker's memory.
      if (this.#known.get(index) === made) this.#known.delete(index)
      await this.#ensure(index)
      return work(this.#name(index))
    }
  }

  /** Creates the stream where it is missing. Concurrent callers share the request. */
  #ensure(index: number): Promise<void> {
    const known = this.#known.get(index)
    if (known) return known
    const made = this.#make(index)
    this.#known.set(index, made)
    made.catch(() => this.#known.delete(index))
    return made
  }

  async #make(index: number): Promise<void> {
    try {
      await this.#create(index)
      this.trouble = undefined
    } catch (error) {
      if (isTooFewServers(error)) this.trouble = this.#tooFew((error as Error).message)
      throw error
    }
  }

  #tooFew(reason: string): string {
    return `NATS has too few servers with JetStream for PARLEY_NATS_REPLICAS=${this.#replicas} (${reason}), so messages between nodes are late and consoles show no changes: start the missing servers, or lower the setting and restart the nodes.`
  }

  async #create(index: number): Promise<void> {
    await makeStream(this.#nats, {
      name: this.#name(index),
      subjects: [`${this.#prefix}.transport.${index}.*`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.Memory,
      discard: DiscardPolicy.Old,
      max_age: MAX_AGE_NS,
      max_bytes: MAX_BYTES,
      num_replicas: this.#replicas,
    })
  }

  #name(index: number): string {
    return streamName(this.#prefix, `transport-${index}`)
  }
}
