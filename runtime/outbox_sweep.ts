/**
 * The sweep of the outbox: now and then it compares what waits there with what has arrived in the inlets of this node, and has
 * the inlets read what was left behind. On the way it retires sources that are out of use and tells which partitions are full.
 */
import type { Clock } from './clock.ts'
import type { FullReceivers } from './full_receivers.ts'
import type { Inlet } from './inlet.ts'
import { RETIRE_MS } from './lane.ts'
import type { Log } from './log.ts'
import type { Transport } from './ports.ts'
import type { Backlog, Store } from './store.ts'

const SWEEP_MS = 1000
const SWEEP_SHARE = 0.05
const LONGEST_PAUSE_MS = 10_000
/** Messages of a partition that wait in the outbox, beyond which senders refuse to add to them. */
const FULL = 100_000

type SweepOptions = {
  store: Store
  clock: Clock
  road: Transport
  log: Log
  full: FullReceivers
  /** Lets go of what is not this node's any more, where others may take it whatever leases say. Never rejects. */
  verify: (() => Promise<void>) | undefined
  /** The reader of an inlet hears nothing: it is to stand anew. */
  mend(inlet: Inlet): void
}

export class OutboxSweep {
  readonly #inlets: ReadonlyMap<number, Inlet>
  readonly #options: SweepOptions
  #cancel: (() => void) | undefined
  #lagging = new Map<string, number>()
  #retired_at = Number.NEGATIVE_INFINITY
  #stopped = false

  /** `inlets`, by partition, change as partitions come and go. */
  constructor(inlets: ReadonlyMap<number, Inlet>, options: SweepOptions) {
    this.#inlets = inlets
    this.#options = options
  }

  start(): void {
    this.#sweepLater(SWEEP_MS)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #sweepLater(ms: number): void {
    const { clock } = this.#options
    this.#cancel = clock.after(ms, () => {
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
   * Finds messages whose publish was lost with no later one to reveal the gap, and, as a last net, messages the inlet
   * believes to have passed on though they are still in the outbox and nothing waits. False when it failed.
   */
  async #sweep(): Promise<boolean> {
    if (this.#inlets.size === 0) return true
    const { store, log, verify } = this.#options
    if (verify) await verify()
    try {
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
        // An inlet that has begun to read meanwhile has not read this yet, and counts, too.
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
      log.debug({ error: (error as Error).message }, 'sweeping the outbox failed')
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
    else this.#options.mend(inlet)
  }
}
