/**
 * Fetches a file behind a user's link, for channels whose provider does not fetch it itself: through the outbound
 * guard, within a size and a time limit. Its first bytes, not the server, determine its type.
 */
import { PassThrough, type Readable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { now } from '../../storage/mod.ts'
import { charsetOf, sniffStart } from '../media/mod.ts'
import { plainName } from '../values/plain_name.ts'
import { slugOf } from './exchange.ts'
import { parseUrl } from './parse_url.ts'
import { retryAfter } from './retry_after.ts'

export type FetchOptions = {
  /** From a guard (`OutboundGuard.createDispatcher`); a function chooses one for the address, and for each redirection. */
  dispatcher: Dispatcher | ((url: URL) => Dispatcher)
  /** Maximum bytes. */
  limit: number
  /** Maximum milliseconds for the whole file. */
  deadline_ms: number
  /** Maximum milliseconds until enough bytes to determine the type are there. */
  start_ms?: number | undefined
  signal?: AbortSignal | undefined
  /** Further headers of the request. A redirection to another origin gets none of them. */
  headers?: Record<string, string> | undefined
}

/** The stream fails with `FetchFailed` when the file turns out too large, or breaks off. */
export type FetchedFile = {
  stream: Readable
  mime_type: string
  /** Encoding that the server named; null without one. */
  charset: string | null
  filename: string | null
}

/** `code` is a slug, such as `too_large`, `http_404`, `address_forbidden`, `timeout`. */
export class FetchFailed extends Error {
  readonly code: string
  /** Seconds that the server asked to wait. */
  readonly retry_after_s: number | undefined

  constructor(code: string, message = `The link could not be fetched: ${code}.`, retry_after_s?: number) {
    super(message)
    this.name = 'FetchFailed'
    this.code = code
    this.retry_after_s = retry_after_s
  }

  /** True when it would fail again, in contrast to a server that has trouble or is unreachable now. */
  get is_final(): boolean {
    return (
      FINAL.has(this.code) || (/^http_[1-4]/.test(this.code) && this.code !== 'http_408' && this.code !== 'http_429')
    )
  }
}

const FINAL = new Set(['too_large', 'too_many_redirects', 'address_forbidden', 'invalid_request', 'url_credentials'])

const MAX_REDIRECTS = 5
/** A server that has not begun by then hangs; one that has begun may take its time over a large file. */
const START_MS = 15_000
/** A server that sends nothing for so long has gone. */
const SILENCE_MS = 30_000
/** Enough for the signatures of all types. */
const SAMPLE_BYTES = 16_384

/** Rejects with `FetchFailed`. The caller reads the stream or destroys it. */
export async function fetchFile(link: string, options: FetchOptions): Promise<FetchedFile> {
  const { dispatcher, limit, deadline_ms, start_ms = START_MS, signal: cancel } = options
  const start = new AbortController()
  const late = new DOMException('The file did not begin in time.', 'TimeoutError')
  const timer = setTimeout(() => start.abort(late), start_ms)
  const signals = [start.signal, AbortSignal.timeout(Math.ceil(deadline_ms)), ...(cancel ? [cancel] : [])]
  const signal = AbortSignal.any(signals)
  const dispatcherOf = typeof dispatcher === 'function' ? dispatcher : () => dispatcher
  let url = link
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const { protocol = '', username = '', password = '' } = parseUrl(url) ?? {}
      if (!/^https?:$/.test(protocol)) throw new FetchFailed('invalid_request')
      if (username !== '' || password !== '') throw new FetchFailed('url_credentials')
      const own = new URL(url).origin === new URL(link).origin ? options.headers : undefined
      const headers_sent = { accept: '*/*', 'user-agent': 'Parley', ...own }
      const sent = { headers: headers_sent, dispatcher: dispatcherOf(new URL(url)), signal, bodyTimeout: SILENCE_MS }
      const answer = await request(url, sent)
      const { statusCode, headers, body } = answer
      if (statusCode >= 300 && statusCode < 400 && headers.location) {
        body.on('error', () => {}).destroy()
        const next = parseUrl(String(headers.location), url)
        if (!next) throw new FetchFailed('invalid_request')
        url = next.href
        continue
      }
      if (statusCode === 200 && !(Number(headers['content-length']) > limit)) {
        return await begin(body, limit, url, String(headers['content-type'] ?? ''))
      }
      body.on('error', () => {}).destroy()
      if (statusCode === 200) throw new FetchFailed('too_large')
      throw new FetchFailed(`http_${statusCode}`, undefined, retryAfter(headers['retry-after'], now()))
    }
    throw new FetchFailed('too_many_redirects')
  } catch (error) {
    throw failed(error)
  } finally {
    clearTimeout(timer)
  }
}

async function begin(body: Readable, limit: number, url: string, said: string): Promise<FetchedFile> {
  const sample: Buffer[] = []
  let size = 0
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let next = await chunks.next()
  while (!next.done) {
    sample.push(next.value)
    size += next.value.length
    if (size >= SAMPLE_BYTES) break
    next = await chunks.next()
  }
  const start = Buffer.concat(sample)
  const sniffed = await sniffStart(start)
  const stream = new PassThrough()
  void pour(stream, start, chunks, limit)
  stream.on('close', () => body.on('error', () => {}).destroy())
  return { stream, mime_type: refined(sniffed, said), charset: charsetOf(said), filename: nameInUrl(new URL(url)) }
}

async function pour(stream: PassThrough, start: Buffer, rest: AsyncIterator<Buffer>, limit: number): Promise<void> {
  let size = 0
  try {
    for (let chunk: Buffer | undefined = start; chunk; ) {
      size += chunk.length
      if (size > limit) throw new FetchFailed('too_large')
      if (stream.destroyed) return
      if (chunk.length > 0 && !stream.write(chunk)) await drained(stream)
      const next = await rest.next()
      chunk = next.done ? undefined : next.value
    }
    stream.end()
  } catch (error) {
    stream.destroy(failed(error))
  }
}

function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}

/** Only the server knows the kind of text. */
function refined(sniffed: string, said: string): string {
  const type = (said.split(';')[0] ?? '').trim().toLowerCase()
  return sniffed === 'text/plain' && /^(?:text\/[a-z0-9.+-]+|application\/json)$/.test(type) ? type : sniffed
}

/** The name of the file that an address ends in, decoded. Null without one. */
export function nameInUrl({ pathname }: URL): string | null {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return plainName(decodeURIComponent(last)).replace(/[/\\]/g, '') || null
  } catch {
    return null
  }
}

function failed(error: unknown): FetchFailed {
  if (error instanceof FetchFailed) return error
  const { name } = error as Error
  return new FetchFailed(name === 'TimeoutError' ? 'timeout' : slugOf(error as Error))
}
