/** The process in which one document is parsed. */
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type ConfinedLimits, spawnConfined } from '../../confined/spawn_confined.ts'
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
/** Signals by which a process ends that exceeded a limit. A kill by someone else is not among them. */
const EXCEEDED: ReadonlySet<NodeJS.Signals> = new Set(['SIGXCPU', 'SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGBUS', 'SIGILL'])
/** Exit code of Node.js for a stack that is used up in native code, and of V8 out of memory. */
const EXCEEDED_CODES = new Set([128 + constants.signals.SIGABRT, 128 + constants.signals.SIGTRAP])
const MAX_ERROR_BYTES = 4_096

/**
 * Converts the document that `source` brings.
 *
 * @throws {ConversionFailed} for the document; other errors are those of `source`, of `signal` and of the machine
 */
export function convertConfined(
  source: Readable,
  job: ConfinedJob,
  { memory_mib, cpu_s, limit_ms }: Confines,
  signal?: AbortSignal,
): Promise<Content> {
  return new Promise((resolve, reject) => {
    const child = spawnConfined([SCRIPT, JSON.stringify(job)], { memory_mib, cpu_s })
    /** Bytes of the answer: every character may need six as an escape. */
    const max_output = 6 * job.longest + 16_384
    const output: Buffer[] = []
    let size = 0
    let stderr = ''
    let cause: Error | undefined

    const stop = (reason: Error) => {
      cause ??= reason
      child.kill('SIGKILL')
    }
    const onAbort = () => stop(signal!.reason as Error)
    const timer = setTimeout(() => stop(new Error('the conversion did not get enough of the processor')), limit_ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })

    source.on('error', stop)
    // The process may end before it has read everything.
    child.stdin.on('error', () => source.destroy())
    source.pipe(child.stdin)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > max_output) stop(new ConversionFailed('too_long'))
      else output.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, MAX_ERROR_BYTES)
    })
    child.on('error', (error) => {
      cause ??= error
    })
    child.on('close', (code, killed_by) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      source.off('error', stop).on('error', () => {})
      source.destroy()
      if (cause) return reject(cause)
      const is_exceeded = killed_by ? EXCEEDED.has(killed_by) : EXCEEDED_CODES.has(code ?? 0)
      if (is_exceeded) return reject(new ConversionFailed('too_complex'))
      if (code !== 0) return reject(new Error(`the conversion ended with ${killed_by ?? code}: ${stderr}`))
      try {
        resolve(accepted(JSON.parse(Buffer.concat(output).toString()) as ConfinedAnswer))
      } catch (error) {
        reject(error)
      }
    })
  })
}

function accepted(answer: ConfinedAnswer): Content {
  if (!('failure' in answer)) return answer
  throw new ConversionFailed(isConversionFailure(answer.failure) ? answer.failure : 'broken')
}
