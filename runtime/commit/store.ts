/**
 * The engine's interface to PostgreSQL: leases, ownership, commits, and reading back committed records. One
 * implementation is SQL (`postgres_store.ts`), the other a model for simulated histories (`test/simulation/`); both
 * pass `test/runtime/store_conformance.ts`.
 *
 * Every method may reject. An error that states the server's decision carries an SQLSTATE as `code` (see `failure.ts`);
 * any other leaves open whether the call took effect.
 */
import type { Write } from '../../storage/mod.ts'
import type { OutboxRow } from '../actor/outbox_row.ts'
import type { DeadLetter, Sent, TimerChange } from '../actor/pending_turn.ts'

/** Facts that a node publishes about itself, for other nodes and operators. */
export type NodeFacts = {
  /** A leaving node gives its partitions away and gets none. */
  leaving: boolean
  /** The broker that it can reach: the node whose beacon it receives, null when it receives none. */
  broker: string | null
  /** Milliseconds since the epoch. */
  started_at: number
  host: string
  pid: number
  /** Messages received and not yet applied. */
  backlog: number
  /** The file store that it uses; undefined when it does not report one. */
  files?: string | undefined
  /** The ids of its keys of `PARLEY_SECRET`, the one that it seals with first. */
  keys?: readonly string[] | undefined
  /** The release that it runs; undefined for one that does not report it. */
  release?: string | undefined
}

/** The epoch under which a node holds a partition, and the epoch before it. */
export type Tenure = { epoch: number; former: number }

/** A node that holds a lease. `stamp` changes with each renewal and is never repeated. */
export type LeasedNode = { id: string; stamp: number; facts: NodeFacts }

export type Renewal = {
  /** The new stamp; undefined when the lease has ended: other nodes may have taken this node's partitions. */
  stamp: number | undefined
  /** The stamp as it was stored before. A stamp lower than this node's last one shows that the database has lost commits. */
  before: number | undefined
  /**
   * Changes whenever a node has come, gone or published new facts. It may show before the change does, by as long as a
   * commit takes.
   */
  membership: number
  /** The nodes with the oldest renewals; the renewing node may be among them. */
  oldest: { id: string; stamp: number }[]
  /** The database's clock, in milliseconds since the epoch. */
  now: number
}

export type StoredPartition = { id: number; owner: string | null; epoch: number }

/** The first and the last row of a source in a partition of the outbox. */
export type Backlog = { partition: number; source: number; first: number; last: number }

/** Rows of the source below the number have been received. */
export type Floor = { source: number; number: number }

export type StoredTimer = {
  partition: number
  address: string
  name: string
  /** Milliseconds since the epoch. */
  due: number
  message: { type: string }
}

/** The contents of one transaction of a lane: all of it is applied or nothing. */
export type Commit = {
  source: number
  /** New value of the source's counter, which must be one lower before. */
  commits: number
  fences: readonly { partition: number; epoch: number }[]
  settle: readonly { partition: number; source: number; number: number }[]
  fired: readonly { address: string; name: string; due: number }[]
  timers: readonly TimerChange[]
  states: readonly { address: string; json: string }[]
  sent: readonly Sent[]
  dead: readonly DeadLetter[]
  writes: Iterable<Write>
}

export type Transaction = {
  /** Approximate size on the wire, in characters. */
  readonly characters: number
  /** May be called again while the outcome is unknown. `lock_ms` bounds the wait for locked rows. */
  run(lock_ms?: number): Promise<void>
}

export interface Store {
  /** Creates the partitions of a new cluster; an existing one keeps its number. Resolves to the number. */
  layOut(partitions: number): Promise<number>

