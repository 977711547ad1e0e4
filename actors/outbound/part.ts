/** Extracts a file, or the requested part of it, from an answer. */
import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'

type Answer = {
  statusCode: number
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

/** Undefined when the answer has no file. A server without range support sends the whole file; the rest is dropped here. */
export function partOf(
  { statusCode, headers, body }: Answer,
  range?: { start: number; end: number },
): { stream: Readable; size: number } | undefined {
  if (range && statusCode === 206) {
    const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(headers['content-range'])) ?? []
    return Number(start) === range.start ? { stream: body, size: Number(size) } : undefined
  }
  if (statusCode !== 200) return undefined
  const size = Number(headers['content-length'] ?? Number.NaN)
  return { stream: range ? cut(body, range) : body, size }
}

function cut(source: Readable, { start, end }: { start: number; end: number }): Readable {
  let at = 0
  const part = new Transform({
    transform(chunk: Buffer, _, done) {
      const from = Math.max(0, start - at)
      const to = Math.min(chunk.length, end + 1 - at)
      at += chunk.length
      if (from < to) this.push(chunk.subarray(from, to))
      if (at > end) {
        this.push(null)
        // The rest is not wanted; ending the source is not a failure of the part.
        source
          .unpipe(this)
          .on('error', () => {})
          .destroy()
      }
      done()
    },
  })
  source.on('error', (error) => part.destroy(error))
  part.on('close', () => source.destroy())
  return source.pipe(part)
}
