import { JobFailed, ThreadPool, Unavailable } from '../../../runtime/mod.ts'

/** Ordinary mails take milliseconds, the worst known less than a second. */
const LIMIT_MS = 5_000
const THREADS = 2
const MOST_WAITING = 32
/** Maximum mails of one channel being read or waiting, so that no channel blocks all others. */
const MOST_OF_ONE = 17
const HEAP_MIB = 256

/**
 * Converts the HTML of mails outside the event loop: a stranger's mail holds the process only for as long as handing it
 * over takes.
 */
export class HtmlReader {
  readonly #pool: ThreadPool<string, string>
  readonly #limit_ms: number
  /** Number of mails inside, by channel. */
  readonly #inside = new Map<string, number>()

  constructor({ limit_ms = LIMIT_MS }: { limit_ms?: number | undefined } = {}) {
    const script = new URL('./html_thread.ts', import.meta.url)
    this.#pool = new ThreadPool({ script, threads: THREADS, waiting: MOST_WAITING, heap_mib: HEAP_MIB })
    this.#limit_ms = limit_ms
  }

  /**
   * Undefined for HTML that cannot be read in time or at all. Rejects with `Unavailable` when too many mails wait, of
   * all channels or of `whose`.
   */
  async read(html: string, whose: string): Promise<string | undefined> {
    const others = this.#inside.get(whose) ?? 0
    if (others >= MOST_OF_ONE) throw new Unavailable('Too many mails of this channel wait to be read.')
    this.#inside.set(whose, others + 1)
    try {
      return await this.#pool.run(html, this.#limit_ms)
    } catch (error) {
      if (!(error instanceof JobFailed)) throw error
      if (error.reason === 'timeout' || error.reason === 'broken') return undefined
      throw new Unavailable('Too many mails wait to be read.')
    } finally {
      const left = this.#inside.get(whose)! - 1
      if (left > 0) this.#inside.set(whose, left)
      else this.#inside.delete(whose)
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}
