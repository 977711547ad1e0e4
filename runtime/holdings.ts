/**
 * The partitions a node holds: taking them, letting go of them in order, losing them, and watching over what should have
 * arrived in them.
 *
 * A partition is held from the moment its epoch is known here until it is released or found to be somebody else's. Held,
 * it has an inlet, a reader on the road and an open line for asks.
 */
import type { Answering, AskLine } from './ask_line.ts'
import type { Clock } from './clock.ts'
import type { FullReceivers } from './full_receivers.ts'
import { Inlet } from './inlet.ts'
import { type Lane, RETIRE_MS } from './lane.ts'
import type { Log } from './log.ts'
import type { Transport } from './ports.ts'
import type { Stage } from './stage.ts'
import type { Backlog, Store } from './store.ts'
import type { Timers } from './timers.ts'

const SWEEP_MS = 1000
const SWEEP_SHARE = 0.05
const LONGEST_PAUSE_MS = 10_000
/** Messages of a partition that wait in the outbox, beyond which senders refuse to add to them. */
const FULL = 100_000
/** How long the turns and the slow work of a partition may take to end before it is given away. */
const RELEASE_MS = 150

type HoldingsOptions = {
  node: string
  store: Store
  clock: Clock
  road: Transport
  line: AskLine
  stage: Stage
  timers: Timers
  lane: Lane
  log: Log
  full: FullReceivers
  inlet_limit: number
  answering: Answering
  /** Others may take partitions whatever leases say: the table has to be asked. */
  by_hand: boolean
}

export class Holdings {
  readonly #options: HoldingsOptions
  readonly #epochs: Map<number, number>
  readonly #inlets = new Map<number, Inlet>()
  /** Counts of inlets that are gone, so that no counter ever falls. */
  readonly #past = { repeats: 0, gaps: 0, healed: 0 }
  #cancelSweep: (() => void) | undefined
  #lagging = new Map<string, number>()
  #retired_at = Number.NEGATIVE_INFINITY
  /** Times that everything was let go of. */
  #drops = 0
  #stopped = false

  /** `epochs` is shared with those who ask for them: the stage and the lane. */
  constructor(epochs: Map<number, number>, options: HoldingsOptions) {
    this.#epochs = epochs
    this.#options = options
  }

  start(): void {
    this.#sweepLater(SWEEP_MS)
  }

