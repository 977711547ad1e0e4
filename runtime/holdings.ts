/**
 * The partitions a node holds: taking them, letting go of them in order, losing them, and watching over what should have
 * arrived in them.
 *
 * A partition is held from the moment its epoch is known here until it is released or found to be somebody else's. Held,
 * it has an inlet, a reader on the road and an open line for asks.
 */
import type { Database } from '../storage/mod.ts'
import type { Answering, AskLine } from './ask_line.ts'
import { Inlet } from './inlet.ts'
import type { Lane } from './lane.ts'
import type { Log } from './log.ts'
import { readEpochs, releasePartitions, takePartitions } from './ownership.ts'
import type { Road } from './road.ts'
import type { Stage } from './stage.ts'
import type { Timers } from './timers.ts'

const SWEEP_MS = 1000
/** How long the turns and the slow work of a partition may take to end before it is given away. */
const RELEASE_MS = 150

type HoldingsOptions = {
  node: string
  database: Database
  road: Road
  line: AskLine
  stage: Stage
  timers: Timers
  lanes: readonly Lane[]
  log: Log
  inlet_limit: number
  answering: Answering
}

export class Holdings {
  readonly #options: HoldingsOptions
  readonly #epochs: Map<number, number>
  readonly #inlets = new Map<number, Inlet>()
  /** Counts of inlets that are gone, so that no counter ever falls. */
  readonly #past = { repeats: 0, gaps: 0, healed: 0 }
  #sweeper: NodeJS.Timeout | undefined
  #lagging = new Map<string, number>()
  #sweeping = false
  /** As of when what is held is known to be this node's, by `performance.now()`. */
  verified_at = 0

  /** `epochs` is shared with those who ask for them: the stage and the lanes. */
  constructor(epochs: Map<number, number>, options: HoldingsOptions) {
    this.#epochs = epochs
    this.#options = options
  }

