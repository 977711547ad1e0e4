/**
 * The ownership of partitions. A node of a cluster takes them as its coordination says. Where they are laid out by hand,
 * a node seizes its own at the start, keeps them, and needs no lease.
 *
 *  I15 A node whose lease was ended, or whose database has lost commits, uses nothing that it remembers.
 */
import { hostname } from 'node:os'
import { Coordination } from '../cluster/coordination.ts'
import type { Member } from '../cluster/membership.ts'
import type { Lost } from '../commit/lane.ts'
import type { NodeFacts } from '../commit/store.ts'
import type { Engine } from './engine.ts'
import type { NodePorts, NodeSettings } from './node_options.ts'

const HOST = hostname()
const LOST = 'the database has lost commits that were acknowledged: whatever this node remembers is thrown away'

type OwnershipOptions = {
  node: string
  settings: NodeSettings
  ports: NodePorts
  engine: Engine
  /** Number of partitions of the cluster. */
  partitions: number
  /** Milliseconds since the epoch. */
  started_at: number
  isStopping(): boolean
}

export class Ownership {
  /** Undefined where partitions are laid out by hand. */
  readonly coordination: Coordination | undefined
  readonly #options: OwnershipOptions
  /** The lane's source when the node last threw everything away. */
  #left_source = 0
  #forgetRewinds = () => {}

  constructor(options: OwnershipOptions) {
    this.#options = options
    this.coordination = this.#coordination()
  }

  #coordination(): Coordination | undefined {
    const { node, settings, ports, engine } = this.#options
    const { prefix, clock, log, cluster } = settings
    const { store, broker, announcer } = ports
    if (!cluster) return undefined
    return new Coordination({
      node,
      prefix,
      store,
      broker,
      clock,
      log,
      owned_partitions: engine.owned_partitions,
      epochs: engine.epochs,
      alone: cluster.alone === true,
      facts: () => this.#facts(),
      changed: (members) => cluster.changed?.(members),
      confirm: async () => cluster.confirm?.(),
      renewed: () => engine.scheduler.leaseRenewed(),
      ended: () => {
        this.#left_source = engine.lane.source
        engine.owned_partitions.dropAll()
        engine.lane.beginAnew()
        announcer.resync()
      },
      taken: () => announcer.resync(),
    })
  }

  #facts(): NodeFacts {
    const { settings, engine, started_at, isStopping } = this.#options
    return {
      leaving: isStopping() || this.coordination?.is_drained === true,
      broker: this.coordination?.heard ?? null,
      started_at,
      host: HOST,
      pid: process.pid,
      backlog: engine.owned_partitions.stats().waiting,
      files: settings.cluster?.files,
      keys: settings.cluster?.keys,
      release: settings.cluster?.release,
    }
  }

  /** Resolves once this node has made its first attempt to take partitions. */
  async start(): Promise<void> {
    const { ports, engine } = this.#options
    this.#forgetRewinds = ports.store.onRewound(() => this.rewound())
    engine.timers.start(() => engine.epochs.keys())
    if (this.coordination) await this.coordination.start()
    else await this.#seize()
    engine.owned_partitions.start()
  }

  #seize(): Promise<void> {
    const { settings, engine, partitions } = this.#options
    return engine.owned_partitions.seize(settings.take ?? Array.from({ length: partitions }, (_, i) => i))
  }

  /** The nodes that hold leases. */
  members(): Member[] {
    return this.coordination?.membership.members() ?? [{ ...this.#facts(), id: this.#options.node }]
  }

  /** True when no other node can have taken a partition from this one. */
  get is_leased(): boolean {
    return this.coordination?.is_leased ?? true
  }

  /** True when the node owns partitions, or need not. */
  get is_serving(): boolean {
    const { engine, partitions } = this.#options
    return engine.epochs.size > 0 || this.coordination?.isSpare(partitions) === true
  }

  /** The memory of this node is void: the database has lost commits that it is based on. */
  rewound(lost?: Lost): void {
    const { node, settings, engine } = this.#options
    settings.log.error({ node, ...lost }, LOST)
    // Report it and do no more: this lost range belongs to memory thrown away before.
    if (lost && lost.source === this.#left_source) return
    this.#left_source = engine.lane.source
    if (this.coordination) {
      this.coordination.lease.revoke()
      return
    }
    engine.owned_partitions.dropAll()
    this.#seize().catch((error) => settings.log.error({ error }, 'the partitions could not be taken again'))
  }

  /** The node listens no more for what the database has lost. */
  stop(): void {
    this.#forgetRewinds()
  }
}
