import { IdlePool, JobFailed } from '../../runtime/mod.ts'
import { ANALYSIS_SCRIPT, type Analysis, type DocumentText } from '../../storage/mod.ts'

/** The largest document takes a tenth of it on a slow machine. */
const LIMIT_MS = 10_000
/** The data of the language detector take 80 MiB. */
const HEAP_MIB = 512
/** An idle thread is ended after this time. */
const IDLE_MS = 60_000

export type Analysed = { analysis: Analysis; detected: string | null }

/** The text of a document cannot be analysed. */
export class NotAnalysed extends Error {
  override name = 'NotAnalysed'
}

/**
 * Finds the words and the languages of documents in a thread beside the event loop. The thread is started for the
 * first document and ended when there is nothing to do.
 */
export class Analyser {
  readonly #pool = new IdlePool<DocumentText, Analysed>({
    ...{ script: ANALYSIS_SCRIPT, threads: 1, waiting: 1 },
    ...{ heap_mib: HEAP_MIB, idle_ms: IDLE_MS },
  })

  /** @throws {NotAnalysed} when it takes too long or too much memory; other errors are no fault of the text */
  async analyse(text: DocumentText): Promise<Analysed> {
    try {
      return await this.#pool.run(text, LIMIT_MS)
    } catch (error) {
      const { reason } = error as JobFailed
      if (!(error instanceof JobFailed) || (reason !== 'timeout' && reason !== 'broken')) throw error
      throw new NotAnalysed(reason === 'timeout' ? 'Reading the text took too long.' : 'The text could not be read.')
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}
