/**
 * A node: its partitions, the actors on its scheduler, the lane that commits for them and the transport to other nodes.
 *
 * `ask` is for a caller that waits for a reply, `tell` for a message that must be applied. Both find the owner of the
 * address, here or on another node.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { MessageOf, Protocol, ReplyOf } from './actor.ts'
import { type Address, checkAddress, partitionOf } from './address.ts'
import { AskClient } from './ask_client.ts'
import { Asks } from './asks.ts'
import { type Bus, NatsBus } from './bus.ts'
import { type Clock, sleep } from './clock.ts'
import { type Cluster, type ClusterStatus, readPartitions } from './cluster.ts'
import { connectPorts } from './connected_ports.ts'
import { FullReceivers } from './full_receivers.ts'
import { Lane, type Lost } from './lane.ts'
import type { Live, LiveFeeds } from './live/live.ts'
import type { Log } from './log.ts'
import { MessageRouter } from './message_router.ts'
import { inboxLimitOf, type NodeOptions, type NodePorts, type NodeSettings, settingsOf } from './node_options.ts'
import { OwnedPartitions } from './owned_partitions.ts'
import { type Readiness, readinessOf } from './readiness.ts'
import { Unavailable } from './refusal.ts'
import type { AskOptions, Runtime } from './runtime.ts'
import { Scheduler } from './scheduler.ts'
import { Seat } from './seat.ts'
import type { NodeFacts } from './store.ts'
import { Timers } from './timers.ts'
import { within } from './within.ts'

const ASK_DEADLINE_MS = 10_000
const HOST = hostname()
const LOST = 'the database has lost commits that were acknowledged: whatever this node remembers is thrown away'

export class Node implements Runtime, Cluster {
  readonly id: string
  readonly #settings: NodeSettings
  readonly #ports: NodePorts
  readonly #clock: Clock
  readonly #log: Log
  readonly #epochs = new Map<number, number>()
  readonly #started_at: number
  readonly #bus: NatsBus
  #partitions = 0
  #line!: AskClient
  #asks!: Asks
  #scheduler!: Scheduler
  #timers!: Timers
  #lane!: Lane
  #owned_partitions!: OwnedPartitions
  #router!: MessageRouter
  #full!: FullReceivers
  #seat: Seat | undefined
  #live: Live | undefined
  #forgetRewinds = () => {}
  /** The lane's source when the node last threw everything away. */
  #left_source = 0
  #stopped: Promise<void> | undefined
  #stopping = false

  private constructor(id: string, settings: NodeSettings, ports: NodePorts) {
    this.id = id
    this.#settings = settings
    this.#ports = ports
    this.#clock = settings.clock
    this.#log = settings.log
    this.#started_at = this.#clock.now()
    this.#bus = new NatsBus(ports.broker, settings.prefix, this.#clock)
  }

  /** Starts a node: connects, takes its partitions, resumes the messages of the outbox and the timers. */
  static async start(options: NodeOptions): Promise<Node> {
    const id = randomBytes(6).toString('hex')
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
    const { database, prefix, kinds, idle_ms, isShort, cluster, transport_only } = this.#settings
    const { store, broker, transport, announcer } = this.#ports
    const [clock, log] = [this.#clock, this.#log]
    this.#partitions = await store.layOut(this.#settings.partitions)
    this.#full = new FullReceivers(this.#bus, clock, this.#partitions)
    await this.#full.start()
    this.#timers = new Timers({
      store,
      clock,
      log,
      fire: ({ partition, address, name, due, message }) =>
        this.#scheduler.deliver(address, partition, { message, origin: 'timer', timer: { name, due }, attempts: 0 }),
    })
    this.#scheduler = new Scheduler({
      database,
      store,
      kinds,
      clock,
      log,
      partitions: this.#partitions,
      idle_ms,
      isShort,
      epoch: (partition) => this.#epochs.get(partition),
      inbox: (partition) => this.#owned_partitions.inbox(partition),
      // The lane tells the scheduler, and the scheduler pushes to the lane.
      push: (pending_turn) => this.#lane.push(pending_turn),
      timers: this.#timers,
      send: (sent, source) => this.#router.send(sent, source),
      say: (words) => announcer.say(words),
      surroundings: {
        isWatched: (channel) => announcer.isWatched(channel),
        isFull: (address) => this.#full.isFull(address),
        setFull: (address, partition, is_full) => this.#full.set(address, partition, is_full),
      },
      tell: (address, message) => this.#asks.tell(address, message, Number.POSITIVE_INFINITY),
      leased: () => this.#isLeased,
      moved: (partition, epoch) => void this.#owned_partitions.check(partition, epoch),
      rewound: (lost) => this.#rewound(lost),
    })
    this.#lane = new Lane(store, this.id, this.#scheduler.outcomes, clock, log)
    this.#line = new AskClient(broker, prefix, log, clock, () => this.#isLeased)
    this.#asks = new Asks({
      node: this.id,
      partitions: this.#partitions,
      clock,
      line: this.#line,
      scheduler: this.#scheduler,
      lane: this.#lane,
      isHere: (partition) => this.#epochs.has(partition),
      isReachable: () => transport.up,
      // In a cluster the next owner answers; a single node has no successor.
      isOver: () => this.#stopping && !this.#seat,
    })
    void this.#watchBroker()
    this.#owned_partitions = new OwnedPartitions(this.#epochs, {
      node: this.id,
      store,
      clock,
      transport,
      line: this.#line,
      scheduler: this.#scheduler,
      timers: this.#timers,
      lane: this.#lane,
      log,
      full: this.#full,
      inbox_limit: inboxLimitOf(this.#settings, this.#partitions),
      answering: {
        peek: (address, message) => this.#scheduler.peek(address, message),
        answer: (address, message, deadline_ms) => this.#asks.answer(address, message, deadline_ms),
      },
      by_hand: cluster === undefined,
    })
    this.#router = new MessageRouter({
      transport,
      inbox: (partition) => this.#owned_partitions.inbox(partition),
      leased: () => this.#isLeased,
      transport_only,
    })
    this.#forgetRewinds = store.onRewound(() => this.#rewound())
    this.#timers.start(() => this.#epochs.keys())
    if (cluster) await this.#join(cluster)
    else await this.#seize()
    this.#owned_partitions.start()
  }

  async #join(cluster: NonNullable<NodeOptions['cluster']>): Promise<void> {
    const { store, broker, announcer } = this.#ports
    this.#seat = new Seat({
      node: this.id,
      prefix: this.#settings.prefix,
      store,
      broker,
      clock: this.#clock,
      log: this.#log,
      owned_partitions: this.#owned_partitions,
      epochs: this.#epochs,
      alone: cluster.alone === true,
      facts: () => this.#facts(),
      changed: (members) => cluster.changed?.(members),
      confirm: async () => cluster.confirm?.(),
      renewed: () => this.#scheduler.leaseRenewed(),
      ended: () => {
        this.#left_source = this.#lane.source
        this.#owned_partitions.dropAll()
        this.#lane.beginAnew()
        announcer.resync()
      },
      taken: () => announcer.resync(),
    })
    await this.#seat.start()
  }

  #facts(): NodeFacts {
    return {
      leaving: this.#stopping || this.#seat?.is_drained === true,
      broker: this.#seat?.heard ?? null,
      started_at: this.#started_at,
      host: HOST,
      pid: process.pid,
      backlog: this.#owned_partitions.stats().waiting,
      files: this.#settings.cluster?.files,
    }
  }

  /** The nodes that hold leases. */
  members(): string[] {
    return this.#seat?.membership.members().map(({ id }) => id) ?? [this.id]
  }

  /** True when no other node can have taken a partition from this one. */
  get #isLeased(): boolean {
    return this.#seat?.is_leased ?? true
  }

  /** The memory of this node is void: the database has lost commits that it is based on. */
  #rewound(lost?: Lost): void {
    this.#log.error({ node: this.id, ...lost }, LOST)
    // Report it and do no more: this lost range belongs to memory thrown away before.
    if (lost && lost.source === this.#left_source) return
    this.#left_source = this.#lane.source
    if (this.#seat) {
      this.#seat.lease.revoke()
      return
    }
    this.#owned_partitions.dropAll()
    this.#seize().catch((error) => this.#log.error({ error }, 'the partitions could not be taken again'))
  }

  #seize(): Promise<void> {
    return this.#owned_partitions.seize(this.#settings.take ?? Array.from({ length: this.#partitions }, (_, i) => i))
  }

  async #watchBroker(): Promise<void> {
    const { broker, transport } = this.#ports
    for await (const status of broker.status()) {
      if (status.type === 'disconnect') {
        transport.up = false
        this.#log.warn({}, 'the broker is away; messages between actors go through the outbox alone')
      } else if (status.type === 'reconnect') {
        transport.up = true
        this.#log.info({}, 'the broker is back')
        this.#owned_partitions?.mendAll()
        this.#bus.resumed()
      }
    }
  }

  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options: AskOptions = {},
  ): Promise<ReplyOf<P, M['type']>> {
    checkAddress(address)
    const deadline = this.#clock.monotonic() + (options.deadline_ms ?? ASK_DEADLINE_MS)
    return this.#asks.ask(address, message, deadline, options.repeatable) as Promise<ReplyOf<P, M['type']>>
  }

  isHere(address: string): boolean {
    return this.#epochs.has(partitionOf(address, this.#partitions))
  }

  tryAsk<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
  ): ReplyOf<P, M['type']> | undefined {
    return this.#scheduler.peek(address, message) as ReplyOf<P, M['type']> | undefined
  }

  tell<P extends Protocol>(
    address: Address<P>,
    message: MessageOf<P>,
    { deadline_ms = ASK_DEADLINE_MS }: AskOptions = {},
  ): Promise<void> {
    if (this.#stopping) return Promise.reject(new Unavailable('This node is shutting down.'))
    return this.#asks.tell(address, message, this.#clock.monotonic() + deadline_ms)
  }

  async status(): Promise<ClusterStatus> {
    await this.#seat?.membership.read()
    const partitions = await readPartitions(this.#settings.database)
    const counts = new Map<string | null, number>()
    for (const { owner } of partitions) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const members = this.#seat?.membership.members() ?? [{ ...this.#facts(), id: this.id }]
    const nodes = members.map(({ broker, ...facts }) => ({
      ...facts,
      is_connected: !this.#seat?.membership.isApart(facts.id),
      partitions: counts.get(facts.id) ?? 0,
    }))
    return { nodes, partitions }
  }

  async drain(node: string): Promise<boolean> {
    if (!/^[0-9a-f]{12}$/.test(node)) return false
    const subject = `${this.#settings.prefix}.node.drain.${node}`
    return this.#ports.broker.request(subject, '', { timeout: 2000 }).then(
      () => true,
      () => false,
    )
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
      database: this.#settings.database,
      seat: this.#seat,
      transport: this.#ports.transport,
      lane: this.#lane,
      isServing: () => this.#epochs.size > 0 || this.#seat?.isSpare(this.#partitions) === true,
      isStopping: () => this.#stopping,
    })
  }

  /** Counters for metrics and benchmarks. */
  stats() {
    const { transport, announcer } = this.#ports
    return {
      partitions: this.#epochs.size,
      resident: this.#scheduler.resident,
      timers: this.#timers.armed,
      scheduler: this.#scheduler.stats,
      transport: transport.stats,
      short_way: this.#router.stats,
      live: announcer.stats,
      lane: { source: this.#lane.source, ...this.#lane.stats },
      inboxes: this.#owned_partitions.stats(),
    }
  }

  /**
   * Leaves gracefully: accepts no new asks, finishes the turns under way and gives the partitions up. `ms` bounds each
   * wait, `calls_ms` the wait for calls that must not be aborted.
   */
  stop(ms = 5000, calls_ms = ms): Promise<void> {
    this.#stopped ??= this.#stop(ms, calls_ms)
    return this.#stopped
  }

  async #stop(ms: number, calls_ms: number): Promise<void> {
    const { store, broker, transport, announcer } = this.#ports
    const [clock, lane] = [this.#clock, this.#lane]
    this.#stopping = true
    if (this.#seat) {
      await this.#seat.leave(ms)
      for (const end = clock.monotonic() + ms; this.#asks.waiting > 0 && clock.monotonic() < end; )
        await sleep(clock, 5)
    }
    this.#timers?.stop()
    this.#owned_partitions?.closeInboxes()
    await this.#scheduler?.drain(ms)
    await within(calls_ms, this.#scheduler?.calls(), clock)
    lane?.stop()
    await within(ms, lane?.flush(), clock)
    this.#scheduler?.stop()
    await this.#line?.stop()
    announcer.stop()
    if (transport.up) await within(1000, broker.flush(), clock)
    await within(1000, transport.stop(), clock)
    const held = [...this.#epochs].map(([id, epoch]) => ({ id, epoch }))
    await within(ms, store.release(this.id, held), clock)
    this.#epochs.clear()
    await this.#seat?.end(ms)
    this.#forgetRewinds()
    this.#full?.stop()
    if (transport.up) await within(1000, broker.flush(), clock)
    await within(1000, broker.close(), clock)
  }
}
