/**
 * Shares the partitions out among the nodes. It reads the members and the owners, takes partitions that this node
 * should have and no node holds, and gives away those that others should have. All nodes compute the same placement
 * from the same tables.
 */
import type { Broker } from '../broker/broker.ts'
import type { Store, StoredPartition } from '../commit/store.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time/clock.ts'
import type { Membership } from './membership.ts'
import type { OwnedPartitions } from './owned_partitions.ts'
import { place } from './placement.ts'

/** Minimum time between two periodic looks. */
const LOOK_MS = 1000
/** Rows a second that all nodes together read for periodic looks: some percent of a processor of PostgreSQL. */
const ROWS_PER_SECOND = 100_000
/** In a cluster of up to this many nodes each change of the membership leads to a read of the table. */
const SMALL = 32
/** Minimum number of partitions given away together; a node gives all of its partitions away in at most `GROUPS` groups. */
const GROUP = 4
const GROUPS = 16

type RebalancerOptions = {
  node: string
  store: Store
  broker: Broker
  prefix: string
  membership: Membership
  owned_partitions: Pick<OwnedPartitions, 'take' | 'release' | 'drop'>
  epochs: ReadonlyMap<number, number>
  clock: Clock
  log: Log
  /** True while this node holds its lease: without one it must not take partitions. */
  leased(): boolean
  /** Rejects when this node must not take partitions. */
  confirm(): Promise<void>
  /** Partitions have come here from other nodes. */
  taken(): void
}

type Taken = { node: string; epochs: [id: number, epoch: number][] }
/** `ended`: nodes that have no lease any more. */
type Released = { node: string; leaving: boolean; ended: string[]; partitions: number[] }
/** The moves that this node has to make. */
type Plan = { take: StoredPartition[]; stray: StoredPartition[]; give: number[] }

export class Rebalancer {
  readonly #options: RebalancerOptions
  #cancel: (() => void) | undefined
  #unsubscribe: (() => void) | undefined
  #running: Promise<void> | undefined
  #again = false
  /** The next look reads the table, even when the remembered partitions look right. */
  #fresh = true
  #stopped = false
  /** The partitions as last read, updated by announcements of other nodes. Enough to know that there is nothing to do. */
  #known: StoredPartition[] = []

  constructor(options: RebalancerOptions) {
    this.#options = options
  }

