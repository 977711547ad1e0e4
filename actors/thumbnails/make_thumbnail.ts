/** Small versions of pictures, each made in a process of its own (`actors/confined/`): a decoder may be misled. */
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { spawnConfined } from '../confined/spawn_confined.ts'

export type ThumbnailJob = {
  max_pixels: number
  /** Pixels of the longer side, at most. A smaller picture keeps its size. */
  edge: number
}

/** A picture of which there will never be a thumbnail. */
export type ThumbnailFailure =
  | { failure: 'unreadable' | 'too_complex' }
  | { failure: 'too_many_pixels'; width: number; height: number }

const SCRIPT = fileURLToPath(new URL('./main.ts', import.meta.url))

/** Types of pictures with thumbnails. */
export const PICTURES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']
/** Width times height. A progressive or interlaced picture is decoded as a whole, in up to eight bytes for each. */
const MAX_PIXELS = 40_000_000
const EDGE = 640
/** The bytes of the picture, what it is decoded to, and the program itself. */
const MEMORY_MIB = 768
const CPU_S = 10
/** Milliseconds until the process is killed, whatever it did. */
const LIMIT_MS = 60_000
/** Bytes of an answer. A thumbnail has a tenth. */
const MAX_OUTPUT = 1_000_000
/** Signals and codes by which a process ends that exceeded a limit, or that a picture broke. */
const EXCEEDED: ReadonlySet<NodeJS.Signals> = new Set(['SIGXCPU', 'SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGBUS', 'SIGILL'])
const EXCEEDED_CODES = new Set([128 + constants.signals.SIGABRT, 128 + constants.signals.SIGTRAP])

/**
 * The thumbnail as WebP. Rejects with errors of `source` and of the machine, which may pass.
 *
 * @param source the picture, of 32 MiB at most
 */
export function makeThumbnail(source: Readable): Promise<Buffer | ThumbnailFailure> {
  return new Promise((resolve, reject) => {
    const job: ThumbnailJob = { max_pixels: MAX_PIXELS, edge: EDGE }
    const limits = { memory_mib: MEMORY_MIB, cpu_s: CPU_S, has_addons: true }
    const child = spawnConfined([SCRIPT, JSON.stringify(job)], limits)
    const output: Buffer[] = []
    let size = 0
    let stderr = ''
    let cause: Error | undefined
    const stop = (reason: Error) => {
      cause ??= reason
      child.kill('SIGKILL')
    }
    const timer = setTimeout(() => stop(new Error('the thumbnail did not get enough of the processor')), LIMIT_MS)
    source.on('error', stop)
    // The process may end before it has read everything.
    child.stdin.on('error', () => source.destroy())
    source.pipe(child.stdin)
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_OUTPUT) stop(new Error('the thumbnail is too large'))
      else output.push(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, 4_096)
    })
    child.on('error', (error) => {
      cause ??= error
    })
    child.on('close', (code, killed_by) => {
      clearTimeout(timer)
      source.off('error', stop).on('error', () => {})
      source.destroy()
      if (cause) return reject(cause)
      if (killed_by ? EXCEEDED.has(killed_by) : EXCEEDED_CODES.has(code ?? 0))
        return resolve({ failure: 'too_complex' })
      if (code !== 0) return reject(new Error(`the thumbnail ended with ${killed_by ?? code}: ${stderr}`))
      const answer = Buffer.concat(output)
      resolve(answer[0] === 0x7b ? (JSON.parse(answer.toString()) as ThumbnailFailure) : answer)
    })
  })
}
