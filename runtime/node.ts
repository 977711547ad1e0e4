/**
 * A node: the partitions it owns, the actors on its stage, the lane that commits for them and the road between nodes.
 *
 * `ask` is for a caller that waits, `tell` for what must happen. Both find the owner of the address; neither cares where
 * it is.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Database } from '../storage/mod.ts'
import type { ActorKind, MessageOf, Protocol, ReplyOf } from './actor.ts'
import { type Address, checkAddress, partitionOf } from './address.ts'
import { AskLine } from './ask_line.ts'
import { Asks } from './asks.ts'
import { Balance } from './balance.ts'
import { Beacon } from './beacon.ts'
import type { Broker } from './broker.ts'
import { type Bus, NatsBus } from './bus.ts'
import { type Clock, sleep, systemClock } from './clock.ts'
import { type Cluster, type ClusterStatus, readPartitions } from './cluster.ts'
import { Dispatch } from './dispatch.ts'
import { FullReceivers } from './full_receivers.ts'
import { Holdings } from './holdings.ts'
import { Lane, type Lost } from './lane.ts'
import { Lease } from './lease.ts'
import { Live, type LiveFeeds } from './live/live.ts'
import { type Log, silentLog } from './log.ts'
import { type Member, Membership } from './membership.ts'
import type { Announcer, Transport } from './ports.ts'
import { PostgresStore } from './postgres_store.ts'
import { Unavailable } from './refusal.ts'
import { Road } from './road.ts'
import type { AskOptions, Runtime } from './runtime.ts'
import { forgetFutureTries, natsOptions } from './servers/nats_options.ts'
import { untilThere } from './servers/until_there.ts'
import { Stage } from './stage.ts'
import type { NodeFacts, Store } from './store.ts'
import { Timers } from './timers.ts'
import { within } from './within.ts'

const ASK_DEADLINE_MS = 10_000
/** Between two tries to reach the broker again, and up to half more. */
const RECONNECT_MS = 200
/** For the stream of what is said live: a broker that is electing a leader must not hold up a start. */
const LIVE_MS = 1000
/** Messages taken in and not yet applied, of all partitions together: some hundred MiB at most. */
const INLETS_LIMIT = 100_000

export type NodeOptions = {
  database: Database
  nats_url: string
  kinds: ActorKind[]
  /** Stands before all subjects and streams of this cluster. Default `parley`. */
  prefix?: string
  /** Partitions of a new cluster. Default 64. */
  partitions?: number
  /** The partitions this node takes and keeps, for a cluster that is laid out by hand. Default all. */
  take?: number[]
  /** Share partitions with whoever else is alive, instead of `take`. */
  cluster?: {
    /** True when no other node can be there, because the servers are this node's own: nobody is waited for. */
    alone?: boolean
    /** Which store of files this node uses, for the others to compare. */
    files?: string | undefined
    /** Called before partitions are taken; rejects when this node must not, because it could not work for them. */
    confirm?(): Promise<void>
    /** Told of the living nodes when one comes, goes or changes. */
    changed?(nodes: Member[]): void
  }
  /** Aborted when nobody wants the node any more: a start that waits for NATS then rejects with its reason. */
  given_up?: AbortSignal | undefined
  /** Replicas of the streams. Default 1. */
  replicas?: number
  idle_ms?: number
  /** Whether actors should leave memory sooner. Default: most of the heap is in use. */
  isShort?(): boolean
  /** Messages to partitions of this very node take the road too. Slower; for tests of the road. */
  road_only?: boolean
  /** Most messages of a partition in memory and not yet settled. Default its share of 100 000. */
  inlet_limit?: number
  clock?: Clock
  log?: Log
}

/** What a node works with. A simulation brings its own. */
export type NodePorts = {
  store: Store
  broker: Broker
  road: Transport
  announcer: Announcer
}

const STUCK_MS = 5000
const HOST = hostname()
/** The part of the heap in use beyond which memory is short. */
const HEAP_LIMIT = 0.7 * getHeapStatistics().heap_size_limit
const isHeapFull = (): boolean => getHeapStatistics().used_heap_size > HEAP_LIMIT
const LOST = 'the database has lost commits that were acknowledged: whatever this node remembers is thrown away'

export class Node implements Runtime, Cluster {
  readonly id: string
  readonly #options: NodeOptions
  readonly #ports: NodePorts
  readonly #clock: Clock
  readonly #log: Log
  readonly #epochs = new Map<number, number>()
  readonly #started_at: number
  readonly #bus: NatsBus
  #partitions = 0
  #line!: AskLine
  #asks!: Asks
  #stage!: Stage
  #timers!: Timers
  #lane!: Lane
  #holdings!: Holdings
  #dispatch!: Dispatch
  #full!: FullReceivers
  #beacon: Beacon | undefined
  #membership: Membership | undefined
  #lease: Lease | undefined
  #balance: Balance | undefined
  #live: Live | undefined
  #forgetRewinds = () => {}
  /** The source of the lane when everything was thrown away last. */
  #left_source = 0
  #leaving = false
  #stopped: Promise<void> | undefined
  #stopping = false

