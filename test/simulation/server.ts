/**
 * The modelled PostgreSQL server: transactions take their locks, are carried out, and are committed a moment later. The
 * line of a client (`line.ts`) models the server's conduct towards clients that it cannot reach.
 */
import { EPOCH } from './host.ts'
import { Locks, type Mode } from './locks.ts'
import { type Change, Tables } from './tables.ts'
import type { World } from './world.ts'

/** An error with the SQLSTATE that PostgreSQL gives. */
export class ServerError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const TEXTS: Record<string, string> = {
  '25006': 'cannot execute UPDATE in a read-only transaction',
  '55P03': 'canceling statement due to lock timeout',
  '57014': 'canceling statement due to statement timeout',
  PL001: 'a message was settled before',
  PL002: 'a partition has another owner',
  PL003: 'this lane was retired or ran ahead',
  '42703': 'column "due" of relation "timer" does not exist',
  '53100': 'could not extend file: No space left on device',
  '23505': 'duplicate key value violates unique constraint',
}

/** A transaction: it locks row after row, looks, and lists its changes. */
export class Transaction {
  readonly #server: Server
  readonly #lock_ms: number
  readonly #done: (result: unknown, error?: Error) => void
  readonly generation: number
  readonly writes: boolean
  readonly changes: Change[] = []
  is_over = false

  constructor(server: Server, writes: boolean, lock_ms: number, done: (result: unknown, error?: Error) => void) {
    this.#server = server
    this.#lock_ms = lock_ms
    this.#done = done
    this.writes = writes
    this.generation = server.generation
  }

  get tables(): Tables {
    return this.#server.tables
  }

  /** Locks rows one after the other, then calls `then`. */
  lock(rows: readonly string[], mode: Mode, then: () => void): void {
    const step = (index: number) => {
      if (this.is_over) return
      const row = rows[index]
      if (row === undefined) then()
      else {
        this.#server.locks.acquire(
          this,
          row,
          mode,
          this.#lock_ms,
          () => step(index + 1),
          () => this.fail('55P03'),
        )
      }
    }
    step(0)
  }

  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
    this.changes.push({ map, key, value })
  }

  fail(code: string): void {
    if (this.is_over) return
    this.#end()
    this.#done(undefined, new ServerError(code, TEXTS[code] ?? code))
  }

  /** Commits, which takes a moment, and answers. */
  commit(result: unknown): void {
    if (this.is_over) return
    if (this.changes.length === 0) {
      this.#end()
      this.#done(result)
      return
    }
    const { world } = this.#server
    world.at(world.time + this.#server.syncMs(), () => {
      if (this.is_over) return
      this.tables.apply(this.changes, world.time)
      this.#end()
      this.#done(result)
    })
  }

  /** Gives the transaction up, because the server has gone. */
  abandon(): void {
    this.is_over = true
  }

  #end(): void {
    this.is_over = true
    this.#server.ended(this)
  }
}

export class Server {
  readonly world: World
  readonly tables: Tables
  readonly locks: Locks
  /** The number of the serving process. It rises after a crash, or when a standby was promoted. */
  generation = 1
  /** The history that the server reports; undefined for a server that does not tell. */
  history: string | undefined = '7/1'
  is_up = true
  /** True for a server that refuses writes and new connections. */
  is_read_only = false
  /** Milliseconds by which the clock is wrong. */
  clock_offset = 0
  /** True when the clock was turned once. */
  is_turned = false
  /** The SQLSTATE with which the server refuses commits of lanes. */
  refuses: string | undefined
  /** The most milliseconds that a commit and a statement take. */
  sync_ms = 0.5
  /** Called when a node has looked at the counter of its source and the answer is under way. */
  looked = () => {}
  /** The number of leases that nodes have ended for others. */
  leases_ended = 0
  /** Called when another process serves: connections to the former one are gone. */
  readonly lost = new Set<() => void>()
  readonly #running = new Set<Transaction>()

  constructor(world: World, keeps: boolean) {
    this.world = world
    this.tables = new Tables(keeps)
    this.locks = new Locks(world)
  }

  /** The time of the server's clock, in milliseconds since the epoch. */
  now(): number {
    return EPOCH + this.world.time + this.clock_offset
  }

  syncMs(): number {
    return this.world.between(0.1, this.sync_ms)
  }

  begin(writes: boolean, lock_ms: number, done: (result: unknown, error?: Error) => void): Transaction {
    const transaction = new Transaction(this, writes, lock_ms, done)
    this.#running.add(transaction)
    return transaction
  }

  ended(transaction: Transaction): void {
    this.#running.delete(transaction)
    this.locks.release(transaction)
  }

  /** Ends all transactions without a word, and lets another process serve. */
  replace(): void {
    this.generation++
    for (const transaction of this.#running) transaction.abandon()
    this.#running.clear()
    this.locks.clear()
    for (const tell of this.lost) tell()
  }

  /** Lets another session hold a row for `ms`. */
  hold(row: string, mode: Mode, ms: number): void {
    const session = {}
    this.locks.acquire(
      session,
      row,
      mode,
      ms,
      () => {},
      () => {},
    )
    this.world.at(this.world.time + ms, () => this.locks.release(session))
  }
}
