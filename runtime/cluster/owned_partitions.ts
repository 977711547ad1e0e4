/**
 * The partitions that a node holds: taking, releasing and losing them. A sweep (`messages/outbox_sweep.ts`) finds messages that
 * should have arrived in them.
 *
 * A partition is held from the moment its epoch is known here until it is released or found to be another node's. While
 * it is held it has an inbox, a consumer on the transport and a subscription for asks.
 */

import type { Lane } from '../commit/lane.ts'
import type { Store, Tenure } from '../commit/store.ts'
import type { Log } from '../log.ts'
import type { Answering, AskClient } from '../messages/ask_client.ts'
import type { FullReceivers } from '../messages/full_receivers.ts'
import { Inbox } from '../messages/inbox.ts'
import { OutboxSweep } from '../messages/outbox_sweep.ts'
import type { Transport } from '../messages/ports.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Timers } from '../scheduler/timers.ts'
import type { Clock } from '../time/clock.ts'

/** Maximum time for the turns and the slow work of a partition to end before it is given away. */
const RELEASE_MS = 150

type OwnedPartitionsOptions = {
  node: string
  store: Store
  clock: Clock
  transport: Transport
  line: AskClient
  scheduler: Scheduler
  timers: Timers
  lane: Lane
  log: Log
  full: FullReceivers
  inbox_limit: number
  answering: Answering
  /** Other nodes may take partitions whatever leases say: the table has to be read. */
  by_hand: boolean
}

export class OwnedPartitions {
  readonly #options: OwnedPartitionsOptions
  readonly #epochs: Map<number, number>
  readonly #inboxes = new Map<number, Inbox>()
  /** Counters of closed inboxes, kept so that no total ever falls. */
  readonly #past = { repeats: 0, gaps: 0, healed: 0 }
  readonly #sweep: OutboxSweep
  /** Times that all partitions were dropped. */
  #drops = 0

