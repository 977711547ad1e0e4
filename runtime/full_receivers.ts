/**
 * Receivers that have so much waiting that nobody should give them more. Their owners say so every second, over the broker, to
 * all nodes; a sender asks before it promises anything, and refuses what it cannot pass on. A word that is lost costs no more
 * than some messages beyond the bound: they are durable, and wait.
 */
import { partitionOf } from './address.ts'
import type { Bus } from './bus.ts'
import type { Clock } from './clock.ts'

const SAY_MS = 1000
/** A receiver of which nothing was heard for so long has room again, or its owner is gone. */
const BELIEVED_MS = 3500
/** Receivers that one node names. */
const MOST = 10_000
const SUBJECT = 'node.full'

type Words = { addresses: string[]; partitions: number[] }

export class FullReceivers {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #partitions: number
  /** Those of this node, with their partition. */
  readonly #own = new Map<string, number>()
  readonly #ownPartitions = new Set<number>()
  /** Until when each is believed to be full, by the monotonic clock. */
  readonly #heard = new Map<string | number, number>()
  #end: (() => void) | undefined
  #stopListening: (() => void) | undefined

  constructor(bus: Bus, clock: Clock, partitions: number) {
    this.#bus = bus
    this.#clock = clock
    this.#partitions = partitions
  }

  async start(): Promise<void> {
    this.#end = this.#clock.every(SAY_MS, () => this.#say())
    this.#stopListening = await this.#bus.listen(
      SUBJECT,
      (text) => this.#hear(JSON.parse(text) as Words),
      () => {},
    )
  }

  stop(): void {
    this.#end?.()
    this.#stopListening?.()
  }

  /** Whether more for the address should be refused. */
  isFull(address: string): boolean {
    if (this.#heard.size === 0 && this.#own.size === 0 && this.#ownPartitions.size === 0) return false
    const partition = partitionOf(address, this.#partitions)
    if (this.#own.has(address) || this.#ownPartitions.has(partition)) return true
    return this.#believes(address) || this.#believes(partition)
  }

  /** An actor of this node has too much waiting, or has room again. */
  set(address: string, partition: number, is_full: boolean): void {
    if (!is_full) this.#own.delete(address)
    else if (this.#own.size < MOST) this.#own.set(address, partition)
  }

  /** What is told to a partition of this node comes faster than it is taken in, or no longer does. */
  setPartition(partition: number, is_full: boolean): void {
    if (is_full) this.#ownPartitions.add(partition)
    else this.#ownPartitions.delete(partition)
  }

  /** A partition is another node's now. */
  forget(partition: number): void {
    this.#ownPartitions.delete(partition)
    for (const [address, of] of this.#own) if (of === partition) this.#own.delete(address)
  }

  #believes(what: string | number): boolean {
    return (this.#heard.get(what) ?? 0) > this.#clock.monotonic()
  }

  #say(): void {
    const now = this.#clock.monotonic()
    for (const [what, until] of this.#heard) if (until <= now) this.#heard.delete(what)
    if (this.#own.size === 0 && this.#ownPartitions.size === 0) return
    const words: Words = { addresses: [...this.#own.keys()], partitions: [...this.#ownPartitions] }
    this.#bus.publish(SUBJECT, JSON.stringify(words))
  }

  #hear({ addresses, partitions }: Words): void {
    const until = this.#clock.monotonic() + BELIEVED_MS
    for (const what of [...addresses, ...partitions]) this.#heard.set(what, until)
  }
}
