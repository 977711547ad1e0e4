/**
 * The sweep of the outbox. Periodically it compares the rows that wait there with the messages that have arrived in the
 * inboxes of this node, and has the inboxes read the missing ones. It also retires sources that are out of use and
 * reports which partitions are full.
 */

import { RETIRE_MS } from '../commit/lane.ts'
import type { Backlog, Store } from '../commit/store.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time/clock.ts'
import type { FullReceivers } from './full_receivers.ts'
import type { Inbox } from './inbox.ts'
import type { Transport } from './ports.ts'

const SWEEP_MS = 1000
const SWEEP_SHARE = 0.05
const MAX_PAUSE_MS = 10_000
/** Backlog of a partition in the outbox beyond which senders refuse to add to it. */
const FULL = 100_000
/** The same of one receiver. It does not count for its partition: a receiver that is blocked stops no other. */
const FULL_RECEIVER = 20_000

type SweepOptions = {
  store: Store
  clock: Clock
  transport: Transport
  log: Log
  full: FullReceivers
  /** Drops partitions that this node has lost, where other nodes may take them whatever leases say. Never rejects. */
  verify: (() => Promise<void>) | undefined
  /** The consumer of an inbox receives nothing: create it anew. */
  mend(inbox: Inbox): void
}

export class OutboxSweep {
  readonly #inboxes: ReadonlyMap<number, Inbox>
  readonly #options: SweepOptions
  #cancel: (() => void) | undefined
  #lagging = new Map<string, number>()
  #retired_at = Number.NEGATIVE_INFINITY
  #stopped = false

  /** `inboxes`, by partition, change as partitions come and go. */
  constructor(inboxes: ReadonlyMap<number, Inbox>, options: SweepOptions) {
    this.#inboxes = inboxes
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
        // A sweep takes a small share of the time, whatever it has to scan. A failed one has waited, not scanned.
        const took = is_whole ? clock.monotonic() - from : 0
        const pause = Math.max(SWEEP_MS, took / SWEEP_SHARE)
        if (!this.#stopped) this.#sweepLater(Math.min(pause, MAX_PAUSE_MS))
      })
    })
  }

  /**
   * Finds messages whose publish was lost with no later one to reveal the gap. As a last safeguard it also finds
   * messages that the inbox believes to have passed on, though they are still in the outbox and none waits. Resolves to
   * false when it failed.
   */
  async #sweep(): Promise<boolean> {
    if (this.#inboxes.size === 0) return true
    const { store, log, verify } = this.#options
    if (verify) await verify()
    try {
      await this.#retire()
      const inboxes = [...this.#inboxes.values()]
      const open = inboxes.filter((inbox) => inbox.open)
      const idle = new Map<Inbox, number>()
      for (const inbox of open) if (inbox.is_idle) idle.set(inbox, inbox.arrived)
      const { found, lowest } = await store.backlogs(
        inboxes.map((inbox) => ({ partition: inbox.partition, source: inbox.floor })),
      )
      await this.#tellFull(found)
      const lagging = new Map<string, number>()
      const floors = new Map(open.map((inbox) => [inbox, lowest]))
      for (const { partition, source, first, last } of found) {
        const inbox = this.#inboxes.get(partition)
        // An inbox that began a read meanwhile has not read this yet, and counts, too.
        if (inbox && source < (floors.get(inbox) ?? 0)) floors.set(inbox, source)
        if (!inbox?.open) continue
        const expected = inbox.expected(source)
        if (first < expected && idle.get(inbox) === inbox.arrived && inbox.is_idle) {
          log.warn({ partition, source, number: first }, 'a message was missed: reading the outbox again')
          inbox.restart(source)
        } else if (last >= expected) this.#lag(inbox, source, expected, lagging)
      }
      for (const [inbox, floor] of floors) inbox.raiseFloor(floor)
      this.#lagging = lagging
      return true
    } catch (error) {
      log.debug({ error: (error as Error).message }, 'sweeping the outbox failed')
      return false
    }
  }

  /**
   * Rows are counted only where the range of numbers allows too many: one row that stays keeps all numbers settled
   * after it within the range.
   */
  async #tellFull(found: readonly Backlog[]): Promise<void> {
    const { store, full } = this.#options
    const ranges = new Map<number, number>()
    for (const { partition, first, last } of found)
      ranges.set(partition, (ranges.get(partition) ?? 0) + last - first + 1)
    const floors = [...this.#inboxes.values()]
      .filter(({ partition }) => (ranges.get(partition) ?? 0) > FULL_RECEIVER)
      .map(({ partition, floor }) => ({ partition, source: floor }))
    const counts = floors.length > 0 ? await store.countOutbox(floors, 2 * FULL) : undefined
    for (const partition of this.#inboxes.keys()) {
      const receivers: string[] = []
      let others = 0
      for (const [address, rows] of counts?.get(partition) ?? []) {
        if (rows > FULL_RECEIVER) receivers.push(address)
        else others += rows
      }
      full.setPartition(partition, others > FULL, receivers)
    }
  }

  /** Retires unused sources: every outbox read begins at the lowest living one. */
  async #retire(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.monotonic()
    if (now - this.#retired_at < RETIRE_MS) return
    this.#retired_at = now
    await store.retireSources(RETIRE_MS)
  }

  /**
   * Without a transport there is nothing to wait for; with one, it gets the time of a sweep. A message that has not come
   * by then is read from the outbox, however long a new consumer may take.
   */
  #lag(inbox: Inbox, source: number, expected: number, lagging: Map<string, number>): void {
    const { transport } = this.#options
    const id = `${inbox.partition} ${source}`
    const heard = transport.heard(inbox.partition)
    if (transport.up && this.#lagging.get(id) !== expected) {
      lagging.set(id, expected)
      return
    }
    if (transport.up && !heard) this.#options.mend(inbox)
    inbox.heal()
  }
}
