/** A node without actors: a real lease, membership, beacon and rebalancer, wired as `runtime/cluster/coordination.ts` wires them. */
import { randomBytes } from 'node:crypto'
import type { Broker } from '../../runtime/broker/broker.ts'
import { Beacon } from '../../runtime/cluster/beacon.ts'
import { Lease } from '../../runtime/cluster/lease.ts'
import { Membership } from '../../runtime/cluster/membership.ts'
import { Rebalancer } from '../../runtime/cluster/rebalancer.ts'
import type { Store } from '../../runtime/commit/store.ts'
import type { Log } from '../../runtime/log.ts'
import { NodeClock, type SlowTime } from './fake_clock.ts'
import { FakeOwnedPartitions } from './fake_owned_partitions.ts'
import type { LocalBroker } from './local_broker.ts'
import type { Holder, Ownership } from './ownership.ts'

const PREFIX = 'scale'

type FakeNodeOptions = { store: Store; broker: LocalBroker; time: SlowTime; ownership: Ownership; log: Log }

export class FakeNode implements Holder {
  readonly id = randomBytes(6).toString('hex')
  readonly #clock: NodeClock
  readonly #broker: Broker
  readonly #owned_partitions: FakeOwnedPartitions
  readonly #beacon: Beacon
  readonly #membership: Membership
  readonly #lease: Lease
  readonly #rebalancer: Rebalancer
  readonly #options: FakeNodeOptions
  readonly #started_at = Date.now()
  #is_leaving = false

  constructor(options: FakeNodeOptions) {
    const { store, broker, time, ownership, log } = options
    const node = this.id
    this.#options = options
    this.#clock = new NodeClock(time)
    const clock = this.#clock
    this.#broker = broker.connection(() => clock.isStopped)
    this.#owned_partitions = new FakeOwnedPartitions(this, store, ownership)
    this.#beacon = new Beacon(this.#broker, { prefix: PREFIX, node, clock, log })
    this.#membership = new Membership({
      node,
      store,
      clock,
      log,
      changed: () => this.#rebalancer.changed(),
      ended: (nodes) => this.#rebalancer.announceEnd(nodes),
    })
    this.#lease = new Lease({
      node,
      store,
      clock,
      log,
      facts: () => this.#facts(),
      renewed: (renewal, sent, answered) => {
        if (!this.isAlive) return
        this.#membership.renewed(renewal, sent, answered)
        ownership.check(this, this.#owned_partitions.epochs.keys())
      },
      ended: () => this.#owned_partitions.dropAll(),
    })
    this.#rebalancer = new Rebalancer({
      node,
      store,
      broker: this.#broker,
      prefix: PREFIX,
      membership: this.#membership,
      owned_partitions: this.#owned_partitions,
      epochs: this.#owned_partitions.epochs,
      clock,
      log,
      leased: () => this.isAlive && this.isLeased,
      confirm: async () => {},
      taken: () => {},
    })
  }

  async start(): Promise<void> {
    await this.#beacon.start()
    await this.#lease.start()
    await this.#membership.read()
    await this.#rebalancer.start()
  }

  /** Stops everything at once without a word. The node's memory stays, as in a process that stands still. */
  kill(): void {
    this.#clock.stop()
    this.#options.ownership.died(this.#owned_partitions.epochs.keys())
  }

  /** Leaves in order. */
  async leave(): Promise<void> {
    this.#is_leaving = true
    this.#lease.hurry()
    await this.#rebalancer.leave()
    await this.#lease.end()
    this.#rebalancer.announceEnd([this.id])
    this.#beacon.stop()
    this.#membership.stop()
    this.#clock.stop()
  }

  get isAlive(): boolean {
    return !this.#clock.isStopped
  }

  get isLeased(): boolean {
    return this.#lease.is_valid
  }

  get held(): number {
    return this.#owned_partitions.epochs.size
  }

  #facts() {
    return {
      leaving: this.#is_leaving,
      broker: this.#beacon.heard,
      started_at: this.#started_at,
      host: 'node-000.cluster.internal',
      pid: process.pid,
      backlog: Math.floor(Math.random() * 100),
      files: 's3://bucket/files',
    }
  }
}
