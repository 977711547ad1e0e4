/**
 * Receivers whose backlog is so long that senders should refuse to add to it. Their owners announce them to all nodes
 * every second, over the broker. A sender checks before it promises anything, and refuses what it cannot pass on. A
 * lost announcement costs no more than some messages beyond the bound: they are durable, and wait.
 */
import { partitionOf } from '../address.ts'
import type { Bus } from '../broker/bus.ts'
import type { Clock } from '../time/clock.ts'

const ANNOUNCE_MS = 1000
/** A receiver that was not announced for this long has room again, or its owner is gone. */
const BELIEVED_MS = 3500
/** Maximum number of receivers that one node announces. */
const MAX = 10_000
const SUBJECT = 'node.full'

type Announcement = { addresses: string[]; partitions: number[] }

export class FullReceivers {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #partitions: number
  /** Full receivers of this node, with their partitions. */
  readonly #own = new Map<string, number>()
  readonly #ownPartitions = new Set<number>()
  /** Receivers with too many messages in the outbox, by partition of this node. They may be too blocked to tell. */
  readonly #crowded = new Map<number, ReadonlySet<string>>()
  /** The time until which each receiver counts as full, by the monotonic clock. */
  readonly #heard = new Map<string | number, number>()
  #end: (() => void) | undefined
  #stopListening: (() => void) | undefined

  constructor(bus: Bus, clock: Clock, partitions: number) {
    this.#bus = bus
    this.#clock = clock
    this.#partitions = partitions
  }

  async start(): Promise<void> {
    this.#end = this.#clock.every(ANNOUNCE_MS, () => this.#announce())
    this.#stopListening = await this.#bus.listen(
      SUBJECT,
      (text) => this.#receive(JSON.parse(text) as Announcement),
      () => {},
    )
  }

  stop(): void {
    this.#end?.()
    this.#stopListening?.()
  }

  /** True when senders should refuse more messages for the address. */
  isFull(address: string): boolean {
    if (this.#heard.size === 0 && !this.#has_own) return false
    const partition = partitionOf(address, this.#partitions)
    if (this.#crowded.get(partition)?.has(address)) return true
    if (this.#own.has(address) || this.#ownPartitions.has(partition)) return true
    return this.#believes(address) || this.#believes(partition)
  }

  /** Records that an actor of this node has too long a backlog, or has room again. */
  set(address: string, partition: number, is_full: boolean): void {
    if (!is_full) this.#own.delete(address)
    else if (this.#own.size < MAX) this.#own.set(address, partition)
  }

  /**
   * Records that messages for a partition of this node, or for these receivers in it, arrive faster than they are handled,
   * or no longer do.
   */
  setPartition(partition: number, is_full: boolean, receivers: readonly string[] = []): void {
    if (is_full) this.#ownPartitions.add(partition)
    else this.#ownPartitions.delete(partition)
    if (receivers.length > 0) this.#crowded.set(partition, new Set(receivers))
    else this.#crowded.delete(partition)
  }

  get #has_own(): boolean {
    return this.#own.size + this.#ownPartitions.size + this.#crowded.size > 0
  }

  /** Forgets a partition that another node owns now. */
  forget(partition: number): void {
    this.#ownPartitions.delete(partition)
    this.#crowded.delete(partition)
    for (const [address, of] of this.#own) if (of === partition) this.#own.delete(address)
  }

  #believes(what: string | number): boolean {
    return (this.#heard.get(what) ?? 0) > this.#clock.monotonic()
  }

  #announce(): void {
    const now = this.#clock.monotonic()
    for (const [what, until] of this.#heard) if (until <= now) this.#heard.delete(what)
    if (!this.#has_own) return
    const crowded = [...this.#crowded.values()].flatMap((addresses) => [...addresses])
    const announcement: Announcement = {
      addresses: [...this.#own.keys(), ...crowded],
      partitions: [...this.#ownPartitions],
    }
    this.#bus.publish(SUBJECT, JSON.stringify(announcement))
  }

  #receive({ addresses, partitions }: Announcement): void {
    const until = this.#clock.monotonic() + BELIEVED_MS
    for (const what of [...addresses, ...partitions]) this.#heard.set(what, until)
  }
}
