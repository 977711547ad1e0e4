/** The server that a store is tested on, and the beginning of each test. */
import type { Test } from 'tap'
import type { Commit, NodeFacts, Store } from '../../../runtime/commit/store.ts'
import type { Owner } from '../../support/mod.ts'

export type Row =
  | { partition: number }
  | { lane: number }
  | { node: string }
  | { outbox: [partition: number, source: number, number: number] }
  | { timer: [address: string, name: string] }
  | { state: string }

/** A server of its own for one test, with ways to interfere between its clients and its rows. */
export type StoreServer = {
  /** Opens a client with connections of its own. */
  store(): Promise<Store>
  /** Lets another session hold a row until the returned function is called. */
  hold(row: Row, mode: 'share' | 'update'): Promise<() => Promise<void>>
  /** Waits until this number of sessions wait for rows that others hold. */
  queued(sessions: number): Promise<void>
  /** Lets time pass. */
  pass(ms: number): Promise<void>
  /** Waits for work that was begun. */
  done<Result>(work: Promise<Result>): Promise<Result>
  /** Makes the server refuse writes, or take them again. Connections of clients are dropped. */
  readOnly(yes: boolean): Promise<void>
}

export const FACTS: NodeFacts = { leaving: false, broker: null, started_at: 1, host: 'here', pid: 1, backlog: 0 }
/** Milliseconds: long enough for work that is not blocked, and shorter than any wait for a lock. */
const MOMENT_MS = 150
export const LETTER = { address: 'link/b', sender: 'link/a', json: '{"type":"pass","n":1}' }

export type Given = Partial<Omit<Commit, 'source' | 'commits'>>

/** Returns a commit with nothing but the given parts. */
export function commitOf(source: number, commits: number, given: Given = {}): Commit {
  const nothing = { fences: [], settle: [], fired: [], timers: [], states: [], sent: [], dead: [], writes: [] }
  return { source, commits, ...nothing, ...given }
}

/** Returns the SQLSTATE of an error or of its cause, or `none`. */
export function sqlStateOf(error: unknown): string {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at) {
    if (typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code)) return at.code
  }
  return 'none'
}

export type Open = (t: Owner) => Promise<StoreServer>

/** Starts a server with four partitions, of which `one` has the first two. */
export async function begin(t: Owner, open: Open) {
  const server = await open(t)
  const store = await server.store()
  const { done } = server
  await done(store.layOut(4))
  await done(store.join('one', FACTS))
  const epochs = await done(store.take('one', [free(0), free(1)]))
  const source = await done(store.newSource('one', 0))
  const commit = (n: number, given: Given = {}, lock_ms?: number) =>
    store.transaction(commitOf(source, n, given)).run(lock_ms)
  const fences = [0, 1].map((partition) => ({ partition, epoch: epochs.get(partition)! }))
  return { server, store, done, epochs, source, commit, fences }
}

/** Returns a partition as it looks before it has an owner. */
export const free = (id: number) => ({ id, epoch: 0 })

/** Checks that the work is refused with this SQLSTATE. */
export const refused = (t: Test, work: Promise<unknown>, code: string, what: string) =>
  work.then(
    () => t.fail(`${what}: not refused`),
    (error) => t.equal(sqlStateOf(error), code, what),
  )

/** Returns true when the work waits for something. */
export const waits = async (server: StoreServer, work: Promise<unknown>) => {
  let is_over = false
  work.then(
    () => {
      is_over = true
    },
    () => {
      is_over = true
    },
  )
  await server.pass(MOMENT_MS)
  return !is_over
}
