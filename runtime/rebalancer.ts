/**
 * Shares the partitions out among the nodes: looks who is there and who owns what, takes what this node should have and
 * nobody holds, gives away what others should have. All nodes compute the same placement from the same tables.
 */
import type { Broker } from './broker.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Membership } from './membership.ts'
import type { OwnedPartitions } from './owned_partitions.ts'
import { place } from './placement.ts'
import type { Store, StoredPartition } from './store.ts'

/** Between two looks without a reason, at least. */
const LOOK_MS = 1000
/** Rows that all nodes together read a second for such looks: some percent of a processor of PostgreSQL. */
const ROWS_PER_SECOND = 100_000
/** In a cluster of up to so many nodes each change of the membership leads to a look into the table. */
const SMALL = 32
/** Partitions that are given away together, at least; all that a node has go in so many groups at most. */
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
  /** Whether this node holds its lease: without one nothing may be taken. */
  leased(): boolean
  /** Rejects when this node must not take partitions. */
  confirm(): Promise<void>
  /** Partitions have come here from other nodes. */
  taken(): void
}

type Taken = { node: string; epochs: [id: number, epoch: number][] }
/** `ended`: nodes that have no lease any more. */
type Released = { node: string; leaving: boolean; ended: string[]; partitions: number[] }
/** The moves that are this node's to make. */
type Plan = { take: StoredPartition[]; stray: StoredPartition[]; give: number[] }

export class Rebalancer {
  readonly #options: RebalancerOptions
  #cancel: (() => void) | undefined
  #unsubscribe: (() => void) | undefined
  #running: Promise<void> | undefined
  #again = false
  /** The next look reads the table, whatever is remembered of it. */
  #fresh = true
  #stopped = false
  /** The partitions as they were last read, and as others said since. Enough to know that nothing is to be done. */
  #known: StoredPartition[] = []

  constructor(options: RebalancerOptions) {
    this.#options = options
  }

  /** Resolves once this node has taken what it could at first. */
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
      // Words may be lost: what is remembered of the partitions is read anew.
      this.#fresh = true
      void this.look().finally(() => {
        if (!this.#stopped) this.#lookLater()
      })
    })
  }

  /** Compares what is with what should be, and acts. One at a time; a call meanwhile leads to one more look. */
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

  /** Gives everything away and takes nothing any more. */
  async leave(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    this.#unsubscribe?.()
    await this.#running
    await this.#give([...this.#options.epochs.keys()])
  }

  /** The others learn now, not when they read the members, that these nodes have no lease any more. */
  announceEnd(ended: readonly string[]): void {
    this.#say('released', { leaving: this.#stopped, ended, partitions: [] })
  }

  #announce(partitions: number[]): void {
    this.#say('released', { leaving: this.#stopped, ended: [], partitions })
  }

  #hearReleased(text: string): void {
    const { membership } = this.#options
    const words = parse(text)
    if (!words) {
      this.#fresh = true
      void membership.read().then(() => this.look())
      return
    }
    const { node, leaving, ended, partitions } = words
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

  /** Whoever took it has the higher epoch. A node that PostgreSQL does not answer learns of it only so. */
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
    // What another has taken meanwhile is not ours to give: nothing of it can be committed, so nothing is waited for.
    for (const { id, owner } of rows) if (epochs.has(id) && owner !== node) owned_partitions.drop(id)
    const { take, stray, give } = this.#plan(rows)
    if (stray.length > 0) {
      await store.release(node, stray)
      this.#announce(stray.map(({ id }) => id))
    }
    // What nobody serves comes first: giving waits for turns to end.
    if (take.length > 0) {
      await this.#options.confirm()
      // The lease may have ended since the look began.
      if (!leased()) return
      log.info({ partitions: take.length }, 'taking partitions')
      const epochs = await owned_partitions.take(take)
      this.#hearTaken({ node, epochs: [...epochs] })
      this.#say('taken', { epochs: [...epochs] })
      this.#options.taken()
    }
    if (give.length > 0) {
      log.info({ partitions: give.length }, 'giving partitions to other nodes')
      await this.#give(give)
    }
  }

  /** Compares the rows with what should be. */
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
      // Ours by the table alone: the answer to a take was lost. Nobody else may take it before it is free again.
      else if (row.owner === node) plan.stray.push(row)
    }
    return plan
  }

  /** A few at a time, so that each is without an owner only for as long as those few take. */
  async #give(partitions: number[]): Promise<void> {
    const size = Math.max(GROUP, Math.ceil(partitions.length / GROUPS))
    for (let from = 0; from < partitions.length; from += size) {
      const group = partitions.slice(from, from + size)
      await this.#options.owned_partitions.release(group)
      this.#noteReleased(this.#options.node, group)
      this.#announce(group)
    }
  }

  #say(what: 'released' | 'taken', words: object): void {
    const { broker, prefix, node } = this.#options
    if (!broker.isClosed()) broker.publish(`${prefix}.node.${what}`, JSON.stringify({ ...words, node }))
  }
}

function isEmpty({ take, stray, give }: Plan): boolean {
  return take.length + stray.length + give.length === 0
}

/** Undefined for a word that says nothing but that something has changed. */
function parse(text: string): Released | undefined {
  try {
    const words = JSON.parse(text) as Released
    return Array.isArray(words.partitions) && Array.isArray(words.ended) ? words : undefined
  } catch {
    return undefined
  }
}