  /** Resolves once this node has made its first attempt to take partitions. */
  async start(): Promise<void> {
    const { broker, prefix } = this.#options
    const released = broker.subscribe(`${prefix}.node.released`, {
      callback: (error, message) => {
        if (!error) this.#hearReleased(message.string())
      },
    })
    const taken = broker.subscribe(`${prefix}.node.taken`, {
      callback: (error, message) => {
        if (!error) this.#hearTaken(message.json<Taken>())
      },
    })
    this.#unsubscribe = () => {
      released.unsubscribe()
      taken.unsubscribe()
    }
    await this.look()
    this.#lookLater()
  }

  #lookLater(): void {
    const { clock, membership } = this.#options
    const rows = membership.members().length * this.#known.length
    this.#cancel = clock.after(Math.max(LOOK_MS, (rows / ROWS_PER_SECOND) * 1000), () => {
      // Announcements may be lost: read the partitions anew.
      this.#fresh = true
      void this.look().finally(() => {
        if (!this.#stopped) this.#lookLater()
      })
    })
  }

  /**
   * Compares the present placement with the wanted one, and acts. Only one look runs at a time; a call meanwhile leads
   * to one more.
   */
  look(): Promise<void> {
    this.#again = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The membership has changed. */
  changed(): void {
    if (this.#options.membership.members().length <= SMALL) this.#fresh = true
    void this.look()
  }

  /** Gives all partitions away and takes none any more. */
  async leave(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    this.#unsubscribe?.()
    await this.#running
    await this.#give([...this.#options.epochs.keys()])
  }

  /** Announces at once that these nodes have no lease any more; otherwise the others learn it when they next read the members. */
  announceEnd(ended: readonly string[]): void {
    this.#publish('released', { leaving: this.#stopped, ended, partitions: [] })
  }

  #announce(partitions: number[]): void {
    this.#publish('released', { leaving: this.#stopped, ended: [], partitions })
  }

  #hearReleased(text: string): void {
    const { membership } = this.#options
    const announcement = parse(text)
    if (!announcement) {
      this.#fresh = true
      void membership.read().then(() => this.look())
      return
    }
    const { node, leaving, ended, partitions } = announcement
    if (node === this.#options.node) return
    this.#noteReleased(node, partitions)
    membership.heard(leaving ? node : undefined, ended)
    void this.look()
  }

  #noteReleased(node: string, partitions: readonly number[]): void {
    for (const id of partitions) {
      const row = this.#known[id]
      if (row?.owner === node) this.#known[id] = { ...row, owner: null }
    }
  }

  /**
   * Drops partitions that another node has taken: it has the higher epoch. A node that gets no answer from PostgreSQL
   * learns of the loss only here.
   */
  #hearTaken({ node, epochs }: Taken): void {
    for (const [id, epoch] of epochs) {
      const held = this.#options.epochs.get(id)
      if (held !== undefined && held < epoch) this.#options.owned_partitions.drop(id)
      const row = this.#known[id]
      if (row && row.epoch < epoch) this.#known[id] = { id, owner: node, epoch }
    }
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      try {
        await this.#look()
      } catch (error) {
        this.#options.log.warn({ error: (error as Error).message }, 'balancing partitions failed, trying again soon')
        return
      }
    }
  }

  async #look(): Promise<void> {
    const { node, store, epochs, owned_partitions, leased, log } = this.#options
    if (!leased()) return
    if (!this.#fresh && isEmpty(this.#plan(this.#known))) return
    this.#fresh = false
    const rows = await store.partitions()
    this.#known = rows
    // Partitions taken by another node meanwhile are dropped at once: none of their turns can commit, so there is
    // nothing to wait for.
    for (const { id, owner } of rows) if (epochs.has(id) && owner !== node) owned_partitions.drop(id)
    const { take, stray, give } = this.#plan(rows)
    if (stray.length > 0) {
      await store.release(node, stray)
      this.#announce(stray.map(({ id }) => id))
    }
    // Take unserved partitions first: giving waits for turns to end.
    if (take.length > 0) {
      await this.#options.confirm()
      // The lease may have ended since the look began.
      if (!leased()) return
      log.info({ partitions: take.length }, 'taking partitions')
      const epochs = await owned_partitions.take(take)
      this.#hearTaken({ node, epochs: [...epochs] })
      this.#publish('taken', { epochs: [...epochs] })
      this.#options.taken()
    }
    if (give.length > 0) {
      log.info({ partitions: give.length }, 'giving partitions to other nodes')
      await this.#give(give)
    }
  }

  /** Compares the rows with the wanted placement. */
  #plan(rows: readonly StoredPartition[]): Plan {
    const { node, membership, epochs } = this.#options
    const leased = new Set(membership.members().map(({ id }) => id))
    const owners = rows.map(({ owner }) => (owner !== null && leased.has(owner) ? owner : undefined))
    const placed = place(membership.able(), owners)
    const plan: Plan = { take: [], stray: [], give: [] }
    for (const [index, row] of rows.entries()) {
      const is_mine = placed[index] === node
      const owner = owners[index]
      if (epochs.has(row.id)) {
        if (placed.length > 0 && !is_mine) plan.give.push(row.id)
      } else if (is_mine && (owner === undefined || owner === node)) plan.take.push(row)
      // Owned here by the table alone: the answer to a take was lost. No other node may take it before it is free
      // again.
      else if (row.owner === node) plan.stray.push(row)
    }
    return plan
  }

  /** Gives away a few at a time, so that each has no owner only for as long as those few take. */
  async #give(partitions: number[]): Promise<void> {
    const size = Math.max(GROUP, Math.ceil(partitions.length / GROUPS))
    for (let from = 0; from < partitions.length; from += size) {
      const group = partitions.slice(from, from + size)
      await this.#options.owned_partitions.release(group)
      this.#noteReleased(this.#options.node, group)
      this.#announce(group)
    }
  }

  #publish(what: 'released' | 'taken', announcement: object): void {
    const { broker, prefix, node } = this.#options
    if (!broker.isClosed()) broker.publish(`${prefix}.node.${what}`, JSON.stringify({ ...announcement, node }))
  }
}

function isEmpty({ take, stray, give }: Plan): boolean {
  return take.length + stray.length + give.length === 0
}

/** Returns undefined for an announcement that says only that something has changed. */
function parse(text: string): Released | undefined {
  try {
    const announcement = JSON.parse(text) as Released
    return Array.isArray(announcement.partitions) && Array.isArray(announcement.ended) ? announcement : undefined
  } catch {
    return undefined
  }
}
