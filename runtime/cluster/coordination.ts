/**
 * A node's coordination with its cluster: its lease, its beacon, its membership, and the rebalancer that gives it its
 * share of the partitions. They begin and end together. A node whose partitions are laid out by hand has none.
 */

import type { Broker } from '../broker/broker.ts'
import type { NodeFacts, Store } from '../commit/store.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time/clock.ts'
import { within } from '../time/time_limit.ts'
import { Beacon } from './beacon.ts'
import { Lease } from './lease.ts'
import { type Member, Membership } from './membership.ts'
import type { OwnedPartitions } from './owned_partitions.ts'
import { Rebalancer } from './rebalancer.ts'

type CoordinationOptions = {
  node: string
  prefix: string
  store: Store
  broker: Broker
  clock: Clock
  log: Log
  owned_partitions: OwnedPartitions
  epochs: ReadonlyMap<number, number>
  /** True when there can be no other node. */
  alone: boolean
  /** This node's own row. */
  facts(): NodeFacts
  /** Called with the living nodes when one comes, goes or changes. */
  changed(members: Member[]): void
  /** Rejects when this node must not take partitions. */
  confirm(): Promise<void>
  /** The lease was renewed: no partition was taken from this node meanwhile. */
  renewed(): void
  /** The lease was ended: other nodes may have this node's partitions. */
  ended(): void
  /** Partitions have come here from other nodes. */
  taken(): void
}

export class Coordination {
  readonly membership: Membership
  readonly lease: Lease
  readonly #options: CoordinationOptions
  readonly #beacon: Beacon
  readonly #rebalancer: Rebalancer
  #is_drained = false

  constructor(options: CoordinationOptions) {
    const { node, prefix, store, broker, clock, log, owned_partitions, epochs } = options
    this.#options = options
    this.#beacon = new Beacon(broker, { prefix, node, clock, log })
    this.membership = new Membership({
      node,
      store,
      clock,
      log,
      changed: (members) => {
        options.changed(members)
        this.#rebalancer.changed()
      },
      ended: (nodes) => this.#rebalancer.announceEnd(nodes),
    })
    this.lease = new Lease({
      node,
      store,
      clock,
      log,
      facts: () => options.facts(),
      renewed: (renewal, sent, answered) => {
        clock.learn?.({ sent, received: answered, database_ms: renewal.now })
        this.membership.renewed(renewal, sent, answered)
        options.renewed()
      },
      ended: () => {
        this.membership.leaseEnded()
        options.ended()
      },
    })
    this.#rebalancer = new Rebalancer({
      node,
      store,
      broker,
      prefix,
      membership: this.membership,
      owned_partitions,
      epochs,
      clock,
      log,
      leased: () => this.lease.is_valid,
      confirm: () => options.confirm(),
      taken: () => options.taken(),
    })
  }

  /** Resolves once this node has made its first attempt to take partitions. */
  async start(): Promise<void> {
    const { node, prefix, store, broker, log, alone } = this.#options
    await this.#beacon.start()
    broker.subscribe(`${prefix}.node.drain.${node}`, {
      callback: (error, request) => {
        if (error) return
        request.respond('')
        log.info({}, 'draining: moving the partitions of this node to other nodes')
        this.#is_drained = true
        this.lease.hurry()
      },
    })
    if (alone) await store.endOthers(node)
    await this.lease.start()
    await this.membership.read()
    await this.#rebalancer.start()
  }

  /** True while no other node can have taken a partition from this one. */
  get is_leased(): boolean {
    return this.#options.alone || this.lease.is_valid
  }

  /** True when there are more able nodes than partitions: a node may own none, and still serves requests. */
  isSpare(partitions: number): boolean {
    const able = this.membership.able()
    return able.length > partitions && able.some(({ id }) => id === this.#options.node)
  }

  /** True once the node was asked to give its partitions away. */
  get is_drained(): boolean {
    return this.#is_drained
  }

  /** The speaker whose beacon this node receives; null when there is none. */
  get heard(): string | null {
    return this.#beacon.heard
  }

  /** Gives the partitions away, in order. */
  async leave(ms: number): Promise<void> {
    this.lease.hurry()
    await within(ms, this.#rebalancer.leave(), this.#options.clock)
  }

  /** Ends the lease and announces that. */
  async end(ms: number): Promise<void> {
    await within(ms, this.lease.end(), this.#options.clock)
    this.#rebalancer.announceEnd([this.#options.node])
    this.#beacon.stop()
    this.membership.stop()
  }
}
