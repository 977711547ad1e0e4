import * as uWS from 'uWebSockets.js'
import { createHash, randomBytes } from 'node:crypto'
import { GraphError } from './requests/errors.ts'

export type Media = {
  id: string
  phone_number_id: string
  mime_type: string
  filename: string | undefined
  sha256: string
  bytes: Uint8Array
  /** Unix milliseconds. */
  expires_at: number
}

const MIB = 1024 * 1024
const AUDIO = ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg']
const VIDEO = ['video/mp4', 'video/3gp', 'video/3gpp']
const DOCUMENT = [
  'text/plain',
  'text/csv',
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
]

/** Maximum upload in bytes for each supported type. */
const LIMITS = new Map<string, number>([
  ['image/jpeg', 5 * MIB],
  ['image/png', 5 * MIB],
  ['image/webp', 500 * 1024],
  ...AUDIO.map((type): [string, number] => [type, 16 * MIB]),
  ...VIDEO.map((type): [string, number] => [type, 16 * MIB]),
  ...DOCUMENT.map((type): [string, number] => [type, 100 * MIB]),
])

const DAY_MS = 24 * 3600 * 1000
const UPLOADED_DAYS = 30
const RECEIVED_DAYS = 7
/** Maximum total bytes of media; beyond it the oldest are dropped. */
const TOTAL_LIMIT = 512 * MIB

/** Uploaded and received files, in memory. */
export class MediaStore {
  readonly #by_id = new Map<string, Media>()
  #bytes = 0
  #sequence = 800000000000000
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Parses the multipart body of POST /{phone-number-id}/media. Throws GraphError. */
  upload(phone_number_id: string, body: Buffer, content_type: string, query: URLSearchParams): Media {
    const parts = content_type.startsWith('multipart/form-data') ? (uWS.getParts(body, content_type) ?? []) : []
    const field = (name: string) => {
      const part = parts.find((candidate) => candidate.name === name && candidate.filename === undefined)
      return part ? Buffer.from(part.data).toString('utf8') : undefined
    }
    if ((field('messaging_product') ?? query.get('messaging_product')) !== 'whatsapp')
      throw new GraphError(100, { message: '(#100) The parameter messaging_product is required.' })
    const file = parts.find((part) => part.name === 'file')
    if (!file) throw new GraphError(100, { message: '(#100) The parameter file is required.' })
    const declared = field('type')
    // Clients that send a bare kind ("image") mean the type of the part.
    const type = bare(declared?.includes('/') ? declared : (file.type ?? ''))
    const limit = LIMITS.get(type)
    if (limit === undefined)
      throw new GraphError(100, {
        message: `(#100) Param file must be a file with one of the following types: ${[...LIMITS.keys()].join(', ')}. Received file of type '${type || 'application/octet-stream'}'.`,
      })
    if (file.data.byteLength > limit)
      throw new GraphError(131053, { details: `The file has ${file.data.byteLength} bytes; ${type} takes ${limit}.` })
    return this.#add(phone_number_id, type, file.filename, new Uint8Array(file.data.slice(0)), UPLOADED_DAYS)
  }

  /** Stores a file of a simulated person. */
  receive(phone_number_id: string, mime_type: string, data: Uint8Array, filename?: string): Media {
    return this.#add(phone_number_id, mime_type, filename, data, RECEIVED_DAYS)
  }

  /** Undefined when it is unknown, deleted or expired. */
  find(id: string): Media | undefined {
    const media = this.#by_id.get(id)
    return media && media.expires_at > this.#now() ? media : undefined
  }

  remove(id: string): void {
    const media = this.#by_id.get(id)
    if (!media) return
    this.#by_id.delete(id)
    this.#bytes -= media.bytes.byteLength
  }

  #add(
    phone_number_id: string,
    mime_type: string,
    filename: string | undefined,
    bytes: Uint8Array,
    days: number,
  ): Media {
    const id = String(++this.#sequence)
    const media: Media = {
      id,
      phone_number_id,
      mime_type,
      filename,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes,
      expires_at: this.#now() + days * DAY_MS,
    }
    this.#by_id.set(id, media)
    this.#bytes += bytes.byteLength
    for (const oldest of this.#by_id.keys()) {
      if (this.#bytes <= TOTAL_LIMIT) break
      this.remove(oldest)
    }
    return media
  }
}

function bare(content_type: string): string {
  return (content_type.split(';')[0] ?? '').trim().toLowerCase()
}

/** Download links: `mid` names the file, `ext` is the Unix second of expiry, `hash` prevents forgery. */
export class DownloadLinks {
  readonly #key = randomBytes(16).toString('hex')
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** A link to the file that is valid for five minutes. */
  create(base_url: string, media_id: string): string {
    const ext = Math.floor(this.#now() / 1000) + 300
    return `${base_url}/whatsapp_business/attachments/?mid=${media_id}&ext=${ext}&hash=${this.#hash(media_id, ext)}`
  }

  /** The id of the file of a link; undefined when the link is forged or expired. */
  resolve(query: URLSearchParams): string | undefined {
    const media_id = query.get('mid') ?? ''
    const ext = Number(query.get('ext'))
    return query.get('hash') === this.#hash(media_id, ext) && ext * 1000 > this.#now() ? media_id : undefined
  }

  #hash(media_id: string, ext: number): string {
    return createHash('sha256').update(`${this.#key}:${media_id}:${ext}`).digest('base64url').slice(0, 24)
  }
}