  #sweepLater(ms: number): void {
    const { clock } = this.#options
    this.#cancelSweep = clock.after(ms, () => {
      const from = clock.monotonic()
      void this.#sweep().then((is_whole) => {
        // A sweep is to take a small share of the time, whatever it has to walk over. One that failed has waited, not walked.
        const took = is_whole ? clock.monotonic() - from : 0
        const pause = Math.max(SWEEP_MS, took / SWEEP_SHARE)
        if (!this.#stopped) this.#sweepLater(Math.min(pause, LONGEST_PAUSE_MS))
      })
    })
  }

  /**
   * Takes partitions that nobody holds, as they were seen, and takes up what their outbox and timers hold. Resolves to the
   * epochs of those that it got.
   */
  async take(partitions: readonly { id: number; epoch: number }[]): Promise<Map<number, number>> {
    const { node, store } = this.#options
    const drops = this.#drops
    const epochs = await store.take(node, partitions)
    // The lease under which they were taken has ended: others may have them by now.
    if (drops !== this.#drops) return new Map()
    await this.#hold(epochs, new Map(partitions.map(({ id, epoch }) => [id, epoch])))
    return epochs
  }

  /** Takes partitions, whoever has them. */
  async seize(partitions: readonly number[]): Promise<void> {
    const { node, store } = this.#options
    await this.#hold(await store.seize(node, partitions), new Map())
  }

  async #hold(epochs: Map<number, number>, former: Map<number, number>): Promise<void> {
    const { store, clock, lane, road, line, stage, timers, log, inlet_limit } = this.#options
    const partitions = [...epochs.keys()]
    lane.renew()
    await Promise.all(
      [...epochs].map(async ([partition, epoch]) => {
        const inlet = new Inlet(partition, {
          store,
          clock,
          log,
          limit: inlet_limit,
          deliver: (arrived) => stage.deliver(arrived.address, partition, { ...arrived, origin: 'tell', attempts: 0 }),
        })
        this.#inlets.set(partition, inlet)
        this.#epochs.set(partition, epoch)
        timers.forget(partition)
        // Callers need the epoch alone; they do not wait for the reader.
        line.open(partition, { epoch, former: former.get(partition) }, this.#options.answering)
        // The reader stands before the outbox is read: what is committed in between comes by the road.
        await road.reopen(partition, (batch) => inlet.receive(batch))
      }),
    )
    // Some may have been lost meanwhile, and taken again, for which they are read again.
    const held = partitions.filter((partition) => this.#epochs.get(partition) === epochs.get(partition))
    for (const partition of held) this.#inlets.get(partition)?.heal()
    await Promise.all([
      timers.scan(held),
      timers.wake(held, (address, partition) =>
        stage.deliver(address, partition, { message: { type: 'wake' }, origin: 'self', attempts: 0 }),
      ),
    ])
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
    const { node, store, stage, line, timers } = this.#options
    const held = partitions.flatMap((id) => (this.#epochs.has(id) ? { id, epoch: this.#epochs.get(id)! } : []))
    for (const { id } of held) {
      this.#inlets.get(id)?.close()
      line.close(id)
      timers.forget(id)
    }
    await stage.quiet(new Set(held.map(({ id }) => id)), RELEASE_MS)
    for (const { id } of held) this.drop(id)
    await store.release(node, held)
  }

  /** Lets go of everything: the lease was ended. */
  dropAll(): void {
    this.#drops++
    for (const partition of [...this.#epochs.keys()]) this.drop(partition)
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
    this.#options.full.forget(partition)
    this.#options.stage.lost(partition)
  }

  /** A commit was refused by the fence: finds out what was lost and lets go of it. */
  async check(partition: number, epoch: number | undefined): Promise<void> {
    if (epoch === undefined || this.#epochs.get(partition) !== epoch) return
    this.drop(partition)
    await this.verify()
  }

  /** Lets go of what is not, or not any more, this node's, as the database has it. Never rejects. */
  async verify(): Promise<void> {
    try {
      // What is taken while the epochs are read is not in what was read.
      const held = [...this.#epochs]
      const stored = new Map((await this.#options.store.partitions()).map(({ id, epoch }) => [id, epoch]))
      for (const [id, epoch] of held) if (this.#epochs.get(id) === epoch && stored.get(id) !== epoch) this.drop(id)
    } catch (error) {
      this.#options.log.warn({ error: (error as Error).message }, 'reading the epochs failed')
    }
  }

  /** After the broker was away: every reader stands anew. */
  mendAll(): void {
    for (const inlet of this.#inlets.values()) this.#mend(inlet)
  }

  /** Nothing more is taken in; what has not been stays in the outbox. */
  closeInlets(): void {
    this.#stopped = true
    this.#cancelSweep?.()
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
   * Finds messages whose publish was lost with no later one to reveal the gap, and, as a last net, messages the inlet
   * believes to have passed on though they are still in the outbox and nothing waits. False when it failed.
   */
  async #sweep(): Promise<boolean> {
    if (this.#epochs.size === 0) return true
    if (this.#options.by_hand) await this.verify()
    try {
      const { store, log } = this.#options
      await this.#retire()
      const inlets = [...this.#inlets.values()]
      const open = inlets.filter((inlet) => inlet.open)
      const idle = new Map<Inlet, number>()
      for (const inlet of open) if (inlet.is_idle) idle.set(inlet, inlet.arrived)
      const { found, lowest } = await store.backlogs(
        inlets.map((inlet) => ({ partition: inlet.partition, source: inlet.floor })),
      )
      await this.#tellFull(found)
      const lagging = new Map<string, number>()
      const floors = new Map(open.map((inlet) => [inlet, lowest]))
      for (const { partition, source, first, last } of found) {
        const inlet = this.#inlets.get(partition)
        // Of one that has begun to read meanwhile, too: it has not read this yet.
        if (inlet && source < (floors.get(inlet) ?? 0)) floors.set(inlet, source)
        if (!inlet?.open) continue
        const expected = inlet.expected(source)
        if (first < expected && idle.get(inlet) === inlet.arrived && inlet.is_idle) {
          log.warn({ partition, source, number: first }, 'a message was left behind')
          inlet.restart(source)
        } else if (last >= expected) this.#lag(inlet, source, expected, lagging)
      }
      for (const [inlet, floor] of floors) inlet.raiseFloor(floor)
      this.#lagging = lagging
      return true
    } catch (error) {
      this.#options.log.debug({ error: (error as Error).message }, 'sweeping the outbox failed')
      return false
    }
  }

  /**
   * Rows are counted only where the numbers leave it possible that there are too many: a row that stays keeps the numbers of all
   * that were settled after it within the range.
   */
  async #tellFull(found: readonly Backlog[]): Promise<void> {
    const { store, full } = this.#options
    const ranges = new Map<number, number>()
    for (const { partition, first, last } of found)
      ranges.set(partition, (ranges.get(partition) ?? 0) + last - first + 1)
    const floors = [...this.#inlets.values()]
      .filter(({ partition }) => (ranges.get(partition) ?? 0) > FULL)
      .map(({ partition, floor }) => ({ partition, source: floor }))
    const counts = floors.length > 0 ? await store.countOutbox(floors, FULL + 1) : undefined
    for (const partition of this.#inlets.keys()) full.setPartition(partition, (counts?.get(partition) ?? 0) > FULL)
  }

  /** Sources that nobody uses any more would keep every read from where the living ones begin. */
  async #retire(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.monotonic()
    if (now - this.#retired_at < RETIRE_MS) return
    this.#retired_at = now
    await store.retireSources(RETIRE_MS)
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
