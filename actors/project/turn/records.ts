/**
 * Records that the messages of a turn need from the database, by kind. The feature that owns the table declares the kind.
 *
 * The turn changes these records as it decides, so that a later message of the same turn sees what an earlier one did;
 * between turns the tables are the truth, because only this actor writes them.
 */
import type { Database } from '../../../storage/mod.ts'
import type { ProjectState } from './state.ts'

/** The messages of a turn add what they want to one `Wanted`; `read` makes one query of it, however many they are. */
export type ReadKind<Wanted, Found> = {
  /** Nothing wanted yet. */
  wanted(): Wanted
  /** The records before anything is read. */
  found(state: ProjectState): Found
  /** Reads all that is wanted and adds it to `found`. The reads of all kinds begin at once. */
  read(found: Found, wanted: Wanted, context: ReadContext): Promise<unknown> | undefined
  /** Does what needs records of other kinds, once all of them were read. */
  finish?(found: Found, wanted: Wanted, context: ReadContext): Promise<unknown> | undefined
}

export type ReadContext = {
  database: Database
  state: ProjectState
  now: Date
  /** To add to records of other kinds, and in `finish` to look at them. */
  records: Records
}

export class Records {
  readonly #state: ProjectState
  readonly #found = new Map<object, unknown>()

  constructor(state: ProjectState) {
    this.#state = state
  }

  /** The records of a kind; empty ones where nothing was read. */
  of<Found>(kind: ReadKind<unknown, Found>): Found {
    let found = this.#found.get(kind) as Found | undefined
    if (found === undefined) {
      found = kind.found(this.#state)
      this.#found.set(kind, found)
    }
    return found
  }

  /** The records of a kind; undefined where no message of the turn wanted any. */
  find<Found>(kind: ReadKind<unknown, Found>): Found | undefined {
    return this.#found.get(kind) as Found | undefined
  }
}