  private constructor(id: string, options: NodeOptions, ports: NodePorts) {
    this.id = id
    this.#options = options
    this.#ports = ports
    this.#clock = options.clock ?? systemClock
    this.#log = options.log ?? silentLog
    this.#started_at = this.#clock.now()
    this.#bus = new NatsBus(ports.broker, options.prefix ?? 'parley', this.#clock)
  }

  /** Starts a node: connects, takes its partitions, takes up what the outbox and the timers hold. */
  static async start(options: NodeOptions): Promise<Node> {
    const { database, nats_url, prefix = 'parley', replicas = 1, clock = systemClock, log = silentLog } = options
    const id = randomBytes(6).toString('hex')
    let connection: NatsConnection | undefined
    const settings = {
      ...natsOptions(nats_url),
      name: `parley ${id}`,
      maxReconnectAttempts: -1,
      // Asked before each try.
      reconnectDelayHandler: () => {
        if (connection) forgetFutureTries(connection, clock.wall())
        return RECONNECT_MS * (1 + Math.random() / 2)
      },
      pingInterval: 5000,
      maxPingOut: 2,
      ignoreClusterUpdates: false,
      noAsyncTraces: true,
    }
    const nats = await untilThere('the NATS of NATS_URL', () => connect(settings), log, options.given_up)
    connection = nats
    const road = new Road(nats, { prefix, replicas, log })
    let node: Node | undefined
    const live = new Live({
      nats,
      prefix,
      replicas,
      bus: new NatsBus(nats, prefix, clock),
      node: id,
      clock,
      log,
      members: () => node?.members() ?? [id],
      alone: !options.cluster || options.cluster.alone === true,
    })
    try {
      await road.start()
      await within(LIVE_MS, live.start())
    } catch (error) {
      await within(1000, nats.close())
      throw error
    }
    node = await Node.startWith(id, options, {
      store: new PostgresStore(database),
      broker: nats,
      road,
      announcer: live,
    })
    node.#live = live
    return node
  }

  /** Starts a node on what it is given. */
  static async startWith(id: string, options: NodeOptions, ports: NodePorts): Promise<Node> {
    const node = new Node(id, options, ports)
    try {
      await node.#start()
    } catch (error) {
      await node.stop(0)
      throw error
    }
    return node
  }

