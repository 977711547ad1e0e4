/**
 * A node: the partitions it owns, the actors on its stage, the lanes that commit for them and the road between nodes.
 *
 * `ask` is for a caller that waits, `tell` for what must happen. Both find the owner of the address; neither cares where
 * it is.
 */
import { randomBytes } from 'node:crypto'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Database } from '../storage/mod.ts'
import type { ActorKind, Message, MessageOf, Protocol, ReplyOf } from './actor.ts'
import { type Address, checkAddress, partitionOf } from './address.ts'
import { AskLine } from './ask_line.ts'
import type { Entry } from './cell.ts'
import { type Clock, systemClock } from './clock.ts'
import { Inlet } from './inlet.ts'
import { Lane } from './lane.ts'
import { type Log, silentLog } from './log.ts'
import { layOutPartitions, readEpochs, releasePartitions, sweepLanes, takePartitions } from './ownership.ts'
import { Part } from './part.ts'
import { Moved, Unavailable } from './refusal.ts'
import { Road } from './road.ts'
import { natsOptions } from './servers/nats_options.ts'
import { Stage } from './stage.ts'
import { Timers } from './timers.ts'

const ASK_DEADLINE_MS = 10_000
const SWEEP_MS = 1000
const MOVED_RETRY_MS = 25

export type NodeOptions = {
  database: Database
  nats_url: string
  kinds: ActorKind[]
  /** Stands before all subjects and streams of this cluster. Default `parley`. */
  prefix?: string
  /** Partitions of a new cluster. Default 64. */
  partitions?: number
  /** The partitions this node takes. Default all. */
  take?: number[]
  /** Commit lanes. Default 1. */
  lanes?: number
  /** Replicas of the streams. Default 1. */
  replicas?: number
  idle_ms?: number
  /** Most messages of a partition in memory and not yet settled. Default 10 000. */
  inlet_limit?: number
  clock?: Clock
  log?: Log
}

/** What the rooms above see of a node. */
export interface Runtime {
  readonly id: string
  /** Sends a message and waits for its reply, which comes after the commit. Rejects with `Refusal` or `Unavailable`. */
  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options?: AskOptions,
  ): Promise<ReplyOf<P, M['type']>>
  /** The reply at once when the actor is here, in memory and answers without a commit; else undefined: use `ask`. */
  tryAsk<P extends Protocol, M extends MessageOf<P>>(address: Address<P>, message: M): ReplyOf<P, M['type']> | undefined
  /** Durable once resolved, applied once, later. Rejects with `Unavailable` when it may or may not have become so. */
  tell<P extends Protocol>(address: Address<P>, message: MessageOf<P>, options?: AskOptions): Promise<void>
}

export type AskOptions = {
  /** How long the caller waits, in milliseconds from now. Default 10 000. */
  deadline_ms?: number
}

