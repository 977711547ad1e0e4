/**
 * A node: the partitions it owns, the actors on its stage, the lanes that commit for them and the road between nodes.
 *
 * `ask` is for a caller that waits, `tell` for what must happen. Both find the owner of the address; neither cares where
 * it is.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Database } from '../storage/mod.ts'
import type { ActorKind, Message, MessageOf, Protocol, ReplyOf } from './actor.ts'
import { type Address, checkAddress, partitionOf } from './address.ts'
import { AskLine, type Question } from './ask_line.ts'
import { Balance } from './balance.ts'
import { type Bus, NatsBus } from './bus.ts'
import type { Entry } from './cell.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Cluster, type ClusterStatus, readPartitions } from './cluster.ts'
import { DatabaseWatch } from './database_watch.ts'
import { Dispatch } from './dispatch.ts'
import { Holdings } from './holdings.ts'
import { Lane } from './lane.ts'
import { Live, type LiveFeeds } from './live/live.ts'
import { type Log, silentLog } from './log.ts'
import { type Beat, Membership } from './membership.ts'
import { layOutPartitions, releasePartitions, sweepLanes } from './ownership.ts'
import { Part } from './part.ts'
import { Pulse } from './pulse.ts'
import { Moved, Unavailable } from './refusal.ts'
import { Road } from './road.ts'
import { natsOptions } from './servers/nats_options.ts'
import { untilThere } from './servers/until_there.ts'
import { Stage } from './stage.ts'
import { Timers } from './timers.ts'
import { within } from './within.ts'

const ASK_DEADLINE_MS = 10_000
const MOVED_RETRY_MS = 25
/** While the broker is away, when many may wait. */
const AWAY_RETRY_MS = 200
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
    /** Relative to the other nodes. Default 1. */
    capacity?: number
    /** True when no other node can be there, because the servers are this node's own: nobody is waited for. */
    alone?: boolean
    /** Which store of files this node uses, for the others to compare. */
    files?: string | undefined
    /** Called before partitions are taken; rejects when this node must not, because it could not work for them. */
    confirm?(): Promise<void>
    /** Told of the living nodes when one comes, goes or changes. */
    changed?(nodes: Beat[]): void
  }
  /** Aborted when nobody wants the node any more: a start that waits for NATS then rejects with its reason. */
  given_up?: AbortSignal | undefined
  /** Commit lanes. Default 1. */
  lanes?: number
  /** Replicas of the streams. Default 1. */
  replicas?: number
  idle_ms?: number
  /** Messages to partitions of this very node take the road too. Slower; for tests of the road. */
  road_only?: boolean
  /** Most messages of a partition in memory and not yet settled. Default its share of 100 000. */
  inlet_limit?: number
  clock?: Clock
  log?: Log
}

/** What the rooms above see of a node. */
export interface Runtime {
  readonly id: string
  /** For words between nodes that need not arrive. */
  readonly bus: Bus
  /** Sends a message and waits for its reply, which comes after the commit. Rejects with `Refusal` or `Unavailable`. */
  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options?: AskOptions,
  ): Promise<ReplyOf<P, M['type']>>
  /** The reply at once when the actor is here, in memory and answers without a commit; else undefined: use `ask`. */
  tryAsk<P extends Protocol, M extends MessageOf<P>>(address: Address<P>, message: M): ReplyOf<P, M['type']> | undefined
  /** Whether this node answers for the address itself, as far as it knows. */
  isHere(address: string): boolean
  /** Durable once resolved, applied once, later. Rejects with `Unavailable` when it may or may not have become so. */
  tell<P extends Protocol>(address: Address<P>, message: MessageOf<P>, options?: AskOptions): Promise<void>
}

export type AskOptions = {
  /** How long the caller waits, in milliseconds from now. Default 10 000. */
  deadline_ms?: number
  /**
   * Doing it twice has the effect of doing it once. Then the next owner answers when an owner is lost with the question;
   * otherwise the caller hears `Unavailable`, because nobody knows whether it was done. Default false.
   */
  repeatable?: boolean
}