  async #start(): Promise<void> {
    const { prefix = 'parley', kinds, idle_ms = 60_000, cluster, inlet_limit, road_only = false } = this.#options
    const { store, broker, road, announcer } = this.#ports
    const [clock, log] = [this.#clock, this.#log]
    this.#partitions = await store.layOut(this.#options.partitions ?? 64)
    this.#full = new FullReceivers(this.#bus, clock, this.#partitions)
    await this.#full.start()
    this.#timers = new Timers({
      store,
      clock,
      log,
      fire: ({ partition, address, name, due, message }) =>
        this.#stage.deliver(address, partition, { message, origin: 'timer', timer: { name, due }, attempts: 0 }),
    })
    this.#stage = new Stage({
      database: this.#options.database,
      store,
      kinds,
      clock,
      log,
      partitions: this.#partitions,
      idle_ms,
      isShort: this.#options.isShort ?? isHeapFull,
      epoch: (partition) => this.#epochs.get(partition),
      inlet: (partition) => this.#holdings.inlet(partition),
      // The lane tells the stage, and the stage pushes to the lane.
      push: (part) => this.#lane.push(part),
      timers: this.#timers,
      send: (sent, source) => this.#dispatch.send(sent, source),
      say: (words) => announcer.say(words),
      surroundings: {
        isWatched: (channel) => announcer.isWatched(channel),
        isFull: (address) => this.#full.isFull(address),
        setFull: (address, partition, is_full) => this.#full.set(address, partition, is_full),
      },
      tell: (address, message) => this.#asks.tell(address, message, Number.POSITIVE_INFINITY),
      leased: () => this.#isLeased,
      moved: (partition, epoch) => void this.#holdings.check(partition, epoch),
      rewound: (lost) => this.#rewound(lost),
    })
    this.#lane = new Lane(store, this.id, this.#stage, clock, log)
    this.#line = new AskLine(broker, prefix, log, clock, () => this.#isLeased)
    this.#asks = new Asks({
      node: this.id,
      partitions: this.#partitions,
      clock,
      line: this.#line,
      stage: this.#stage,
      lane: this.#lane,
      isHere: (partition) => this.#epochs.has(partition),
      isReachable: () => road.up,
      // In a cluster the next owner answers; alone there is none.
      isOver: () => this.#stopping && !this.#balance,
    })
    void this.#watchBroker()
    this.#holdings = new Holdings(this.#epochs, {
      node: this.id,
      store,
      clock,
      road,
      line: this.#line,
      stage: this.#stage,
      timers: this.#timers,
      lane: this.#lane,
      log,
      full: this.#full,
      inlet_limit: inlet_limit ?? Math.max(500, Math.ceil(INLETS_LIMIT / this.#partitions)),
      answering: {
        peek: (address, message) => this.#stage.peek(address, message),
        answer: (address, message, deadline_ms) => this.#asks.answer(address, message, deadline_ms),
      },
      by_hand: cluster === undefined,
    })
    this.#dispatch = new Dispatch({
      road,
      inlet: (partition) => this.#holdings.inlet(partition),
      leased: () => this.#isLeased,
      road_only,
    })
    this.#forgetRewinds = store.onRewound(() => this.#rewound())
    this.#timers.start(() => this.#epochs.keys())
    if (cluster) await this.#join(prefix)
    else await this.#seize()
    this.#holdings.start()
  }

  async #join(prefix: string): Promise<void> {
    const { store, broker, announcer } = this.#ports
    const [clock, log, node] = [this.#clock, this.#log, this.id]
    const beacon = new Beacon(broker, { prefix, node, clock, log })
    const membership = new Membership({
      node,
      store,
      clock,
      log,
      changed: (members) => {
        this.#options.cluster?.changed?.(members)
        this.#balance?.changed()
      },
      ended: (nodes) => this.#balance?.announceEnd(nodes),
    })
    const lease = new Lease({
      node,
      store,
      clock,
      log,
      facts: () => this.#facts(),
      renewed: (renewal, sent, answered) => {
        clock.learn?.({ sent, received: answered, database_ms: renewal.now })
        membership.renewed(renewal, sent, answered)
        this.#stage.leaseRenewed()
      },
      ended: () => {
        this.#left_source = this.#lane.source
        this.#holdings.dropAll()
        this.#lane.beginAnew()
        announcer.tear()
      },
    })
    this.#beacon = beacon
    this.#membership = membership
    this.#lease = lease
    this.#balance = new Balance({
      node,
      store,
      broker,
      prefix,
      membership,
      holdings: this.#holdings,
      epochs: this.#epochs,
      clock,
      log,
      leased: () => lease.is_valid,
      confirm: async () => this.#options.cluster?.confirm?.(),
      taken: () => announcer.tear(),
    })
    await beacon.start()
    broker.subscribe(`${prefix}.node.drain.${node}`, {
      callback: (error, request) => {
        if (error) return
        request.respond('')
        log.info({}, 'draining: the partitions of this node go to others')
        this.#leaving = true
        lease.hurry()
      },
    })
    if (this.#options.cluster?.alone) await store.endOthers(node)
    await lease.start()
    await membership.read()
    await this.#balance.start()
  }

  #facts(): NodeFacts {
    return {
      leaving: this.#leaving,
      broker: this.#beacon?.heard ?? null,
      started_at: this.#started_at,
      host: HOST,
      pid: process.pid,
      backlog: this.#holdings.stats().waiting,
      files: this.#options.cluster?.files,
    }
  }

  /** The nodes that hold leases. */
  members(): string[] {
    return this.#membership?.members().map(({ id }) => id) ?? [this.id]
  }

  /** Whether nobody can have taken a partition from this node. */
  get #isLeased(): boolean {
    if (!this.#lease || this.#options.cluster?.alone) return true
    return this.#lease.is_valid
  }

  /** Nothing that this node remembers may be believed: the database does not know all of it any more. */
  #rewound(lost?: Lost): void {
    this.#log.error({ node: this.id, ...lost }, LOST)
    // To be reported, and no more: this lost range belongs to memory thrown away before.
    if (lost && lost.source === this.#left_source) return
    this.#left_source = this.#lane.source
    if (this.#lease) {
      this.#lease.revoke()
      return
    }
    this.#holdings.dropAll()
    this.#seize().catch((error) => this.#log.error({ error }, 'the partitions could not be taken again'))
  }

  #seize(): Promise<void> {
    return this.#holdings.seize(this.#options.take ?? Array.from({ length: this.#partitions }, (_, i) => i))
  }

  async #watchBroker(): Promise<void> {
    const { broker, road } = this.#ports
    for await (const status of broker.status()) {
      if (status.type === 'disconnect') {
        road.up = false
        this.#log.warn({}, 'the broker is away; messages between actors go through the outbox alone')
      } else if (status.type === 'reconnect') {
        road.up = true
        this.#log.info({}, 'the broker is back')
        this.#holdings?.mendAll()
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
    return this.#stage.peek(address, message) as ReplyOf<P, M['type']> | undefined
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
    await this.#membership?.read()
    const partitions = await readPartitions(this.#options.database)
    const counts = new Map<string | null, number>()
    for (const { owner } of partitions) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    const members = this.#membership?.members() ?? [{ ...this.#facts(), id: this.id }]
    const nodes = members.map(({ broker, ...facts }) => ({
      ...facts,
      is_connected: !this.#membership?.isApart(facts.id),
      partitions: counts.get(facts.id) ?? 0,
    }))
    return { nodes, partitions }
  }

  async drain(node: string): Promise<boolean> {
    if (!/^[0-9a-f]{12}$/.test(node)) return false
    const subject = `${this.#options.prefix ?? 'parley'}.node.drain.${node}`
    return this.#ports.broker.request(subject, '', { timeout: 2000 }).then(
      () => true,
      () => false,
    )
  }

  /** The partition of an address in this cluster. */
  partitionOf(address: string): number {
    return partitionOf(address, this.#partitions)
  }

  /** What is said live. */
  get live(): LiveFeeds {
    return this.#live!
  }

  /** For words between nodes that need not arrive. */
  get bus(): Bus {
    return this.#bus
  }

  /** Whether database, broker and commits can be used right now, with a sentence for each that cannot. */
  async readiness(): Promise<{ ok: boolean; checks: Record<string, string> }> {
    const checks: Record<string, string> = {}
    try {
      // A question would wait for as long as the silence lasts.
      if (this.#lease?.answers === false) throw new Error('PostgreSQL does not renew the lease of this node')
      await this.#options.database.execute('select 1')
      checks.database = 'ok'
    } catch (error) {
      checks.database = (error as Error).message
    }
    const heard = this.#beacon === undefined || this.#beacon.heard !== null
    checks.broker = this.#ports.road.up && heard ? 'ok' : 'not connected'
    checks.partitions = this.#isServing ? 'ok' : 'no partition is owned here'
    const waiting_ms = this.#lane.waiting_ms
    checks.lane = waiting_ms < STUCK_MS ? 'ok' : `a commit has been waiting for ${Math.round(waiting_ms / 1000)} s`
    if (this.#stopping) checks.node = 'shutting down'
    return { ok: Object.values(checks).every((check) => check === 'ok'), checks }
  }

  /** A node beyond the number of partitions owns none, and still serves requests. */
  get #isServing(): boolean {
    if (this.#epochs.size > 0) return true
    const able = this.#membership?.able() ?? []
    return able.length > this.#partitions && able.some(({ id }) => id === this.id)
  }

  /** Counters for metrics and benchmarks. */
  stats() {
    const { road, announcer } = this.#ports
    return {
      partitions: this.#epochs.size,
      resident: this.#stage.resident,
      timers: this.#timers.armed,
      stage: this.#stage.stats,
      road: road.stats,
      short_way: this.#dispatch.stats,
      live: announcer.stats,
      lane: { source: this.#lane.source, ...this.#lane.stats },
      inlets: this.#holdings.stats(),
    }
  }

  /**
   * Graceful leave: no new asks, the turns under way finish, the partitions are given up. `ms` bounds each wait, `calls_ms`
   * that for calls that must not be cut short.
   */
  stop(ms = 5000, calls_ms = ms): Promise<void> {
    this.#stopped ??= this.#stop(ms, calls_ms)
    return this.#stopped
  }

  async #stop(ms: number, calls_ms: number): Promise<void> {
    const { store, broker, road, announcer } = this.#ports
    const [clock, lane] = [this.#clock, this.#lane]
    this.#stopping = true
    this.#leaving = true
    this.#lease?.hurry()
    if (this.#balance) {
      await within(ms, this.#balance.leave(), clock)
      for (const end = clock.monotonic() + ms; this.#asks.waiting > 0 && clock.monotonic() < end; )
        await sleep(clock, 5)
    }
    this.#timers?.stop()
    this.#holdings?.closeInlets()
    await this.#stage?.drain(ms)
    await within(calls_ms, this.#stage?.calls(), clock)
    lane?.stop()
    await within(ms, lane?.flush(), clock)
    this.#stage?.stop()
    await this.#line?.stop()
    announcer.stop()
    if (road.up) await within(1000, broker.flush(), clock)
    await within(1000, road.stop(), clock)
    const held = [...this.#epochs].map(([id, epoch]) => ({ id, epoch }))
    await within(ms, store.release(this.id, held), clock)
    this.#epochs.clear()
    await within(ms, this.#lease?.end(), clock)
    this.#balance?.announceEnd([this.id])
    this.#forgetRewinds()
    this.#beacon?.stop()
    this.#full?.stop()
    this.#membership?.stop()
    if (road.up) await within(1000, broker.flush(), clock)
    await within(1000, broker.close(), clock)
  }
}