export class Node implements Runtime {
  readonly id = randomBytes(6).toString('hex')
  readonly #options: NodeOptions
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  readonly #epochs = new Map<number, number>()
  readonly #inlets = new Map<number, Inlet>()
  #partitions = 0
  #nats: NatsConnection | undefined
  #road!: Road
  #line!: AskLine
  #stage!: Stage
  #timers!: Timers
  #questions = 0
  #stopped: Promise<void> | undefined
  #lanes: Lane[] = []
  #sweeper: NodeJS.Timeout | undefined
  #lagging = new Map<string, number>()
  #sweeping = false
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
    const nats = await connect({
      ...natsOptions(nats_url),
      name: `parley ${this.id}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      pingInterval: 5000,
      maxPingOut: 2,
      ignoreClusterUpdates: false,
    })
    this.#nats = nats
    this.#road = new Road(nats, { prefix, replicas, log: this.#log })
    await this.#road.start()
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
      publish: (sent, source) => this.#road.publish(sent, source),
      moved: (partition, epoch) => void this.#checkOwnership(partition, epoch),
    })
    for (let i = 0; i < lanes; i++) {
      this.#lanes.push(new Lane(database, this.id, this.#stage, this.#clock, this.#log))
    }
    this.#line = new AskLine(nats, prefix, this.#log)
    void this.#watchBroker(nats)
    const take = this.#options.take ?? Array.from({ length: this.#partitions }, (_, i) => i)
    await this.#take(take)
    this.#timers.start(() => this.#epochs.keys())
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS)
    this.#sweeper.unref()
  }

  async #take(partitions: number[]): Promise<void> {
    const epochs = await takePartitions(this.#database, this.id, partitions)
    for (const lane of this.#lanes) lane.renew()
    await Promise.all(
      [...epochs].map(async ([partition, epoch]) => {
        const inlet = new Inlet(partition, {
          database: this.#database,
          log: this.#log,
          limit: this.#options.inlet_limit ?? 10_000,
          deliver: (arrived) =>
            this.#stage.deliver(arrived.address, partition, { ...arrived, origin: 'tell', attempts: 0 }),
        })
        this.#inlets.set(partition, inlet)
        this.#epochs.set(partition, epoch)
        // The reader stands before the outbox is read: what is committed in between comes by the road.
        await this.#road.reopen(partition, (batch) => inlet.receive(batch))
        this.#line.open(partition, (address, message, deadline_ms) => this.#askHere(address, message, deadline_ms))
      }),
    )
    for (const partition of epochs.keys()) this.#inlets.get(partition)!.heal()
    await this.#timers.scan(partitions, (address, partition) =>
      this.#stage.deliver(address, partition, { message: { type: 'wake' }, origin: 'self', attempts: 0 }),
    )
  }

  #drop(partition: number): void {
    if (!this.#epochs.delete(partition)) return
    this.#inlets.get(partition)?.close()
    this.#inlets.delete(partition)
    this.#line.close(partition)
    void this.#road.close(partition)
    this.#timers.forget(partition)
    this.#stage.lost(partition)
  }

  /** A commit was refused by the fence: finds out what was lost and lets go of it. */
  async #checkOwnership(partition: number, epoch: number | undefined): Promise<void> {
    if (epoch === undefined || this.#epochs.get(partition) !== epoch) return
    this.#drop(partition)
    try {
      const stored = await readEpochs(this.#database)
      for (const [id, epoch] of [...this.#epochs]) if (stored.get(id) !== epoch) this.#drop(id)
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'reading the epochs failed')
    }
  }

  async #watchBroker(nats: NatsConnection): Promise<void> {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') {
        this.#road.up = false
        this.#log.warn({}, 'the broker is away; messages between actors go through the outbox alone')
      } else if (status.type === 'reconnect') {
        this.#road.up = true
        this.#log.info({}, 'the broker is back')
        for (const inlet of this.#inlets.values()) this.#mend(inlet)
      }
    }
  }

  /** The reader stands anew before the outbox is read, as at a takeover. */
  #mend(inlet: Inlet): void {
    void this.#road
      .reopen(inlet.partition, (batch) => inlet.receive(batch))
      .then(() => {
        if (this.#inlets.get(inlet.partition) === inlet) inlet.heal()
        else void this.#road.close(inlet.partition)
      })
  }

  /**
   * Finds messages whose publish was lost with no later one to reveal the gap, and, as a last net, messages the inlet
   * believes to have passed on though they are still in the outbox and nothing waits.
   */
  async #sweep(): Promise<void> {
    if (this.#sweeping || this.#epochs.size === 0) return
    this.#sweeping = true
    const idle = new Map<Inlet, number>()
    for (const inlet of this.#inlets.values()) if (inlet.open && inlet.waiting === 0) idle.set(inlet, inlet.arrived)
    try {
      const rows = await this.#database.execute(`
        select p.id, l.source::text, first.number::text as first, last.number::text as last
        from unnest('{${[...this.#epochs.keys()]}}'::int[]) as p(id) cross join lane l
        cross join lateral (select number from outbox o
          where o.partition = p.id and o.source = l.source order by number limit 1) first
        cross join lateral (select number from outbox o
          where o.partition = p.id and o.source = l.source order by number desc limit 1) last`)
      const lagging = new Map<string, number>()
      for (const row of rows) {
        const source = Number(row.source)
        const inlet = this.#inlets.get(row.id as number)
        if (!inlet?.open) continue
        const expected = inlet.expected(source)
        if (Number(row.first) < expected && idle.get(inlet) === inlet.arrived && inlet.waiting === 0) {
          this.#log.warn({ partition: inlet.partition, source, number: row.first }, 'a message was left behind')
          inlet.restart(source)
        } else if (Number(row.last) >= expected) this.#lag(inlet, source, expected, lagging)
      }
      this.#lagging = lagging
    } catch (error) {
      this.#log.debug({ error: (error as Error).message }, 'sweeping the outbox failed')
    } finally {
      this.#sweeping = false
    }
  }

  /** Without a road there is nothing to wait for; with one, it is given a sweep's time. */
  #lag(inlet: Inlet, source: number, expected: number, lagging: Map<string, number>): void {
    const id = `${inlet.partition} ${source}`
    const heard = this.#road.heard(inlet.partition)
    if (!this.#road.up) inlet.heal()
    else if (this.#lagging.get(id) !== expected) lagging.set(id, expected)
    else if (heard) inlet.heal()
    else this.#mend(inlet)
  }

  ask<P extends Protocol, M extends MessageOf<P>>(
    address: Address<P>,
    message: M,
    options: AskOptions = {},
  ): Promise<ReplyOf<P, M['type']>> {
    checkAddress(address)
    const deadline = this.#clock.now() + (options.deadline_ms ?? ASK_DEADLINE_MS)
    return this.#ask(address, message, deadline) as Promise<ReplyOf<P, M['type']>>
  }

  async #ask(address: string, message: Message, deadline: number): Promise<unknown> {
    const partition = partitionOf(address, this.#partitions)
    const id = `${this.id}.${++this.#questions}`
    for (;;) {
      if (this.#stopping) throw new Unavailable('This node is shutting down.')
      try {
        if (this.#epochs.has(partition)) return await this.#askLocal(address, partition, message, deadline)
        return await this.#line.ask(partition, id, address, message, deadline - this.#clock.now())
      } catch (error) {
        if (!(error instanceof Moved)) throw error
        if (this.#clock.now() + MOVED_RETRY_MS >= deadline) throw new Unavailable('Nobody answers for this right now.')
        await new Promise<void>((resolve) => this.#clock.after(MOVED_RETRY_MS, resolve))
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
    const reply = this.#stage.peek(address, message)
    if (reply !== undefined) return reply
    return this.#askLocal(address, partition, message, this.#clock.now() + deadline_ms)
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
    return new Promise((resolve, reject) => {
      if (this.#stopping) throw new Unavailable('This node is shutting down.')
      const now = this.#clock.now()
      const part = new Part(null, new Date(now), undefined, this.#partitions)
      part.tell(address, message)
      const deadline = now + deadline_ms
      const entry: Entry = { message, origin: 'ask', attempts: 0, deadline, resolve: () => resolve(), reject }
      part.entries.push(entry)
      part.replies.push(undefined)
      this.#stage.expect(entry)
      this.#lanes[part.sends[0]!.partition % this.#lanes.length]!.push(part)
    })
  }

  /** Whether log, database and broker can be used right now, with a sentence for each that cannot. */
  async readiness(): Promise<{ ok: boolean; checks: Record<string, string> }> {
    const checks: Record<string, string> = {}
    try {
      await this.#database.execute('select 1')
      checks.database = 'ok'
    } catch (error) {
      checks.database = (error as Error).message
    }
    checks.broker = this.#road.up ? 'ok' : 'not connected'
    checks.log = this.#epochs.size > 0 ? 'ok' : 'no partition is owned here'
    if (this.#stopping) checks.node = 'shutting down'
    return { ok: Object.values(checks).every((check) => check === 'ok'), checks }
  }

  /** Counters for metrics and benchmarks. */
  stats() {
    const lanes = this.#lanes.map((lane) => ({ source: lane.source, ...lane.stats }))
    const inlets = { repeats: 0, gaps: 0, healed: 0, waiting: 0 }
    for (const inlet of this.#inlets.values()) {
      inlets.repeats += inlet.stats.repeats
      inlets.gaps += inlet.stats.gaps
      inlets.healed += inlet.stats.healed
      inlets.waiting += inlet.waiting
    }
    return {
      partitions: this.#epochs.size,
      resident: this.#stage.resident,
      stage: this.#stage.stats,
      road: this.#road.stats,
      lanes,
      inlets,
    }
  }

  /** Graceful leave: no new asks, the turns under way finish, the partitions are given up. `ms` bounds the wait. */
  stop(ms = 5000): Promise<void> {
    this.#stopped ??= this.#stop(ms)
    return this.#stopped
  }

  async #stop(ms: number): Promise<void> {
    this.#stopping = true
    clearInterval(this.#sweeper)
    this.#timers?.stop()
    // What has not been taken in stays in the outbox.
    for (const inlet of this.#inlets.values()) inlet.close()
    await this.#stage?.drain(ms)
    for (const lane of this.#lanes) lane.stop()
    await within(ms, Promise.all(this.#lanes.map((lane) => lane.flush())))
    this.#stage?.stop()
    await this.#line?.stop()
    if (this.#nats && this.#road?.up) await within(1000, this.#nats.flush())
    await within(1000, this.#road?.stop())
    await within(ms, releasePartitions(this.#database, this.id, [...this.#epochs.keys()]))
    this.#epochs.clear()
    await this.#nats?.close().catch(() => {})
  }
}

/** Waits for `work`, but no longer than `ms`, and not for its success. */
async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.resolve(work).catch(() => {}), timeout])
  clearTimeout(timer)
}
