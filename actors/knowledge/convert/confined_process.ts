/** The process in which one document is parsed. */
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runConfined } from '../../confined/run_confined.ts'
import type { ConfinedLimits } from '../../confined/spawn_confined.ts'
import type { Converted } from './converted.ts'
import type { DocumentType } from './document_type.ts'
import { ConversionFailed, isConversionFailure } from './failure.ts'

export type Confines = Pick<ConfinedLimits, 'memory_mib' | 'cpu_s'> & {
  /**
   * Milliseconds until the process is killed, whatever it did. Longer than `cpu_s` takes on a busy machine, so that a
   * document which is killed for it is tried again.
   */
  limit_ms: number
}

export type ConfinedJob = {
  type: DocumentType
  /** Address of the document. */
  url: string | null
  /** Encoding that came with the document, as its sender names it. */
  charset: string | null
  /** Maximum characters. */
  longest: number
}

/** The answer of the process: one line of JSON. */
export type ConfinedAnswer = Content | { failure: string }

type Content = Omit<Converted, 'type'>

const SCRIPT = fileURLToPath(new URL('./confined/main.ts', import.meta.url))
/**
 * Converts the document that `source` brings.
 *
 * @throws {ConversionFailed} for the document; other errors are those of `source`, of `signal` and of the machine
 */
export async function convertConfined(
  source: Readable,
  job: ConfinedJob,
  { memory_mib, cpu_s, limit_ms }: Confines,
  signal?: AbortSignal,
): Promise<Content> {
  const answer = await runConfined([SCRIPT, JSON.stringify(job)], source, {
    limits: { memory_mib, cpu_s },
    limit_ms,
    // Every character may need six bytes as an escape.
    max_output: 6 * job.longest + 16_384,
    tooLong: () => new ConversionFailed('too_long'),
    work: 'the conversion',
    signal,
  })
  if (!answer) throw new ConversionFailed('too_complex')
  return accepted(JSON.parse(answer.toString()) as ConfinedAnswer)
}

function accepted(answer: ConfinedAnswer): Content {
  if (!('failure' in answer)) return answer
  throw new ConversionFailed(isConversionFailure(answer.failure) ? answer.failure : 'broken')
}
