/**
 * Keeps partitions where they should be: takes what has no living owner and is due to this node, gives away what is due
 * to another. Every node runs it over the same facts (`placement.ts`), so that together they move little; where their
 * views differ for a moment, the epochs decide.
 *
 * A partition is taken from an owner only when that owner gave it up, was silent for the lease while this node was
 * heard, or says that PostgreSQL does not answer it while it answers this node. Nothing is taken while this node does not
 * hear itself, or has no answers itself.
 */
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Database } from '../storage/mod.ts'
import type { Clock } from './clock.ts'
import type { DatabaseWatch } from './database_watch.ts'
import type { Holdings } from './holdings.ts'
import type { Log } from './log.ts'
import { LEASE_MS, type Membership } from './membership.ts'
import { releasePartitions } from './ownership.ts'
import { place } from './placement.ts'

const LOOK_MS = 1000
/** Partitions that are given away together. */
const GROUP = 4
/** Two beats and a little: after that a new node has heard everybody who is well. */
const JOIN_MS = 250

type BalanceOptions = {
  node: string
  database: Database
  nats: NatsConnection
  prefix: string
  membership: Membership
  watch: DatabaseWatch
  holdings: Holdings
  epochs: ReadonlyMap<number, number>
  clock: Clock
  log: Log
  /** True when no other node can have partitions (the servers are this node's own): then nobody is waited for. */
  alone: boolean
  /** Rejects when this node must not take partitions. */
  confirm(): Promise<void>
  /** Partitions have come here from other nodes. */
  taken(): void
}

export class Balance {
  readonly #options: BalanceOptions
  readonly #since: number
  #subscription: Subscription | undefined
  #looker: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(options: BalanceOptions) {
    this.#options = options
    this.#since = options.clock.now()
  }

  /** Resolves once this node has taken what it could at first. */
  async start(): Promise<void> {
    const { nats, prefix, alone } = this.#options
    this.#subscription = nats.subscribe(`${prefix}.node.released`, { callback: () => void this.look() })
    if (!alone) await new Promise<void>((resolve) => this.#options.clock.after(JOIN_MS, resolve))
    await this.look()
    this.#looker = setInterval(() => void this.look(), LOOK_MS)
    this.#looker.unref()
  }

  /** Compares what is with what should be, and acts. One at a time; a call meanwhile leads to one more look. */
  look(): Promise<void> {
    this.#again = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Gives everything away and takes nothing any more. */
  async leave(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#looker)
    this.#subscription?.unsubscribe()
    await this.#running
    await this.#give([...this.#options.epochs.keys()])
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
    const { node, database, membership, epochs, holdings, alone, clock, log } = this.#options
    if (!alone && !(membership.connected && this.#options.watch.answers)) return
    const rows = await database.execute<{ id: number; owner: string | null }>(
      'select id, owner from partition order by id',
    )
    // What another has taken meanwhile is not ours to give: nothing of it can be committed, so nothing is waited for.
    for (const { id, owner } of rows) if (epochs.has(id) && owner !== node) holdings.drop(id)
    const alive = membership.alive()
    const known = new Set(alive.map(({ id }) => id))
    // An owner this node never heard may merely be slow to speak: it is given the lease, counted from our own start.
    const patient = clock.now() - Math.max(this.#since, membership.connected_since) < LEASE_MS
    const isGone = (owner: string | null) =>
      owner === null || (owner === node && alone) || (!known.has(owner) && (alone || !patient)) || this.#isCutOff(owner)
    const staying = alive.filter(({ leaving, without_database }) => !leaving && !without_database)
    const owners = rows.map(({ owner }) => (isGone(owner) ? undefined : owner!))
    const placed = place(staying, owners)
    const take = rows.filter(({ id }, index) => placed[index] === node && !epochs.has(id) && free(owners[index]))
    const give = [...epochs.keys()].filter((id) => placed.length > 0 && placed[id] !== node)
    function free(owner: string | undefined): boolean {
      return owner === undefined || owner === node
    }
    // Ours by the table alone: the answer to a take was lost. Nobody else may take it before it is free again.
    const stray = rows.filter(({ id, owner }) => owner === node && !epochs.has(id) && placed[id] !== node)
    if (stray.length > 0) {
      const partitions = stray.map(({ id }) => id)
      await releasePartitions(database, node, partitions)
      this.#announce(partitions)
    }
    // What nobody serves comes first: giving waits for turns to end.
    if (take.length > 0) {
      await this.#options.confirm()
      log.info({ partitions: take.length }, 'taking partitions')
      await holdings.take(take.map(({ id }) => id))
      membership.beat()
      if (!alone) this.#options.taken()
    }
    if (give.length > 0) {
      log.info({ partitions: give.length }, 'giving partitions to other nodes')
      await this.#give(give)
    }
  }

  /**
   * An owner without PostgreSQL, while this node has it: an answer asked for after the owner said so proves it, and the
   * lease keeps a PostgreSQL that comes back to all from being taken for one that is away for some.
   */
  #isCutOff(owner: string): boolean {
    const { membership, watch, clock } = this.#options
    const since = membership.withoutDatabaseSince(owner)
    return since !== undefined && watch.answered(clock.now() - LEASE_MS, since)
  }

  /** A few at a time, so that each is without an owner only for as long as those few take. */
  async #give(partitions: number[]): Promise<void> {
    const { holdings, membership } = this.#options
    for (let from = 0; from < partitions.length; from += GROUP) {
      const group = partitions.slice(from, from + GROUP)
      await holdings.release(group)
      membership.beat()
      this.#announce(group)
    }
  }

  #announce(partitions: number[]): void {
    const { nats, prefix } = this.#options
    if (!nats.isClosed()) nats.publish(`${prefix}.node.released`, JSON.stringify({ partitions }))
  }
}
