/**
 * Whether PostgreSQL answers this node. The network between them may be gone while the broker is heard: such a node can
 * commit nothing, so it says so in its beats, and others take what it has (`balance.ts`).
 *
 *  - The watch asks twice a second; a question without an answer in `PATIENCE_MS` means silence.
 *  - In silence all connections are broken: what waits on them is repeated on new ones, or fails.
 *  - A silence that others share is PostgreSQL's own, and moves nothing. Only when others were answered during a whole
 *    question of ours is this node the one that is cut off.
 */
import type { Database } from '../storage/mod.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

const ASK_MS = 500
const PATIENCE_MS = 1500

export type DatabaseWatchOptions = {
  database: Database
  clock: Clock
  log: Log
  /** Whether any other node says that its database answers. */
  othersAnswered(): boolean
  /** Told when answers end or begin again. */
  changed(): void
  /** Told with each question that found this node cut off. */
  cutOff(): void
}

export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions
  #answers = true
  /** When the answers began, and when the last question that was answered had been asked. Milliseconds. */
  #since: number
  #asked_at: number
  #stopped = false

  constructor(options: DatabaseWatchOptions) {
    this.#options = options
    this.#since = options.clock.now()
    this.#asked_at = this.#since
  }

  start(): void {
    void this.#run()
  }

  stop(): void {
    this.#stopped = true
  }

  get answers(): boolean {
    return this.#answers
  }

  /**
   * Whether others may take what this node owns because it has no answers. They say that they have some a lease before
   * they act on it, so while nobody says so, nobody has.
   */
  get isCutOff(): boolean {
    return !this.#answers && this.#options.othersAnswered()
  }

  /** Whether answers came all the time from `before` on, and one to a question asked after `after`. */
  answered(before: number, after: number): boolean {
    return this.#answers && this.#since <= before && this.#asked_at > after
  }

  async #run(): Promise<void> {
    const { database, clock, othersAnswered, cutOff } = this.#options
    for (let silent = 0; !this.#stopped; ) {
      const asked_at = clock.now()
      const others = othersAnswered()
      const answered = await database.answers(PATIENCE_MS)
      if (this.#stopped) return
      if (answered) {
        silent = 0
        this.#asked_at = asked_at
        if (!this.#answers) this.#begin()
        await new Promise((resolve) => setTimeout(resolve, ASK_MS).unref())
        continue
      }
      silent++
      if (this.#answers) this.#end()
      database.breakConnections()
      // The first silence may be known here before the others know theirs.
      if (silent > 1 && others && othersAnswered()) cutOff()
    }
  }

  #begin(): void {
    const { database, clock, log, changed } = this.#options
    this.#answers = true
    this.#since = clock.now()
    log.info({}, 'PostgreSQL answers again')
    // Attempts to connect that are lost in the network would wait for their own time-outs.
    database.breakConnections()
    changed()
  }

  #end(): void {
    const { log, changed } = this.#options
    this.#answers = false
    log.warn({}, 'PostgreSQL does not answer this node')
    changed()
  }
}