  /** Begins a lease: the node holds none of the partitions that the table says it owned. */
  join(node: string, facts: NodeFacts): Promise<Renewal>
  /**
   * Renews a lease whose stored stamp is `known` or a later one. A lower stamp shows that the database has lost
   * commits, and is left unchanged. Fails when not answered within `ms`. `floor` is the lowest stamp seen lately.
   */
  renew(node: string, facts: NodeFacts, known: number, floor: number, ms: number): Promise<Renewal>
  /** Ends a lease if its stamp is still `stamp`. From then on its partitions may be taken. */
  endLease(node: string, stamp: number): Promise<boolean>
  /** Ends the node's own lease. */
  leave(node: string): Promise<void>
  /** Ends all other leases, for a node that is known to be the only one. */
  endOthers(node: string): Promise<void>
  /** The nodes that hold leases, by id. `floor` is the lowest stamp seen lately, or 0. */
  members(floor: number): Promise<LeasedNode[]>

  partitions(): Promise<StoredPartition[]>
  /**
   * Takes the given partitions that no node holds (without an owner, or whose owner has no lease) and whose epoch is
   * still the one that was seen. Waits for commits of the former owner. Resolves to the new epochs.
   */
  take(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<Map<number, number>>
  /** Takes partitions, whichever node holds them. For clusters that are laid out by hand. */
  seize(node: string, partitions: readonly number[]): Promise<Map<number, Tenure>>
  /** Gives up the partitions that the node owns by these epochs. It keeps those that it has taken again meanwhile. */
  release(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<void>

  /** Registers a source, higher than any before, and retires `former` (0 for none), which can commit no more. */
  newSource(node: string, former: number): Promise<number>
  /** Compiles a commit. Throws when it cannot be expressed in SQL. */
  transaction(commit: Commit): Transaction
  /**
   * Ends a doubt: raises the counter of the source from `commits` to `commits + 2`, so that a commit in doubt cannot
   * happen any more. Resolves to the counter's value then; undefined when the source is retired.
   */
  settleDoubt(source: number, commits: number): Promise<number | undefined>
  /** Retires sources registered longer ago than this; a lane that still uses one goes on under a new one. */
  retireSources(older_than_ms: number): Promise<void>

  /**
   * Reads rows of a partition by source and number: sources from `floor` on, and of each source the rows from its
   * `known` number on. A page ends at `limit` rows, or with the row that reaches `characters`.
   */
  readOutbox(
    partition: number,
    floor: number,
    known: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]>
  /**
   * Reads rows of one actor in its partition by source and number: those below the number given for their source. A
   * page ends as in `readOutbox`.
   */
  readOutboxOf(
    address: string,
    partition: number,
    below: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]>
  /** The rows of the outbox from the floors on, summed up by partition and source; and the lowest source that may still commit. */
  backlogs(floors: readonly { partition: number; source: number }[]): Promise<{ found: Backlog[]; lowest: number }>
  /** Number of rows for each receiver of a partition, among the first `limit` rows from its floor on. */
  countOutbox(
    floors: readonly { partition: number; source: number }[],
    limit: number,
  ): Promise<Map<number, Map<string, number>>>
  /** True for each row that is still in the outbox. */
  unsettled(rows: readonly { partition: number; source: number; number: number }[]): Promise<boolean[]>
  /**
   * The timers of each partition that are due until then, earliest first, at most `limit_each` for each, without those of some
   * actors.
   */
  readTimers(
    partitions: readonly number[],
    until: number,
    limit_each: number,
    without: readonly string[],
  ): Promise<StoredTimer[]>
  /** The actors of the partitions that are kept awake, by address after `after`, at most `limit`. */
  readAwake(
    partitions: readonly number[],
    after: string,
    limit: number,
  ): Promise<{ partition: number; address: string }[]>
  /** True for each timer that is still set as given. */
  unfired(timers: readonly { address: string; name: string; due: number }[]): Promise<boolean[]>
  /** The generic states of actors, by address. */
  readStates(addresses: readonly string[]): Promise<Map<string, unknown>>

  /** Breaks all connections: every query that waits on one fails. */
  breakConnections(): void
  /**
   * Calls `listener` before the first statement on a server with another history (commits may be lost). Returns the
   * function that unsubscribes.
   */
  onRewound(listener: () => void): () => void
}
