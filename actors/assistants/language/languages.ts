import { IdlePool } from '../../../runtime/mod.ts'
import { type Spoken, tellingPart } from './spoken.ts'

/** A text takes a millisecond. */
const LIMIT_MS = 2_000
const HEAP_MIB = 256
const MAX_WAITING = 1_000
/** The thread is ended after this time without a text, and takes half a second to start. */
const IDLE_MS = 600_000

/** Tells the languages of texts, in a thread beside the event loop that runs while there are texts. */
export class Languages {
  readonly #pool = new IdlePool<string, Spoken | null>({
    ...{ script: new URL('./language_thread.ts', import.meta.url), threads: 1 },
    ...{ waiting: MAX_WAITING, heap_mib: HEAP_MIB, idle_ms: IDLE_MS },
  })

  /** Undefined where the text is too short, no language is certain, or none can be told at the moment. Never rejects. */
  async tell(text: string): Promise<Spoken | undefined> {
    const part = tellingPart(text)
    if (part === undefined) return undefined
    try {
      return (await this.#pool.run(part, LIMIT_MS)) ?? undefined
    } catch {
      return undefined
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}
