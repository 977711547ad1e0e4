import { ThreadPool } from '../../../runtime/mod.ts'
import { type Spoken, tellingPart } from './spoken.ts'

/** A text takes a millisecond. */
const LIMIT_MS = 2_000
const HEAP_MIB = 256
const MAX_WAITING = 1_000
/** The thread is ended after this time without a text, and takes half a second to start. */
const IDLE_MS = 600_000

/** Tells the languages of texts, in a thread beside the event loop that runs while there are texts. */
export class Languages {
  #pool: ThreadPool<string, Spoken | null> | undefined
  #under_way = 0
  #idle: NodeJS.Timeout | undefined
  #is_closed = false

  /** Undefined where the text is too short, no language is certain, or none can be told at the moment. Never rejects. */
  async tell(text: string): Promise<Spoken | undefined> {
    const part = tellingPart(text)
    if (part === undefined || this.#is_closed) return undefined
    clearTimeout(this.#idle)
    this.#under_way += 1
    this.#pool ??= new ThreadPool({
      ...{ script: new URL('./language_thread.ts', import.meta.url), threads: 1 },
      ...{ waiting: MAX_WAITING, heap_mib: HEAP_MIB },
    })
    try {
      return (await this.#pool.run(part, LIMIT_MS)) ?? undefined
    } catch {
      return undefined
    } finally {
      this.#under_way -= 1
      if (this.#under_way === 0 && !this.#is_closed) this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref()
    }
  }

  async close(): Promise<void> {
    this.#is_closed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const pool = this.#pool
    this.#pool = undefined
    await pool?.close()
  }
}
