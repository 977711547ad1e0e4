/**
 * Records that the messages of a turn need from the database, by kind. The feature that owns the table declares the
 * kind.
 *
 * The turn changes these records as it decides, so that later messages of the turn see earlier changes. Between turns
 * the tables are the truth, because only this actor writes them.
 */
import type { Database } from '../../../storage/mod.ts'
import type { ProjectState } from './state.ts'

/** The messages of a turn add to one `Keys`; `read` makes one query of it, however many messages there are. */
export type ReadKind<Keys, Found> = {
  /** Nothing wanted yet. */
  keys(): Keys
  /** The records before anything is read. */
  found(state: ProjectState): Found
  /** Reads everything wanted into `found`. The reads of all kinds begin at once. */
  read(found: Found, keys: Keys, context: ReadContext): Promise<unknown> | undefined
  /** Runs after all reads, for steps that need records of other kinds. */
  finish?(found: Found, keys: Keys, context: ReadContext): Promise<unknown> | undefined
}

export type ReadContext = {
  database: Database
  state: ProjectState
  now: Date
  /** Records of other kinds: `read` may add to them, `finish` may use them. */
  records: Records
}

export class Records {
  readonly #state: ProjectState
  readonly #found = new Map<object, unknown>()

  constructor(state: ProjectState) {
    this.#state = state
  }

  /** The records of a kind; empty when nothing was read. */
  of<Found>(kind: ReadKind<unknown, Found>): Found {
    let found = this.#found.get(kind) as Found | undefined
    if (found === undefined) {
      found = kind.found(this.#state)
      this.#found.set(kind, found)
    }
    return found
  }

  /** The records of a kind; undefined when no message of the turn wanted any. */
  find<Found>(kind: ReadKind<unknown, Found>): Found | undefined {
    return this.#found.get(kind) as Found | undefined
  }
}