export class Node implements Runtime, Cluster {
  readonly id = randomBytes(6).toString('hex')
  readonly #options: NodeOptions
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #epochs = new Map<number, number>()
  readonly #started_at = Date.now()
  #partitions = 0
  #nats: NatsConnection | undefined
  #road!: Road
  #bus!: NatsBus
  #line!: AskLine
  #live!: Live
  #stage!: Stage
  #timers!: Timers
  #holdings: Holdings | undefined
  #dispatch!: Dispatch
  #membership: Membership | undefined
  #watch: DatabaseWatch | undefined
  #pulse: Pulse | undefined
  #balance: Balance | undefined
  #leaving = false
  #questions = 0
  /** Asks of this node that are not answered yet. */
  #asking = 0
  #stopped: Promise<void> | undefined
  #lanes: Lane[] = []
  #stopping = false

  private constructor(options: NodeOptions) {
    this.#options = options
    this.#database = options.database
    this.#clock = options.clock ?? systemClock
    this.#log = options.log ?? silentLog
  }

  /** Starts a node: connects, takes its partitions, takes up what the outbox and the timers hold. */
  static async start(options: NodeOptions): Promise<Node> {
    const node = new Node(options)
    try {
      await node.#start()
    } catch (error) {
      await node.stop(0)
      throw error
    }
    return node
  }

