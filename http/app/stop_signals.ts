/** Milliseconds within which one Ctrl-C may arrive twice, from the terminal and from npm. */
const TWICE_MS = 1000

/**
 * Signals that stop this process. The first one begins, a second one skips the wait for load balancers, and one more
 * ends the process at once. Before the process is ready there is no such wait, and the second one ends it.
 */
export class StopSignals {
  readonly request: Promise<void>
  /** Resolves with the second signal. */
  readonly hurried: Promise<void>
  /** Aborted by the first signal. */
  readonly given_up: AbortSignal
  readonly #tell: () => void
  readonly #hurry: () => void
  readonly #under_npm: boolean
  #is_ready = false
  #told_at = 0
  #stopping_since = 0

  constructor(env: NodeJS.ProcessEnv) {
    const [request, hurried] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const abandonment = new AbortController()
    void request.promise.then(() => abandonment.abort(new Error('Told to stop before it was ready.')))
    this.given_up = abandonment.signal
    this.request = request.promise
    this.hurried = hurried.promise
    this.#tell = request.resolve
    this.#hurry = hurried.resolve
    this.#under_npm = Boolean(env.npm_lifecycle_event)
    if (this.#under_npm) watchParent(() => this.#take())
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#take())
  }

  /** The start is over. */
  ready(): void {
    this.#is_ready = true
  }

  /** The wait is over: the next signal ends the process, unless it is a duplicate of the last. */
  stopping(): void {
    this.#stopping_since = performance.now()
  }

  #take(): void {
    const now = performance.now()
    if (this.#told_at === 0) {
      this.#told_at = now
      this.#tell()
    } else if (this.#under_npm && now - this.#told_at < TWICE_MS) {
      // A duplicate of the last signal.
    } else if (this.#is_ready && this.#stopping_since === 0) this.#hurry()
    else if (now - (this.#stopping_since || this.#told_at) > TWICE_MS) process.exit(130)
  }
}

/** Watches the parent, because a killed npm sends no signal. */
function watchParent(gone: () => void): void {
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    gone()
  }, 1000)
  looking.unref()
}
