/** Files stored by WhatsApp's Cloud API. */
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { type ByteRange, now } from '../../../storage/mod.ts'
import { type OutboundGuard, parseUrl, partOf, slugOf } from '../../outbound/mod.ts'
import { createProviderAgent } from '../agent.ts'
import { ASK_DEADLINE_MS, isSuccess, UNREADABLE } from '../answer.ts'
import { isObject, type Json, textOf } from '../json.ts'
import type { Credentials, FetchLimits, ReceivedFile, SendFailure } from '../provider.ts'
import type { Accepted, MediaFailure, OutgoingFile, ProviderFile, ProviderMedia } from '../provider_media.ts'
import { directTo, fetchLink, unknownReference } from '../received_file.ts'
import { failureOf } from './failure.ts'
import { BASE_URL, callGraph, type WhatsAppCredentials } from './graph.ts'

const KIB = 1024
const MIB = 1024 * KIB
const AUDIO = ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg']
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const DOCUMENTS = [
  'text/plain',
  'text/csv',
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  `${OFFICE}.wordprocessingml.document`,
  `${OFFICE}.spreadsheetml.sheet`,
  `${OFFICE}.presentationml.presentation`,
]

/** Meta's table of supported media types. */
export const CLOUD_FILES: Accepted[] = [
  ...['image/jpeg', 'image/png'].map((mime_type) => ({ mime_type, max_bytes: 5 * MIB })),
  ...['video/mp4', 'video/3gpp', ...AUDIO].map((mime_type) => ({ mime_type, max_bytes: 16 * MIB })),
  ...DOCUMENTS.map((mime_type) => ({ mime_type, max_bytes: 100 * MIB })),
  { mime_type: 'image/webp', max_bytes: 100 * KIB },
]
const ANIMATED_STICKER = 500 * KIB

