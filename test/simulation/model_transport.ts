/**
 * The transport over the modelled NATS: a stream for each partition, which the node reads from the moment its reader
 * stands.
 */

import type { Sent } from '../../runtime/actor/pending_turn.ts'
import type { Batch } from '../../runtime/messages/jetstream_transport.ts'
import type { Transport } from '../../runtime/messages/ports.ts'
import type { Host } from './host.ts'
import type { ModelBroker } from './model_broker.ts'
import type { Network } from './network.ts'

type Receive = (batch: Batch) => void

const STAND_MS = 1000
const LATEST_MS = 4000

export class ModelTransport implements Transport {
  up = true
  readonly trouble = undefined
  readonly stats = { published: 0, received: 0, bytes: 0 }
  readonly #host: Host
  readonly #broker: ModelBroker
  readonly #network: Network
  readonly #receivers = new Map<number, Receive>()
  /** The partitions whose reader stands. */
  readonly #readers = new Set<number>()
  readonly #heard = new Set<number>()
  readonly #reopening = new Set<number>()

  constructor(host: Host, broker: ModelBroker, network: Network) {
    this.#host = host
    this.#broker = broker
    this.#network = network
    network.transports.add(this)
  }

  async start(): Promise<void> {}

  reopen(partition: number, receive: Receive): Promise<void> {
    this.#receivers.set(partition, receive)
    if (this.#reopening.has(partition)) return Promise.resolve()
    this.#reopening.add(partition)
    this.#readers.delete(partition)
    return new Promise((resolve) => {
      const cancel = this.#host.clock.after(STAND_MS, () => {
        this.#reopening.delete(partition)
        resolve()
      })
      this.#broker.send(() => {
        // The streams are on the main island.
        if (this.#network.islandOf(this.#host) !== 0) return
        if (this.#receivers.has(partition)) this.#readers.add(partition)
        this.#host.later(this.#host.world.between(0.1, this.#network.latency_ms), () => {
          cancel()
          this.#reopening.delete(partition)
          resolve()
        })
      })
    })
  }

  heard(partition: number): boolean {
    return this.#heard.delete(partition)
  }

  async close(partition: number): Promise<void> {
    this.#receivers.delete(partition)
    this.#readers.delete(partition)
  }

  publish(partition: number, sent: Sent[], source: number): void {
    if (!this.up || this.#broker.isClosed()) return
    this.stats.published++
    const { number: first, former } = sent[0]!
    const batch = () => ({
      source,
      first,
      former,
      messages: sent.map(({ address, sender, json }) => ({
        address,
        sender,
        message: JSON.parse(json),
        size: json.length,
      })),
    })
    this.#broker.send(() => {
      if (this.#network.islandOf(this.#host) !== 0) return
      for (const transport of this.#network.transports) transport.#arrive(partition, batch)
    })
  }

  /** Makes the broker lose all streams. */
  forget(): void {
    this.#readers.clear()
  }

  async stop(): Promise<void> {
    this.#receivers.clear()
    this.#readers.clear()
    this.#network.transports.delete(this)
  }

  #arrive(partition: number, batch: () => Batch): void {
    if (!this.#readers.has(partition)) return
    const { world } = this.#host
    const { lost, late, repeated, islands } = this.#network
    if (islands.has(this.#host) || world.happens(lost)) return
    const { connection, silent_until } = this.#broker
    const take = () => {
      const receive = this.#receivers.get(partition)
      if (!receive || this.#broker.connection !== connection) return
      this.#heard.add(partition)
      this.stats.received++
      receive(batch())
    }
    const from = Math.max(world.time, silent_until) + (world.happens(late) ? world.between(0, LATEST_MS) : 0)
    const at = this.#network.arrival(`${this.#host.number} log ${partition}`, from)
    this.#host.at(at, take)
    if (world.happens(repeated)) this.#host.at(at + world.between(0, LATEST_MS), take)
  }
}
