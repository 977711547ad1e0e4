/** Streams a file as an answer: read as fast as the client takes it, never held whole. */

import type * as uWS from 'uWebSockets.js'
import type { Readable } from 'node:stream'
import type { ByteRange } from '../../../storage/mod.ts'
import { isKnown, type RangeHeaders, rangeOf } from './range.ts'

/** The file that a route answers with. */
export type Download = {
  /** Bytes. */
  size: number
  /** In quotes; null when versions cannot be told apart. */
  etag: string | null
  content_type: string
  filename: string | null
  /** Displayed by a browser instead of saved. Only for types that cannot run anything. */
  is_inline?: boolean
  /** Seconds for which any cache may keep it. */
  max_age_s?: number
  open(range?: ByteRange): Promise<Readable>
}

export type DownloadHeaders = RangeHeaders & { if_none_match: string }

export function downloadHeadersOf(request: uWS.HttpRequest): DownloadHeaders {
  return {
    range: request.getHeader('range'),
    if_range: request.getHeader('if-range'),
    if_none_match: request.getHeader('if-none-match'),
  }
}

export type DownloadPlan = {
  status: 200 | 206 | 304 | 416
  /** Whole header lines. */
  headers: string
  /** Bytes of the body. */
  length: number
  range: ByteRange | undefined
}

export function planDownload(file: Download, headers: DownloadHeaders): DownloadPlan {
  const { etag, size, max_age_s } = file
  const common = [
    ...(etag ? [`ETag: ${etag}`] : []),
    'Accept-Ranges: bytes',
    `Cache-Control: ${max_age_s === undefined ? 'private, no-cache' : `public, max-age=${max_age_s}, immutable`}`,
  ]
  const lines = (...more: string[]) => [...common, ...more, ''].join('\r\n')
  if (isKnown(headers.if_none_match, etag)) return { status: 304, headers: lines(), length: 0, range: undefined }
  const range = rangeOf(headers, file)
  if (range === 'unsatisfiable') {
    return { status: 416, headers: lines(`Content-Range: bytes */${size}`), length: 0, range: undefined }
  }
  const described = [
    `Content-Type: ${file.content_type}`,
    `Content-Disposition: ${disposition(file)}`,
    'X-Content-Type-Options: nosniff',
    // A browser that displays it all the same must not run anything.
    "Content-Security-Policy: default-src 'none'; sandbox",
  ]
  if (range === 'whole') return { status: 200, headers: lines(...described), length: size, range: undefined }
  const { start, end } = range
  described.push(`Content-Range: bytes ${start}-${end}/${size}`)
  return { status: 206, headers: lines(...described), length: end - start + 1, range }
}

/** RFC 6266: an ASCII name for old clients, and the real one. */
function disposition({ filename, is_inline }: Download): string {
  const kind = is_inline ? 'inline' : 'attachment'
  if (filename === null) return kind
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const real = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${real}`
}

/**
 * Sends the body of an answer whose head is written already, `length` bytes of it. Calls `done` once: with true when
 * all was handed over, with false when the stream broke off. The connection is then cut, so that the client sees that
 * something is missing.
 *
 * Between pieces the socket is not read: the parser would cut the connection over a request behind this one. While a
 * piece is stuck the socket is read, since uWebSockets.js waits for both directions or none.
 */
export function sendStream(
  response: uWS.HttpResponse,
  stream: Readable,
  length: number,
  done: (is_whole: boolean) => void,
): { stop(): void } {
  let is_over = false
  let sent = 0
  /** The rest of a piece that the socket did not take, and its offset in the answer. */
  let waiting: { chunk: Buffer; offset: number } | undefined
  const end = (is_whole: boolean) => {
    is_over = true
    stream.destroy()
    if (!is_whole) response.close()
    done(is_whole)
  }
  response.pause()
  stream.on('data', (chunk: Buffer) => {
    if (is_over) return
    const offset = response.getWriteOffset()
    // Bytes beyond the announced length would be read as the next answer.
    const piece = chunk.subarray(0, length - sent)
    sent += piece.length
    let [is_taken, is_done] = [true, false]
    response.resume()
    response.cork(() => {
      ;[is_taken, is_done] = response.tryEnd(piece, length)
    })
    if (is_taken && !is_done) response.pause()
    if (is_done) end(true)
    else if (!is_taken) {
      stream.pause()
      waiting = { chunk: piece, offset }
    }
  })
  response.onWritable((offset) => {
    if (!waiting || is_over) return true
    const [is_taken, is_done] = response.tryEnd(waiting.chunk.subarray(offset - waiting.offset), length)
    if (is_done) end(true)
    else if (is_taken) {
      waiting = undefined
      stream.resume()
    }
    return is_taken
  })
  const broken = () => {
    if (!is_over) end(false)
  }
  stream.on('error', broken)
  // The stream had fewer bytes than announced; after the last of them `done` was called already.
  stream.on('close', broken)
  /** The client went away: the response must not be touched any more. */
  const stop = () => {
    is_over = true
    stream.destroy()
  }
  return { stop }
}
