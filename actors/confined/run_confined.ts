/** Gives the bytes of a stream to a confined process, and reads its answer. */
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { type ConfinedLimits, spawnConfined } from './spawn_confined.ts'

export type ConfinedRun = {
  limits: ConfinedLimits
  /** Milliseconds until the process is killed, whatever it did. Longer than `cpu_s` takes on a busy machine. */
  limit_ms: number
  /** Maximum bytes of the answer. */
  max_output: number
  /** The error for a longer answer. */
  tooLong: () => Error
  /** The work, as errors name it: "the conversion". */
  work: string
  signal?: AbortSignal | undefined
}

/** Signals by which a process ends that exceeded a limit, or that its input broke. A kill by someone else is not among them. */
const EXCEEDED: ReadonlySet<NodeJS.Signals> = new Set(['SIGXCPU', 'SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGBUS', 'SIGILL'])
/** Exit code of Node.js for a stack that is used up in native code, and of V8 out of memory. */
const EXCEEDED_CODES = new Set([128 + constants.signals.SIGABRT, 128 + constants.signals.SIGTRAP])
const MAX_ERROR_LENGTH = 4_096

/**
 * The answer; undefined when the process exceeded a limit. The source is destroyed in the end. Rejects with errors of
 * `source`, of `signal` and of the machine, and with `tooLong`.
 */
export function runConfined(
  args: string[],
  source: Readable,
  { limits, limit_ms, max_output, tooLong, work, signal }: ConfinedRun,
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawnConfined(args, limits)
    const output: Buffer[] = []
    let size = 0
    let stderr = ''
    let cause: Error | undefined

    const stop = (reason: Error) => {
      cause ??= reason
      child.kill('SIGKILL')
    }
    const onAbort = () => stop(signal!.reason as Error)
    const timer = setTimeout(() => stop(new Error(`${work} did not get enough of the processor`)), limit_ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })

    source.on('error', stop)
    // The process may end before it has read everything.
    child.stdin.on('error', () => source.destroy())
    source.pipe(child.stdin)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > max_output) stop(tooLong())
      else output.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, MAX_ERROR_LENGTH)
    })
    child.on('error', (error) => {
      cause ??= error
    })
    child.on('close', (code, killed_by) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      source.off('error', stop).on('error', () => {})
      source.destroy()
      if (cause) reject(cause)
      else if (killed_by ? EXCEEDED.has(killed_by) : EXCEEDED_CODES.has(code ?? 0)) resolve(undefined)
      else if (code !== 0) reject(new Error(`${work} ended with ${killed_by ?? code}: ${stderr}`))
      else resolve(Buffer.concat(output))
    })
  })
}