  async #start(): Promise<void> {
    const { database, nats_url, prefix = 'parley', replicas = 1, lanes = 1 } = this.#options
    this.#partitions = await layOutPartitions(database, this.#options.partitions ?? 64)
    await sweepLanes(database)
    const options = {
      ...natsOptions(nats_url),
      name: `parley ${this.id}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      pingInterval: 5000,
      maxPingOut: 2,
      ignoreClusterUpdates: false,
      noAsyncTraces: true,
    }
    const nats = await untilThere('the NATS of NATS_URL', () => connect(options), this.#log, this.#options.given_up)
    this.#nats = nats
    this.#bus = new NatsBus(nats, prefix)
    this.#live = new Live({
      nats,
      prefix,
      replicas,
      bus: this.#bus,
      node: this.id,
      clock: this.#clock,
      log: this.#log,
      members: () => this.#membership?.alive().map(({ id }) => id) ?? [this.id],
      alone: !this.#options.cluster || this.#options.cluster.alone === true,
    })
    this.#road = new Road(nats, { prefix, replicas, log: this.#log })
    await this.#road.start()
    await within(LIVE_MS, this.#live.start())
    this.#timers = new Timers({
      database,
      clock: this.#clock,
      log: this.#log,
      fire: ({ partition, address, name, due, message }) =>
        this.#stage.deliver(address, partition, { message, origin: 'timer', timer: { name, due }, attempts: 0 }),
    })
    this.#stage = new Stage({
      database,
      kinds: this.#options.kinds,
      clock: this.#clock,
      log: this.#log,
      partitions: this.#partitions,
      idle_ms: this.#options.idle_ms ?? 60_000,
      epoch: (partition) => this.#epochs.get(partition),
      lane: (partition) => this.#lanes[partition % this.#lanes.length]!,
      timers: this.#timers,
      send: (sent, source) => this.#dispatch.send(sent, source),
      say: (words) => this.#live.say(words),
      isWatched: (channel) => this.#live.isWatched(channel),
      tell: (address, message) => this.#tell(address, message, Number.POSITIVE_INFINITY),
      certain: () => this.#certain,
      moved: (partition, epoch) => void this.#holdings!.check(partition, epoch),
    })
    for (let i = 0; i < lanes; i++) {
      this.#lanes.push(new Lane(database, this.id, this.#stage, this.#clock, this.#log))
    }
    this.#line = new AskLine(nats, prefix, this.#log)
    void this.#watchBroker(nats)
    const holdings = new Holdings(this.#epochs, {
      node: this.id,
      database,
      road: this.#road,
      line: this.#line,
      stage: this.#stage,
      timers: this.#timers,
      lanes: this.#lanes,
      log: this.#log,
      inlet_limit: this.#options.inlet_limit ?? Math.max(500, Math.ceil(INLETS_LIMIT / this.#partitions)),
      answering: {
        peek: (address, message) => this.#stage.peek(address, message),
        answer: (address, message, deadline_ms) => this.#askHere(address, message, deadline_ms),
      },
    })
    this.#holdings = holdings
    this.#dispatch = new Dispatch({
      road: this.#road,
      inlet: (partition) => holdings.inlet(partition),
      certain: () => this.#certain,
      road_only: this.#options.road_only ?? false,
    })
    if (this.#options.cluster) await this.#join(nats, prefix, holdings)
    else await holdings.take(this.#options.take ?? Array.from({ length: this.#partitions }, (_, i) => i))
    this.#timers.start(() => this.#epochs.keys())
    holdings.start()
  }

  async #join(nats: NatsConnection, prefix: string, holdings: Holdings): Promise<void> {
    const membership = new Membership(nats, {
      prefix,
      clock: this.#clock,
      log: this.#log,
      id: this.id,
      self: () => this.#beat(),
      changed: () => {
        this.#options.cluster?.changed?.(membership.alive())
        void this.#balance?.look()
      },
    })
    this.#membership = membership
    const watch = new DatabaseWatch({
      database: this.#database,
      clock: this.#clock,
      log: this.#log,
      othersAnswered: () => membership.alive().some(({ id, without_database }) => id !== this.id && !without_database),
      changed: () => {
        membership.beat()
        void this.#balance?.look()
      },
      cutOff: () => {
        if (this.#epochs.size > 0)
          this.#log.warn({}, 'cut off from PostgreSQL: others take the partitions of this node')
        for (const partition of [...this.#epochs.keys()]) holdings.drop(partition)
      },
    })
    this.#watch = watch
    this.#balance = new Balance({
      node: this.id,
      database: this.#database,
      nats,
      prefix,
      membership,
      watch,
      holdings,
      epochs: this.#epochs,
      clock: this.#clock,
      log: this.#log,
      alone: this.#options.cluster?.alone ?? false,
      confirm: async () => this.#options.cluster?.confirm?.(),
      taken: () => this.#live.tear(),
    })
    this.#pulse = new Pulse(() => void holdings.verify())
    membership.start()
    watch.start()
    nats.subscribe(`${prefix}.node.drain.${this.id}`, {
      callback: (error, request) => {
        if (error) return
        request.respond('')
        this.#log.info({}, 'draining: the partitions of this node go to others')
        this.#leaving = true
        membership.beat()
        void this.#balance?.look()
      },
    })
    await this.#balance.start()
  }

  #beat(): Beat {
    return {
      id: this.id,
      capacity: this.#options.cluster?.capacity ?? 1,
      leaving: this.#leaving,
      without_database: this.#watch?.answers === false,
      started_at: this.#started_at,
      host: hostname(),
      pid: process.pid,
      partitions: this.#epochs.size,
      backlog: this.#holdings?.stats().waiting ?? 0,
      files: this.#options.cluster?.files,
    }
  }

  /** Whether what this node believes to own can only have been taken from it with its knowledge. */
  get #certain(): boolean {
    if (!this.#membership || this.#options.cluster?.alone) return true
    // After a stand-still the partitions may be others': not before the database has said whose they are.
    if (this.#holdings!.verified_at < this.#pulse!.resumed_at) return false
    return this.#membership.connected && !this.#watch!.isCutOff
  }

  async #watchBroker(nats: NatsConnection): Promise<void> {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') {
        this.#road.up = false
        this.#log.warn({}, 'the broker is away; messages between actors go through the outbox alone')
      } else if (status.type === 'reconnect') {
        this.#road.up = true
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
    const deadline = this.#clock.now() + (options.deadline_ms ?? ASK_DEADLINE_MS)
    const id = `${this.id}.${++this.#questions}`
    const question = { id, address, message, repeatable: options.repeatable ?? false, unanswered: false }
    this.#asking++
    return this.#ask(question, deadline).finally(() => {
      this.#asking--
    }) as Promise<ReplyOf<P, M['type']>>
  }

  async #ask(question: Question, deadline: number): Promise<unknown> {
    const { address, message } = question
    const partition = partitionOf(address, this.#partitions)
    for (;;) {
      // In a cluster the next owner answers; alone there is none.
      if (this.#stopping && !this.#balance) throw new Unavailable('This node is shutting down.')
      try {
        if (this.#epochs.has(partition)) return await this.#askLocal(address, partition, message, deadline)
        // What waits for a broker in a buffer would be done long after its caller has gone.
        if (!this.#road.up) throw new Moved()
        return await this.#line.ask(partition, question, deadline - this.#clock.now())
      } catch (error) {
        if (!(error instanceof Moved)) throw error
        if (this.#clock.now() + MOVED_RETRY_MS >= deadline) throw new Unavailable('Nobody answers for this right now.')
        const wait_ms = this.#road.up ? MOVED_RETRY_MS : AWAY_RETRY_MS
        await new Promise<void>((resolve) => this.#clock.after(wait_ms, resolve))
      }
    }
  }

  #askLocal(address: string, partition: number, message: Message, deadline: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#stage.deliver(address, partition, { message, origin: 'ask', deadline, resolve, reject, attempts: 0 })
    })
  }

  async #askHere(address: string, message: Message, deadline_ms: number): Promise<unknown> {
    checkAddress(address)
    const partition = partitionOf(address, this.#partitions)
    if (!this.#epochs.has(partition)) throw new Moved()
    return this.#askLocal(address, partition, message, this.#clock.now() + deadline_ms)
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
    return this.#tell(address, message, this.#clock.now() + deadline_ms)
  }

  #tell(address: string, message: Message, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const part = new Part(null, new Date(this.#clock.now()), undefined, this.#partitions)
      part.tell(address, message)
      const entry: Entry = { message, origin: 'ask', attempts: 0, deadline, resolve: () => resolve(), reject }
      part.entries.push(entry)
      part.replies.push(undefined)
      this.#stage.expect(entry)
      this.#lanes[part.sends[0]!.partition % this.#lanes.length]!.push(part)
    })
  }

  async status(): Promise<ClusterStatus> {
    const nodes = this.#membership?.alive() ?? [this.#beat()]
    return { nodes, partitions: await readPartitions(this.#database) }
  }

  async drain(node: string): Promise<boolean> {
    if (!this.#nats || !/^[0-9a-f]{12}$/.test(node)) return false
    const subject = `${this.#options.prefix ?? 'parley'}.node.drain.${node}`
    return this.#nats.request(subject, '', { timeout: 2000 }).then(
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
    return this.#live
  }

  /** For words between nodes that need not arrive. */
  get bus(): Bus {
    return this.#bus
  }

  /** Whether log, database and broker can be used right now, with a sentence for each that cannot. */
  async readiness(): Promise<{ ok: boolean; checks: Record<string, string> }> {
    const checks: Record<string, string> = {}
    try {
      // A question would wait for as long as the silence lasts.
      if (this.#watch?.answers === false) throw new Error('PostgreSQL does not answer')
      await this.#database.execute('select 1')
      checks.database = 'ok'
    } catch (error) {
      checks.database = (error as Error).message
    }
    const heard = this.#membership?.connected ?? true
    checks.broker = this.#road.up && heard ? 'ok' : 'not connected'
    checks.log = this.#epochs.size > 0 ? 'ok' : 'no partition is owned here'
    if (this.#stopping) checks.node = 'shutting down'
    return { ok: Object.values(checks).every((check) => check === 'ok'), checks }
  }

  /** Counters for metrics and benchmarks. */
  stats() {
    const lanes = this.#lanes.map((lane) => ({ source: lane.source, ...lane.stats }))
    const inlets = this.#holdings?.stats() ?? { repeats: 0, gaps: 0, healed: 0, waiting: 0 }
    return {
      partitions: this.#epochs.size,
      resident: this.#stage.resident,
      stage: this.#stage.stats,
      road: this.#road.stats,
      short_way: this.#dispatch.stats,
      live: this.#live.stats,
      lanes,
      inlets,
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
    this.#stopping = true
    this.#leaving = true
    this.#membership?.beat()
    if (this.#balance) {
      await within(ms, this.#balance.leave())
      for (const end = Date.now() + ms; this.#asking > 0 && Date.now() < end; ) await pause(5)
    }
    this.#timers?.stop()
    this.#holdings?.closeInlets()
    await this.#stage?.drain(ms)
    await within(calls_ms, this.#stage?.calls())
    for (const lane of this.#lanes) lane.stop()
    await within(ms, Promise.all(this.#lanes.map((lane) => lane.flush())))
    this.#stage?.stop()
    await this.#line?.stop()
    this.#live?.stop()
    if (this.#nats && this.#road?.up) await within(1000, this.#nats.flush())
    await within(1000, this.#road?.stop())
    await within(ms, releasePartitions(this.#database, this.id, [...this.#epochs.keys()]))
    this.#epochs.clear()
    this.#membership?.stop()
    this.#watch?.stop()
    this.#pulse?.stop()
    if (this.#nats && this.#road?.up) await within(1000, this.#nats.flush())
    await within(1000, this.#nats?.close())
  }
}
