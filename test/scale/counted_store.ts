/** The store of one node, which counts its calls. Deadlines are stretched like the time of the nodes. */
import { PostgresStore } from '../../runtime/commit/postgres_store.ts'
import type { NodeFacts, Renewal, StoredPartition } from '../../runtime/commit/store.ts'
import type { Database } from '../../storage/mod.ts'
import type { SlowTime } from './fake_clock.ts'

/** The calls of all nodes to PostgreSQL so far. */
export class Calls {
  readonly #counts = new Map<string, number>()
  /** Round trips of renewals, in milliseconds of the machine. */
  renewal_ms: number[] = []

  count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}

export class CountedStore extends PostgresStore {
  readonly #calls: Calls
  readonly #time: SlowTime

  constructor(database: Database, calls: Calls, time: SlowTime) {
    super(database)
    this.#calls = calls
    this.#time = time
  }

  override async renew(node: string, facts: NodeFacts, known: number, floor: number, ms: number): Promise<Renewal> {
    this.#calls.count('renewals')
    const from = performance.now()
    const renewal = await super.renew(node, facts, known, floor, ms * this.#time.slowness)
    this.#calls.renewal_ms.push(performance.now() - from)
    return renewal
  }

  override async members(floor: number) {
    const members = await super.members(floor)
    this.#calls.count('reads of members')
    this.#calls.count('rows', members.length)
    return members
  }

  override async partitions(): Promise<StoredPartition[]> {
    const partitions = await super.partitions()
    this.#calls.count('reads of partitions')
    this.#calls.count('rows', partitions.length)
    return partitions
  }

  override join(node: string, facts: NodeFacts) {
    this.#calls.count('joins')
    return super.join(node, facts)
  }

  override endLease(node: string, stamp: number) {
    this.#calls.count('leases ended')
    return super.endLease(node, stamp)
  }

  override take(node: string, partitions: readonly { id: number; epoch: number }[]) {
    this.#calls.count('takes')
    return super.take(node, partitions)
  }

  override release(node: string, partitions: readonly { id: number; epoch: number }[]) {
    this.#calls.count('releases')
    return super.release(node, partitions)
  }

  /** Other nodes use the connections, too. */
  override breakConnections(): void {}
}
