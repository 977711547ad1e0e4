import { JobFailed, ThreadPool, Unavailable } from '../../../runtime/mod.ts'

/** Ordinary mails take milliseconds, the worst known less than a second. */
const LIMIT_MS = 5_000
const THREADS = 2
const MOST_WAITING = 32
const HEAP_MIB = 256

/** Reads the HTML of mails beside the event loop: no mail of a stranger holds the process for longer than it takes to hand it on. */
export class HtmlReader {
  readonly #pool: ThreadPool<string, string>
  readonly #limit_ms: number

  constructor({ limit_ms = LIMIT_MS }: { limit_ms?: number | undefined } = {}) {
    const script = new URL('./html_thread.ts', import.meta.url)
    this.#pool = new ThreadPool({ script, threads: THREADS, waiting: MOST_WAITING, heap_mib: HEAP_MIB })
    this.#limit_ms = limit_ms
  }

  /** Undefined for HTML that cannot be read in time or at all. Rejects with `Unavailable` when too much waits already. */
  async read(html: string): Promise<string | undefined> {
    try {
      return await this.#pool.run(html, this.#limit_ms)
    } catch (error) {
      if (!(error instanceof JobFailed)) throw error
      if (error.reason === 'timeout' || error.reason === 'broken') return undefined
      throw new Unavailable('Too many mails wait to be read.')
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}
