/**
 * The history that a PostgreSQL server continues: its system identifier and the timeline of its log, such as
 * `7523…/00000002`. A standby that is promoted begins a new timeline, and may never have received the last commits of
 * the old one. Every component that remembers anything of the old history has to be notified before a statement is sent
 * to the new one.
 *
 *  H1 Listeners run synchronously, before any statement is sent to a server of another history.
 *  H2 Within one system a timeline never goes back: a former primary that still runs is refused.
 */

/** The change that listeners get. */
export type HistoryChange = { from: string; to: string }

/** A commit whose decisions are older than the present history. Nothing of it was sent; it has to be decided anew. */
export class HistoryChanged extends Error {
  override name = 'HistoryChanged'
  constructor() {
    super('PostgreSQL continues another history than this commit was decided on: read again and decide anew')
  }
}

export class History {
  #present: string | undefined
  readonly #listeners = new Set<(change: HistoryChange) => void>()

  /** Undefined before the first connection, and where the server does not report it. */
  get present(): string | undefined {
    return this.#present
  }

  /**
   * Returns the function that stops listening. A listener that throws keeps the connection from being used, and is
   * called again.
   */
  listen(listener: (change: HistoryChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** True when a server of this history is a former primary: its log was continued elsewhere (H2). */
  isPast(history: string): boolean {
    const [system, timeline] = split(history)
    const [present_system, present_timeline] = split(this.#present ?? history)
    return system === present_system && timeline < present_timeline
  }

  /** Continues with the history of a new connection. Returns true when it differs (H1). */
  enter(history: string): boolean {
    const from = this.#present
    if (from === history) return false
    if (from !== undefined) for (const listener of [...this.#listeners]) listener({ from, to: history })
    this.#present = history
    return from !== undefined
  }
}

function split(history: string): [system: string, timeline: number] {
  const [system = '', timeline = ''] = history.split('/')
  return [system, Number.parseInt(timeline, 16)]
}
