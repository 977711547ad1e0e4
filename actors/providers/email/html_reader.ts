import { JobFailed, ThreadPool, Unavailable } from '../../../runtime/mod.ts'

/** Ordinary mails take milliseconds, the worst known less than a second. */
const LIMIT_MS = 5_000
const THREADS = 2
const MAX_WAITING = 32
/** Maximum mails of one channel that wait. */
const MAX_OF_ONE = 16
const HEAP_MIB = 256

/**
 * Converts the HTML of mails outside the event loop: a stranger's mail holds the process only for as long as handing it
 * over takes.
 */
export class HtmlReader {
  readonly #pool: ThreadPool<string, string>
  readonly #limit_ms: number

  constructor({ limit_ms = LIMIT_MS }: { limit_ms?: number | undefined } = {}) {
    const script = new URL('./html_thread.ts', import.meta.url)
    const bounds = { threads: THREADS, waiting: MAX_WAITING, waiting_of_one: MAX_OF_ONE, heap_mib: HEAP_MIB }
    this.#pool = new ThreadPool({ script, ...bounds })
    this.#limit_ms = limit_ms
  }

  /**
   * Undefined for HTML that cannot be read in time or at all. Mails of one channel never hold all threads. Rejects with
   * `Unavailable` when too many mails wait, of all channels or of `whose`.
   */
  async read(html: string, whose: string): Promise<string | undefined> {
    try {
      return await this.#pool.run(html, this.#limit_ms, whose)
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