  start(): void {
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS)
    this.#sweeper.unref()
  }

  /** Takes partitions, whoever has them, and takes up what their outbox and timers hold. */
  async take(partitions: number[]): Promise<void> {
    const { node, database, lanes, road, line, stage, timers, log, inlet_limit } = this.#options
    const epochs = await takePartitions(database, node, partitions)
    for (const lane of lanes) lane.renew()
    await Promise.all(
      [...epochs].map(async ([partition, epoch]) => {
        const inlet = new Inlet(partition, {
          database,
          log,
          limit: inlet_limit,
          deliver: (arrived) => stage.deliver(arrived.address, partition, { ...arrived, origin: 'tell', attempts: 0 }),
        })
        this.#inlets.set(partition, inlet)
        this.#epochs.set(partition, epoch)
        // Callers need the epoch alone; they do not wait for the reader.
        line.open(partition, this.#options.answering)
        // The reader stands before the outbox is read: what is committed in between comes by the road.
        await road.reopen(partition, (batch) => inlet.receive(batch))
      }),
    )
    for (const partition of epochs.keys()) this.#inlets.get(partition)?.heal()
    await timers.scan(partitions, (address, partition) =>
      stage.deliver(address, partition, { message: { type: 'wake' }, origin: 'self', attempts: 0 }),
    )
  }

  /** The inlet of a partition that is held and not being given up. */
  inlet(partition: number): Inlet | undefined {
    const inlet = this.#inlets.get(partition)
    return inlet?.is_closed ? undefined : inlet
  }

  /**
   * Gives partitions up in order: nothing new comes in, the turns under way end, the rows say that nobody owns them.
   * Callers meanwhile hear `Moved` and ask the next owner.
   */
  async release(partitions: number[]): Promise<void> {
    const { node, database, stage, line, timers } = this.#options
    const held = partitions.filter((partition) => this.#epochs.has(partition))
    for (const partition of held) {
      this.#inlets.get(partition)?.close()
      line.close(partition)
      timers.forget(partition)
    }
    await stage.quiet(new Set(held), RELEASE_MS)
    for (const partition of held) this.drop(partition)
    await releasePartitions(database, node, held)
  }

  /** Lets go of a partition that is not, or not any more, this node's. */
  drop(partition: number): void {
    if (!this.#epochs.delete(partition)) return
    const inlet = this.#inlets.get(partition)
    if (inlet) {
      inlet.close()
      add(this.#past, inlet.stats)
    }
    this.#inlets.delete(partition)
    this.#options.line.close(partition)
    void this.#options.road.close(partition)
    this.#options.timers.forget(partition)
    this.#options.stage.lost(partition)
  }

  /** A commit was refused by the fence: finds out what was lost and lets go of it. */
  async check(partition: number, epoch: number | undefined): Promise<void> {
    if (epoch === undefined || this.#epochs.get(partition) !== epoch) return
    this.drop(partition)
    await this.verify()
  }

  /** Finds out what was lost. Never rejects: what failed is done again by the next sweep. */
  async verify(): Promise<void> {
    try {
      await this.#dropLost()
    } catch (error) {
      this.#options.log.warn({ error: (error as Error).message }, 'reading the epochs failed')
    }
  }

  /** Lets go of what is not, or not any more, this node's, as the database has it. */
  async #dropLost(): Promise<void> {
    // What is taken while the epochs are read is not in what was read.
    const held = [...this.#epochs]
    const at = performance.now()
    const stored = await readEpochs(this.#options.database)
    for (const [id, epoch] of held) if (this.#epochs.get(id) === epoch && stored.get(id) !== epoch) this.drop(id)
    this.verified_at = at
  }

  /** After the broker was away: every reader stands anew. */
  mendAll(): void {
    for (const inlet of this.#inlets.values()) this.#mend(inlet)
  }

  /** Nothing more is taken in; what has not been stays in the outbox. */
  closeInlets(): void {
    clearInterval(this.#sweeper)
    for (const inlet of this.#inlets.values()) inlet.close()
  }

  stats() {
    const stats = { ...this.#past, waiting: 0 }
    for (const inlet of this.#inlets.values()) {
      add(stats, inlet.stats)
      stats.waiting += inlet.waiting
    }
    return stats
  }

  /** The reader stands anew before the outbox is read, as at a takeover. */
  #mend(inlet: Inlet): void {
    const { road } = this.#options
    void road
      .reopen(inlet.partition, (batch) => inlet.receive(batch))
      .then(() => {
        if (this.#inlets.get(inlet.partition) === inlet) inlet.heal()
        else void road.close(inlet.partition)
      })
  }

  /**
   * Finds partitions that are others' by now (a node that was stopped would learn it from its next commit alone), messages
   * whose publish was lost with no later one to reveal the gap, and, as a last net, messages the inlet believes to have
   * passed on though they are still in the outbox and nothing waits.
   */
  async #sweep(): Promise<void> {
    if (this.#sweeping || this.#epochs.size === 0) return
    this.#sweeping = true
    try {
      await this.#dropLost()
      const idle = new Map<Inlet, number>()
      for (const inlet of this.#inlets.values()) if (inlet.open && inlet.waiting === 0) idle.set(inlet, inlet.arrived)
      const rows = await this.#options.database.execute(`
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
          const { partition } = inlet
          this.#options.log.warn({ partition, source, number: row.first }, 'a message was left behind')
          inlet.restart(source)
        } else if (Number(row.last) >= expected) this.#lag(inlet, source, expected, lagging)
      }
      this.#lagging = lagging
    } catch (error) {
      this.#options.log.debug({ error: (error as Error).message }, 'sweeping the outbox failed')
    } finally {
      this.#sweeping = false
    }
  }

  /** Without a road there is nothing to wait for; with one, it is given a sweep's time. */
  #lag(inlet: Inlet, source: number, expected: number, lagging: Map<string, number>): void {
    const { road } = this.#options
    const id = `${inlet.partition} ${source}`
    const heard = road.heard(inlet.partition)
    if (!road.up) inlet.heal()
    else if (this.#lagging.get(id) !== expected) lagging.set(id, expected)
    else if (heard) inlet.heal()
    else this.#mend(inlet)
  }
}

type Counted = { repeats: number; gaps: number; healed: number }

function add(to: Counted, { repeats, gaps, healed }: Counted): void {
  to.repeats += repeats
  to.gaps += gaps
  to.healed += healed
}
