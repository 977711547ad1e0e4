/**
 * A node: an engine, the ownership of its partitions, and the ports to the outside.
 *
 * `ask` is for a caller that waits for a reply, `tell` for a message that must be applied. Both find the owner of the
 * address, here or on another node.
 */
import { randomBytes } from 'node:crypto'
import type { MessageOf, Protocol, ReplyOf } from '../actor/actor.ts'
import { type Address, checkAddress, partitionOf } from '../address.ts'
import { type Bus, NatsBus } from '../broker/bus.ts'
import type { Cluster, ClusterStatus } from '../cluster/cluster.ts'
import type { Live, LiveFeeds } from '../live/live.ts'
import { FullReceivers } from '../messages/full_receivers.ts'
import { Unavailable } from '../refusal.ts'
import type { AskOptions, Runtime } from '../runtime.ts'
import { watchBroker } from './broker_watch.ts'
import { ClusterView } from './cluster_view.ts'
import { connectPorts } from './connected_ports.ts'
import { depart } from './departure.ts'
import { Engine } from './engine.ts'
import { type NodeOptions, type NodePorts, type NodeSettings, settingsOf } from './node_options.ts'
import { statsOf } from './node_stats.ts'
import { Ownership } from './ownership.ts'
import { type Readiness, readinessOf } from './readiness.ts'

const ASK_DEADLINE_MS = 10_000

/** An id that no other node of any cluster has. */
export function newNodeId(): string {
  return randomBytes(6).toString('hex')
}

export class Node implements Runtime, Cluster {
  readonly id: string
  readonly #settings: NodeSettings
  readonly #ports: NodePorts
  readonly #started_at: number
  readonly #bus: NatsBus
  #partitions = 0
  #full!: FullReceivers
  #engine!: Engine
  #ownership!: Ownership
  #cluster!: ClusterView
  #live: Live | undefined
  #stopped: Promise<void> | undefined
  #stopping = false

  private constructor(id: string, settings: NodeSettings, ports: NodePorts) {
    this.id = id
    this.#settings = settings
    this.#ports = ports
    this.#started_at = settings.clock.now()
    this.#bus = new NatsBus(ports.broker, settings.prefix, settings.clock)
  }

  /** Starts a node: connects, takes its partitions, resumes the messages of the outbox and the timers. */
  static async start(options: NodeOptions): Promise<Node> {
    const { id = newNodeId() } = options
    let node: Node | undefined
    const ports = await connectPorts(id, settingsOf(options), () => node?.members() ?? [id])
    node = await Node.startWith(id, options, ports)
    node.#live = ports.announcer
    return node
  }

  /** Starts a node on the given ports. */
  static async startWith(id: string, options: NodeOptions, ports: NodePorts): Promise<Node> {
    const node = new Node(id, settingsOf(options), ports)
    try {
      await node.#start()
    } catch (error) {
      await node.stop(0)
      throw error
    }
    return node
  }

  async #start(): Promise<void> {
    const [settings, ports] = [this.#settings, this.#ports]
    const partitions = await ports.store.layOut(settings.partitions)
    this.#partitions = partitions
    this.#full = new FullReceivers(this.#bus, settings.clock, partitions)
    await this.#full.start()
    this.#engine = new Engine({
      node: this.id,
      settings,
      ports,
      partitions,
      full: this.#full,
      leased: () => this.#ownership.is_leased,
      rewound: (lost) => this.#ownership.rewound(lost),
      // In a cluster the next owner answers; a single node has no successor.
      isOver: () => this.#stopping && !this.#ownership.coordination,
    })
    void watchBroker(ports, settings.log, () => {
      this.#engine.owned_partitions.mendAll()
      this.#bus.resumed()
    })
    this.#ownership = new Ownership({
      node: this.id,
      settings,
      ports,
      engine: this.#engine,
      partitions,
      started_at: this.#started_at,
      isStopping: () => this.#stopping,
    })
    this.#cluster = new ClusterView(settings, ports, this.#ownership)
    await this.#ownership.start()
  }

  /** The nodes that hold leases. */
  members(): string[] {
    return this.#ownership.members().map(({ id }) => id)
  }

  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options: AskOptions = {},
  ): Promise<ReplyOf<P, M['type']>> {
    checkAddress(address)
    const deadline = this.#settings.clock.monotonic() + (options.deadline_ms ?? ASK_DEADLINE_MS)
    return this.#engine.asks.ask(address, message, deadline, options.repeatable) as Promise<ReplyOf<P, M['type']>>
  }

  isHere(address: string): boolean {
    return this.#engine.epochs.has(partitionOf(address, this.#partitions))
  }

  tryAsk<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
  ): ReplyOf<P, M['type']> | undefined {
    return this.#engine.scheduler.peek(address, message) as ReplyOf<P, M['type']> | undefined
  }

  tell<P extends Protocol>(
    address: Address<P>,
    message: MessageOf<P>,
    { deadline_ms = ASK_DEADLINE_MS }: AskOptions = {},
  ): Promise<void> {
    if (this.#stopping) return Promise.reject(new Unavailable('This node is shutting down.'))
    return this.#engine.asks.tell(address, message, this.#settings.clock.monotonic() + deadline_ms)
  }

  status(): Promise<ClusterStatus> {
    return this.#cluster.status()
  }

  nodes(): ReturnType<Cluster['nodes']> {
    return this.#cluster.nodes()
  }

  drain(node: string): Promise<boolean> {
    return this.#cluster.drain(node)
  }

  /** The partition of an address in this cluster. */
  partitionOf(address: string): number {
    return partitionOf(address, this.#partitions)
  }

  /** Live events. */
  get live(): LiveFeeds {
    return this.#live!
  }

  /** For messages between nodes that may be lost. */
  get bus(): Bus {
    return this.#bus
  }

  /** Checks the database, the broker and the commits, and returns a sentence for each that cannot be used right now. */
  readiness(): Promise<Readiness> {
    return readinessOf({
      node: this.id,
      database: this.#settings.database,
      ownership: this.#ownership,
      transport: this.#ports.transport,
      lane: this.#engine.lane,
      isStopping: () => this.#stopping,
    })
  }

  /** The actors of this node that handle most messages, the busiest first. Actors that left memory are missing. */
  hottest(limit: number): { address: string; per_second: number }[] {
    return this.#engine.scheduler.hottest(limit)
  }

  /** Counters for metrics and benchmarks. */
  stats() {
    return statsOf(this.#engine, this.#ports)
  }

  /**
   * Leaves gracefully: accepts no new asks, finishes the turns under way and gives the partitions up. `ms` bounds each
   * wait, `calls_ms` the wait for calls that must not be aborted.
   */
  stop(ms = 5000, calls_ms = ms): Promise<void> {
    this.#stopped ??= this.#stop(ms, calls_ms)
    return this.#stopped
  }

  #stop(ms: number, calls_ms: number): Promise<void> {
    this.#stopping = true
    const parts = {
      node: this.id,
      clock: this.#settings.clock,
      ports: this.#ports,
      full: this.#full,
      engine: this.#engine,
      ownership: this.#ownership,
    }
    return depart(parts, ms, calls_ms)
  }
}