  /** `epochs` is shared with the scheduler and the lane, which read it. */
  constructor(epochs: Map<number, number>, options: OwnedPartitionsOptions) {
    this.#epochs = epochs
    this.#options = options
    const { store, clock, transport, log, full, by_hand } = options
    this.#sweep = new OutboxSweep(this.#inboxes, {
      store,
      clock,
      transport,
      log,
      full,
      verify: by_hand ? () => this.verify() : undefined,
      mend: (inbox) => this.#mend(inbox),
    })
  }

  start(): void {
    this.#sweep.start()
  }

  /**
   * Takes partitions that no node holds, at the epochs that were seen, and resumes their outbox and timers. Resolves to
   * the epochs of the partitions taken.
   */
  async take(partitions: readonly { id: number; epoch: number }[]): Promise<Map<number, number>> {
    const { node, store } = this.#options
    const drops = this.#drops
    const epochs = await store.take(node, partitions)
    // The lease under which they were taken has ended: other nodes may have them by now.
    if (drops !== this.#drops) return new Map()
    const former = new Map(partitions.map(({ id, epoch }) => [id, epoch]))
    await this.#hold(new Map([...epochs].map(([id, epoch]) => [id, { epoch, former: former.get(id)! }])))
    return epochs
  }

  /** Takes partitions, whichever node has them. */
  async seize(partitions: readonly number[]): Promise<void> {
    const { node, store } = this.#options
    await this.#hold(await store.seize(node, partitions))
  }

  async #hold(tenures: Map<number, Tenure>): Promise<void> {
    const { store, clock, lane, transport, line, scheduler, timers, log, inbox_limit } = this.#options
    const partitions = [...tenures.keys()]
    lane.renew()
    await Promise.all(
      [...tenures].map(async ([partition, tenure]) => {
        const inbox = new Inbox(partition, {
          store,
          clock,
          log,
          limit: inbox_limit,
          deliver: (arrived) =>
            scheduler.deliver(arrived.address, partition, { ...arrived, origin: 'tell', attempts: 0 }),
        })
        this.#inboxes.set(partition, inbox)
        this.#epochs.set(partition, tenure.epoch)
        timers.forget(partition)
        // Callers need the epoch alone; they do not wait for the consumer.
        line.open(partition, tenure, this.#options.answering)
        // The consumer exists before the outbox is read: messages committed in between come by the transport.
        await transport.reopen(partition, (batch) => inbox.receive(batch))
      }),
    )
    // Partitions that were lost and taken again meanwhile are read again by that takeover.
    const held = partitions.filter((partition) => this.#epochs.get(partition) === tenures.get(partition)!.epoch)
    for (const partition of held) this.#inboxes.get(partition)?.heal()
    await Promise.all([
      timers.scan(held),
      timers.wake(held, (address, partition) =>
        scheduler.deliver(address, partition, { message: { type: 'wake' }, origin: 'self', attempts: 0 }),
      ),
    ])
  }

  /** The inbox of a partition that is held and not being given up. */
  inbox(partition: number): Inbox | undefined {
    const inbox = this.#inboxes.get(partition)
    return inbox?.is_closed ? undefined : inbox
  }

  /**
   * Gives partitions up in order: they accept no more messages, the turns under way end, the rows lose their owner.
   * Callers meanwhile get `Moved` and ask the next owner.
   */
  async release(partitions: number[]): Promise<void> {
    const { node, store, scheduler, line, timers } = this.#options
    const held = partitions.flatMap((id) => (this.#epochs.has(id) ? { id, epoch: this.#epochs.get(id)! } : []))
    for (const { id } of held) {
      this.#inboxes.get(id)?.close()
      line.close(id)
      timers.forget(id)
    }
    await scheduler.quiet(new Set(held.map(({ id }) => id)), RELEASE_MS)
    for (const { id } of held) this.drop(id)
    await store.release(node, held)
  }

  /** Drops all partitions: the lease was ended. */
  dropAll(): void {
    this.#drops++
    for (const partition of [...this.#epochs.keys()]) this.drop(partition)
  }

  /** Drops a partition that this node does not own, or no longer does. */
  drop(partition: number): void {
    if (!this.#epochs.delete(partition)) return
    const inbox = this.#inboxes.get(partition)
    if (inbox) {
      inbox.close()
      add(this.#past, inbox.stats)
    }
    this.#inboxes.delete(partition)
    this.#options.line.close(partition)
    void this.#options.transport.close(partition)
    this.#options.timers.forget(partition)
    this.#options.full.forget(partition)
    this.#options.scheduler.lost(partition)
  }

  /** A commit was refused by the fence: checks which partitions were lost and drops them. */
  async check(partition: number, epoch: number | undefined): Promise<void> {
    if (epoch === undefined || this.#epochs.get(partition) !== epoch) return
    this.drop(partition)
    await this.verify()
  }

  /** Drops the partitions that, by the database, this node does not own any more. Never rejects. */
  async verify(): Promise<void> {
    try {
      // Partitions taken while the epochs are read are missing from the result.
      const held = [...this.#epochs]
      const stored = new Map((await this.#options.store.partitions()).map(({ id, epoch }) => [id, epoch]))
      for (const [id, epoch] of held) if (this.#epochs.get(id) === epoch && stored.get(id) !== epoch) this.drop(id)
    } catch (error) {
      this.#options.log.warn({ error: (error as Error).message }, 'reading the epochs of partitions failed')
    }
  }

  /** Creates every consumer anew after the broker was away. */
  mendAll(): void {
    for (const inbox of this.#inboxes.values()) this.#mend(inbox)
  }

  /** Stops accepting messages; those that have not arrived stay in the outbox. */
  closeInboxes(): void {
    this.#sweep.stop()
    for (const inbox of this.#inboxes.values()) inbox.close()
  }

  stats() {
    const stats = { ...this.#past, waiting: 0 }
    for (const inbox of this.#inboxes.values()) {
      add(stats, inbox.stats)
      stats.waiting += inbox.waiting
    }
    return stats
  }

  /** Creates the consumer anew before the outbox is read, as at a takeover. */
  #mend(inbox: Inbox): void {
    const { transport } = this.#options
    void transport
      .reopen(inbox.partition, (batch) => inbox.receive(batch))
      .then(() => {
        if (this.#inboxes.get(inbox.partition) === inbox) inbox.heal()
        else void transport.close(inbox.partition)
      })
  }
}

type Counted = { repeats: number; gaps: number; healed: number }

function add(to: Counted, { repeats, gaps, healed }: Counted): void {
  to.repeats += repeats
  to.gaps += gaps
  to.healed += healed
}
