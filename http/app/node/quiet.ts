/** The quiet of a cluster whose database was restored or copied: nothing goes out until an operator resumes it. */
import { type Log, Unavailable } from '../../../runtime/mod.ts'
import { type Database, readCluster, warningOfQuiet } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'

/** Milliseconds after which a node has noticed that the quiet is over. */
const LOOK_MS = 1000

export class Quiet {
  #since: Date | null
  readonly #timer: NodeJS.Timeout | undefined

  /** `since`: as read when the node started; null for a cluster that is not quiet. */
  constructor(database: Database, since: Date | null, log: Log) {
    this.#since = since
    if (!since) return
    log.warn({ quiet_since: since }, warningOfQuiet(since))
    this.#timer = setInterval(() => {
      readCluster(database).then(
        ({ quiet_since }) => {
          if (quiet_since || !this.#since) return
          this.#since = null
          this.stop()
          log.info({}, 'the quiet is over: what waits is sent now')
        },
        // The database is away; it is asked again.
        () => {},
      )
    }, LOOK_MS)
    this.#timer.unref()
  }

  get is_on(): boolean {
    return this.#since !== null
  }

  /** A sentence for operators; undefined when the cluster is not quiet. */
  get warning(): string | undefined {
    return this.#since ? warningOfQuiet(this.#since) : undefined
  }

  /** Routes whose work would begin something outside refuse it while the cluster is quiet. */
  guard(routes: Route[]): Route[] {
    if (!this.is_on) return routes
    const refusing =
      <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
      (...args: Args): Result => {
        if (this.#since) throw new Unavailable(warningOfQuiet(this.#since))
        return work(...args)
      }
    return routes.map((route) => (route.outside && route.act ? { ...route, act: refusing(route.act) } : route))
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
