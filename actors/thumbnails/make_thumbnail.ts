/** Small versions of pictures, each made in a process of its own (`actors/confined/`): a decoder may be misled. */
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runConfined } from '../confined/run_confined.ts'

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
/**
 * The thumbnail as WebP. Rejects with errors of `source` and of the machine, which may pass.
 *
 * @param source the picture, of 32 MiB at most
 */
export async function makeThumbnail(source: Readable): Promise<Buffer | ThumbnailFailure> {
  const job: ThumbnailJob = { max_pixels: MAX_PIXELS, edge: EDGE }
  const answer = await runConfined([SCRIPT, JSON.stringify(job)], source, {
    limits: { memory_mib: MEMORY_MIB, cpu_s: CPU_S, has_addons: true },
    limit_ms: LIMIT_MS,
    max_output: MAX_OUTPUT,
    tooLong: () => new Error('the thumbnail is too large'),
    work: 'the thumbnail',
  })
  if (!answer) return { failure: 'too_complex' }
  return answer[0] === 0x7b ? (JSON.parse(answer.toString()) as ThumbnailFailure) : answer
}
