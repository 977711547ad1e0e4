/**
 * All that the engine asks of PostgreSQL: leases, ownership, commits, and reading back what was committed. One
 * implementation is SQL (`postgres_store.ts`), the other a model for simulated histories (`test/simulation/`); both pass
 * `test/runtime/store_conformance.ts`.
 *
 * Every method may reject. An error that says what the server decided carries an SQLSTATE as `code` (see `failure.ts`);
 * any other leaves open whether the call was done.
 */
import type { Write } from '../storage/mod.ts'
import type { OutboxRow } from './outbox_row.ts'
import type { DeadLetter, Sent, TimerChange } from './pending_turn.ts'

/** What a node says of itself to the others and to operators. */
export type NodeFacts = {
  /** A node that leaves gives away what it has and gets nothing. */
  leaving: boolean
  /** Which broker it hears: the node whose beacon it hears, null when it hears none. */
  broker: string | null
  /** Milliseconds since the epoch. */
  started_at: number
  host: string
  pid: number
  /** Messages taken in and not yet applied. */
  backlog: number
  /** Which store of files it uses; undefined when it does not say. */
  files?: string | undefined
}

/** A node that holds a lease. `stamp` changes with each renewal and never comes again. */
export type LeasedNode = { id: string; stamp: number; facts: NodeFacts }

export type Renewal = {
  /** The new stamp; undefined when the lease has ended: others may have taken whatever this node held. */
  stamp: number | undefined
  /** The stamp as it was stored before. Lower than the one this node knew: the database has lost commits. */
  before: number | undefined
  /**
   * Another number whenever a node has come, gone or said something new of itself. It may show before the change does, by as long
   * as a commit takes.
   */
  membership: number
  /** The nodes whose renewals are the oldest, itself perhaps among them. */
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

/** What one transaction of a lane holds: all of it or nothing. */
export type Commit = {
  source: number
  /** What the source's counter is raised to; it must be one below. */
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
  /** Its size on the wire, roughly. */
  readonly characters: number
  /** May be called again while the outcome is unknown. `lock_ms` bounds the wait for rows that others hold. */
  run(lock_ms?: number): Promise<void>
}

export interface Store {
  /** Creates the partitions of a new cluster; an existing one keeps its number, which is returned. */
  layOut(partitions: number): Promise<number>

  /** Begins a lease: whatever the table says the node owned is not held by it any more. */
  join(node: string, facts: NodeFacts): Promise<Renewal>
  /**
   * Renews a lease whose stored stamp is `known` or a later one; a lower one says that the database has lost commits, and
   * stays as it is. Fails when not answered within `ms`. `floor` is the lowest stamp seen lately.
   */
  renew(node: string, facts: NodeFacts, known: number, floor: number, ms: number): Promise<Renewal>
  /** Ends a lease if its stamp is still this one. From then on its partitions may be taken. */
  endLease(node: string, stamp: number): Promise<boolean>
  /** Ends its own lease. */
  leave(node: string): Promise<void>
  /** Ends all leases but its own, for a node that knows to be the only one. */
  endOthers(node: string): Promise<void>
  /** The nodes that hold leases, by id. `floor` is the lowest stamp seen lately, or 0. */
  members(floor: number): Promise<LeasedNode[]>

  partitions(): Promise<StoredPartition[]>
  /**
   * Takes those of the partitions that nobody holds (without an owner, or whose owner has no lease) and whose epoch is
   * still the one that was seen. Waits for commits of the former owner. Resolves to the new epochs.
   */
  take(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<Map<number, number>>
  /** Takes them, whoever holds them. For clusters that are laid out by hand. */
  seize(node: string, partitions: readonly number[]): Promise<Map<number, number>>
  /** Gives up those that the node owns by these epochs. What it has taken again meanwhile stays its own. */
  release(node: string, partitions: readonly { id: number; epoch: number }[]): Promise<void>

  /** Registers a source, higher than any before, and retires `former` (0 for none), which can commit no more. */
  newSource(node: string, former: number): Promise<number>
  /** Compiles a commit. Throws when it cannot be said in SQL. */
  transaction(commit: Commit): Transaction
  /**
   * Ends a doubt: raises the counter of the source from `commits` to `commits + 2`, so that a commit in doubt cannot happen
   * any more, and resolves to what the counter then is; undefined when the source is retired.
   */
  settleDoubt(source: number, commits: number): Promise<number | undefined>
  /** Retires sources that were registered longer ago than this; a lane that still used one goes on under a new one. */
  retireSources(older_than_ms: number): Promise<void>

  /**
   * Rows of a partition by source and number: those of sources from `floor` on, without what is below `known` for its
   * source. A page ends at `limit` rows, or with the row that reaches `characters`.
   */
  readOutbox(
    partition: number,
    floor: number,
    known: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]>
  /**
   * Rows of one actor in its partition by source and number: those below the number that is given for their source. A page
   * ends as above.
   */
  readOutboxOf(
    address: string,
    partition: number,
    below: readonly Floor[],
    limit: number,
    characters: number,
  ): Promise<OutboxRow[]>
  /** What lies in the outbox from the floors on, by partition and source; and the lowest source that may still commit. */
  backlogs(floors: readonly { partition: number; source: number }[]): Promise<{ found: Backlog[]; lowest: number }>
  /** How many rows lie in each of the partitions from its floor on, counted up to `limit`. */
  countOutbox(floors: readonly { partition: number; source: number }[], limit: number): Promise<Map<number, number>>
  /** Which of these rows are still in the outbox. */
  unsettled(rows: readonly { partition: number; source: number; number: number }[]): Promise<boolean[]>
  /** The timers of each partition that are due until then, the earliest first, at most `limit_each` of each. */
  readTimers(partitions: readonly number[], until: number, limit_each: number): Promise<StoredTimer[]>
  /** The actors of the partitions that are kept awake, by address after `after`, at most `limit`. */
  readAwake(
    partitions: readonly number[],
    after: string,
    limit: number,
  ): Promise<{ partition: number; address: string }[]>
  /** Which of these timers are still set as they are given. */
  unfired(timers: readonly { address: string; name: string; due: number }[]): Promise<boolean[]>
  /** The generic states of actors, by address. */
  readStates(addresses: readonly string[]): Promise<Map<string, unknown>>

  /** Breaks all connections: whatever waits on one fails. */
  breakConnections(): void
  /**
   * Calls `listener` before the first statement on a server with another history (commits may be lost); returns how to
   * unsubscribe.
   */
  onRewound(listener: () => void): () => void
}
