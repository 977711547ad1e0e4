/** The reads of a turn: each message adds its wants, and all of them are read together. */
import type { Database } from '../../../storage/mod.ts'
import { type ReadContext, type ReadKind, Records } from './records.ts'
import type { ProjectState } from './state.ts'

export class Reads {
  readonly state: ProjectState
  readonly now: Date
  readonly #keys = new Map<ReadKind<unknown, unknown>, unknown>()
  readonly #followers = new Map<ReadKind<unknown, unknown>, ((found: unknown) => void)[]>()

  constructor(state: ProjectState, now: Date) {
    this.state = state
    this.now = now
  }

  /** The wants of a kind so far. Messages add to them. */
  of<Keys>(kind: ReadKind<Keys, unknown>): Keys {
    let keys = this.#keys.get(kind) as Keys | undefined
    if (keys === undefined) {
      keys = kind.keys()
      this.#keys.set(kind as ReadKind<unknown, unknown>, keys)
    }
    return keys
  }

  /** The wants of a kind; undefined when no message of the turn has any. */
  find<Keys>(kind: ReadKind<Keys, unknown>): Keys | undefined {
    return this.#keys.get(kind as ReadKind<unknown, unknown>) as Keys | undefined
  }

  /**
   * For a message whose reads depend on a row: `follow` is called when the rows of `kind` were read, and before all other
   * kinds are. It adds wants of other kinds.
   */
  after<Keys, Found>(kind: ReadKind<Keys, Found>, follow: (found: Found) => void): void {
    const key = kind as ReadKind<unknown, unknown>
    const followers = this.#followers.get(key) ?? []
    followers.push(follow as (found: unknown) => void)
    this.#followers.set(key, followers)
  }

  /** Reads everything that is wanted, all kinds concurrently, but for those that decide what else is wanted. */
  async run(database: Database): Promise<Records> {
    const records = new Records(this.state)
    const context: ReadContext = { database, state: this.state, now: this.now, records }
    const read = (kind: ReadKind<unknown, unknown>, keys: unknown) => kind.read(records.of(kind), keys, context)
    const first = this.#followers
    if (first.size > 0) {
      await this.#all((kind, keys) => (first.has(kind) ? read(kind, keys) : undefined))
      for (const [kind, followers] of first) for (const follow of followers) follow(records.of(kind))
    }
    await this.#all((kind, keys) => (first.has(kind) ? undefined : read(kind, keys)))
    await this.#all((kind, keys) => kind.finish?.(records.of(kind), keys, context))
    return records
  }

  /** All reads begin in one tick, so that `batched` queries merge with those of other projects. */
  async #all(begin: (kind: ReadKind<unknown, unknown>, keys: unknown) => Promise<unknown> | undefined): Promise<void> {
    const under_way: Promise<unknown>[] = []
    for (const [kind, keys] of this.#keys) {
      const one = begin(kind, keys)
      if (one) under_way.push(one)
    }
    if (under_way.length > 0) await Promise.all(under_way)
  }
}