const DAYS = 30
const READ_LIMIT = 65_536
/** Maximum pause between two pieces of a download; pauses caused by our own client do not count. */
const SILENCE_MS = 30_000
/** Ids are numbers. Any other text could name an object of another kind that the token may reach. */
const ID = /^\d{5,32}$/
/** Hosts of Meta's files; the token is sent only to them and to the configured address. */
const MEDIA_HOST = /\.(?:fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/

export class WhatsAppMedia implements ProviderMedia {
  readonly days = DAYS
  /** For the configured address, which comes from the operator. */
  readonly #trusted: Dispatcher = createProviderAgent()
  /** For addresses that an answer names. */
  readonly #guarded: Dispatcher

  constructor(guard: OutboundGuard) {
    this.#guarded = guard.createDispatcher()
  }

  refusal({ mime_type, codec, is_animated, file_size }: OutgoingFile): Accepted[] | undefined {
    const accepted = CLOUD_FILES.map((one) =>
      one.mime_type === 'image/webp' && is_animated ? { ...one, max_bytes: ANIMATED_STICKER } : one,
    )
    const found = accepted.find((one) => one.mime_type === mime_type)
    const is_right_codec = mime_type !== 'audio/ogg' || codec === 'opus'
    return found && file_size <= found.max_bytes && is_right_codec ? undefined : accepted
  }

  async upload(
    credentials: Credentials,
    file: OutgoingFile,
    deadline: number,
  ): Promise<{ provider_media_id: string } | MediaFailure> {
    const path = `${credentials.phone_number_id}/media`
    const called = await this.#call(credentials, 'POST', path, deadline, { stream: multipart(file) })
    if ('failure' in called) return called
    const id = textOf(called.body.id)
    return id === null ? { failure: NOT_UNDERSTOOD } : { provider_media_id: id }
  }

  async find(
    credentials: Credentials,
    id: string,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<{ file: ProviderFile | null } | MediaFailure> {
    if (!ID.test(id)) return { file: null }
    const called = await this.#call(credentials, 'GET', mediaPath(credentials, id), deadline, { signal })
    if ('failure' in called) return isUnknown(called) ? { file: null } : called
    const { url, mime_type, sha256, file_size } = called.body
    // An object of another kind has none of these.
    if (typeof url !== 'string' || typeof mime_type !== 'string') return { file: null }
    return { file: { url, mime_type, file_size: Number(file_size) || 0, sha256: textOf(sha256) ?? '' } }
  }

  async download(credentials: Credentials, { url }: ProviderFile, deadline: number, range?: ByteRange) {
    const target = parseUrl(url)
    if (!target) return { failure: NOT_UNDERSTOOD }
    try {
      const answer = await request(url, {
        dispatcher: this.#dispatcherFor(credentials)(target),
        headers: {
          ...headersFor(credentials, target),
          ...(range && { range: `bytes=${range.start}-${range.end}` }),
        },
        headersTimeout: Math.ceil(Math.max(1, deadline - performance.now())),
        bodyTimeout: SILENCE_MS,
      })
      const part = partOf(answer, range)
      if (part) return part
      answer.body.on('error', () => {}).destroy()
      return { failure: downloadFailure(`http_${answer.statusCode}`, answer.statusCode < 500 ? 'refuse' : 'retry') }
    } catch (error) {
      return { failure: downloadFailure(slugOf(error as Error), 'retry') }
    }
  }

  /** Asks for the address of a file that a person sent, which lives five minutes, and begins to fetch it. Never rejects. */
  async fetchFile(credentials: Credentials, { provider_media_id }: Json, limits: FetchLimits): Promise<ReceivedFile> {
    if (typeof provider_media_id !== 'string') return unknownReference()
    const found = await this.find(credentials, provider_media_id, performance.now() + ASK_DEADLINE_MS, limits.signal)
    if ('failure' in found) return found
    const { url, sha256 } = found.file ?? { url: '', sha256: '' }
    const target = parseUrl(url)
    if (!target) return { failure: found.file ? NOT_UNDERSTOOD : NOT_GIVEN }
    const opened = await fetchLink(this.#dispatcherFor(credentials), url, limits, headersFor(credentials, target))
    return 'failure' in opened ? opened : { ...opened, sha256: hexOf(sha256) }
  }

  async remove(credentials: Credentials, id: string, deadline: number): Promise<{ removed: true } | MediaFailure> {
    const found = await this.find(credentials, id, deadline)
    if ('failure' in found) return found
    if (found.file === null) return { removed: true }
    const called = await this.#call(credentials, 'DELETE', mediaPath(credentials, id), deadline)
    return 'failure' in called && !isUnknown(called) ? called : { removed: true }
  }

  async close(): Promise<void> {
    await Promise.all([this.#trusted.destroy(), this.#guarded.destroy()])
  }

  /** Connections to the configured address are direct; those to addresses that an answer names pass the guard. */
  #dispatcherFor({ api_base_url = BASE_URL }: Credentials): (url: URL) => Dispatcher {
    return directTo(api_base_url, this.#trusted, this.#guarded)
  }

  async #call(
    credentials: Credentials,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    deadline: number,
    { stream, signal }: { stream?: ReturnType<typeof multipart>; signal?: AbortSignal | undefined } = {},
  ): Promise<{ body: Json } | (MediaFailure & { body?: unknown })> {
    const limits = { deadline_ms: Math.max(1, deadline - performance.now()), read_limit: READ_LIMIT }
    const account = credentials as WhatsAppCredentials
    const { answer, body } = await callGraph(this.#trusted, account, { method, path, stream, signal, ...limits })
    stream?.body.destroy()
    if (!isSuccess(answer.status)) return { failure: failureOf(answer, body, now()), body }
    return isObject(body) ? { body } : { failure: NOT_UNDERSTOOD }
  }
}

const NOT_UNDERSTOOD: SendFailure = { ...UNREADABLE, maybe_accepted: false }

const NOT_GIVEN: SendFailure = {
  kind: 'retry',
  code: 'not_given',
  message: 'WhatsApp has no such file any more, or does not give it to this account.',
  maybe_accepted: false,
}

function headersFor({ api_base_url = BASE_URL, access_token }: Credentials, target: URL): Record<string, string> {
  const is_configured = target.origin === parseUrl(api_base_url)?.origin
  const takes_token = is_configured || (target.protocol === 'https:' && MEDIA_HOST.test(target.hostname))
  // Meta's host refuses requests without a user agent.
  return { ...(takes_token && { authorization: `Bearer ${access_token}` }), 'user-agent': 'Parley' }
}

/** A SHA-256 in hex, which Meta writes in hex or in base64. Undefined when it is none. */
function hexOf(sha256: string): string | undefined {
  if (/^[0-9a-f]{64}$/i.test(sha256)) return sha256.toLowerCase()
  return /^[A-Za-z0-9+/]{43}=$/.test(sha256) ? Buffer.from(sha256, 'base64').toString('hex') : undefined
}

function downloadFailure(code: string, kind: SendFailure['kind']): SendFailure {
  return { kind, code, message: `The file could not be fetched from the provider: ${code}.`, maybe_accepted: false }
}

function mediaPath({ phone_number_id }: Credentials, id: string): string {
  return `${id}?phone_number_id=${encodeURIComponent(phone_number_id ?? '')}`
}

/** True for Graph's error for an object that does not exist, or is not this token's. */
function isUnknown({ body }: { body?: unknown }): boolean {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  return error.code === 100 && (error.error_subcode === 33 || error.error_subcode === undefined)
}

/** The form of an upload; the file is streamed while it is sent. */
function multipart({ path, file_size, mime_type, filename }: OutgoingFile) {
  const boundary = `parley-${randomBytes(16).toString('hex')}`
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  // Escapes quotes and line breaks as browsers do (the form-data algorithm of HTML).
  const name = (filename ?? 'file').replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const head = Buffer.from(
    `${field('messaging_product', 'whatsapp')}${field('type', mime_type)}--${boundary}\r\n` +
      `Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${mime_type}\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* parts() {
    yield head
    yield* createReadStream(path, { highWaterMark: 256 * KIB })
    yield tail
  }
  return {
    body: Readable.from(parts(), { objectMode: false }),
    content_type: `multipart/form-data; boundary=${boundary}`,
    length: head.length + file_size + tail.length,
  }
}
