/**
 * Files of e-mails. The mail system brings each of them before the e-mail, which then names them:
 * `POST /providers/email/{channel}/files` with the bytes as the body. docs/channels/email.md describes it.
 *
 *  F1 No byte of a body is read without the channel's signature of its hash. The bytes have to be those of the hash.
 *  F2 A file that no e-mail names is removed within the hour.
 *  F3 A mail system that sends slowly holds up the files of its own company alone.
 */
import type * as uWS from 'uWebSockets.js'
import { createReadStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SIGNED_CALL_HEADER, safeName, sniffFile, typeOf, verifyCall } from '../../actors/mod.ts'
import type { Log } from '../../runtime/mod.ts'
import {
  type BlobStore,
  blank,
  type Channel,
  credentialsOf,
  type Database,
  findChannel,
  Media,
  newDate,
  objectId,
  STORING_MS,
  storeFile,
} from '../../storage/mod.ts'
import { BodyFailed, IncomingBody } from '../server/body/incoming_body.ts'
import { strictTransport, type TlsRules } from '../server/reply/strict_transport.ts'
import { turningAway } from '../server/reply/wire.ts'
import type { SocketAddresses } from '../server/sockets/sockets.ts'
import type { FileRoom } from './file_room.ts'
import { spool } from './upload_form.ts'
import { UploadPlaces } from './upload_places.ts'

const MIB = 1024 * 1024
const MAX_BYTES = 100 * MIB
const SILENCE_MS = 15_000

export type MailFileOptions = Pick<SocketAddresses, 'limits' | 'clientAddress'> &
  TlsRules & {
    app: uWS.TemplatedApp
    database: Database
    blobs: BlobStore
    room: FileRoom
    /** For files under way. */
    directory: string
    log: Log
  }

/** The end of a request that is refused. */
class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Asked = {
  channel_id: string
  address: string
  /** Hash of the bytes that are announced, as hex. */
  sha256: string
  signature: string
  part_type: string
  filename: string | null
}

export class MailFiles {
  readonly #options: MailFileOptions
  readonly #places = new UploadPlaces()

  /** Attaches itself to the app, which must not listen yet. */
  constructor(options: MailFileOptions) {
    this.#options = options
    options.app.post(
      '/providers/email/:channel_id/files',
      turningAway((response, request) => this.#receive(response, request)),
    )
  }

  #receive(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
    const { clientAddress, isSecure, directory, log } = this.#options
    const asked: Asked = {
      channel_id: request.getParameter(0) ?? '',
      address: clientAddress(response, request),
      sha256: request.getHeader('x-parley-sha256'),
      signature: request.getHeader(SIGNED_CALL_HEADER),
      part_type: request.getHeader('content-type'),
      filename: nameIn(request.getHeader('x-parley-filename')),
    }
    const is_secure = isSecure?.(response, request) ?? true
    const header = strictTransport(this.#options, response, request)
    const body = new IncomingBody(response, { limit: MAX_BYTES, silence_ms: SILENCE_MS, directory })
    let is_here = true
    response.onAborted(() => {
      is_here = false
      body.abandon()
    })
    let leave: (() => void) | undefined
    const work = async () => {
      if (!is_secure) throw new Refused(403, 'Use TLS.')
      const channel = await this.#channel(asked)
      leave = this.#places.enter({ company: channel.company_id, address: asked.address }, () => body.destroy(crowded()))
      if (!leave) throw crowded()
      return this.#store(body, asked, channel)
    }
    work()
      .then(
        (media_id) => ({ status: 200, answer: { media_id } as object }),
        (error: Error) => {
          const refusal = error instanceof Refused ? error : refusalOf(error)
          if (refusal.status === 503 && is_here && !(error instanceof Refused))
            log.warn({ error: error.message }, 'a file of an e-mail could not be stored')
          return { status: refusal.status, answer: { error: { message: refusal.message } } }
        },
      )
      .then(({ status, answer }) => {
        leave?.()
        if (!is_here) return
        body.release()
        // Not within the packet of the request; see `Reply.last`.
        setImmediate(() => is_here && write(response, status, answer, header))
      })
  }

  /** F1 */
  async #channel({ channel_id, address, sha256, signature }: Asked): Promise<Channel> {
    const { limits, database } = this.#options
    if (limits.look(address, 'upload_mib')) throw new Refused(429, 'Too many refused requests. Try again later.')
    const channel = await findChannel(database, channel_id)
    const secret = channel?.channel_type === 'email' ? credentialsOf(database, channel)?.inbound_secret : undefined
    if (channel && secret && /^[0-9a-f]{64}$/.test(sha256) && verifyCall(secret, sha256, signature, newDate()))
      return channel
    limits.take(address, 'upload_mib')
    throw channel?.channel_type === 'email'
      ? new Refused(401, 'the signature does not match, or its time is more than 5 minutes off')
      : new Refused(404, 'no such channel')
  }

  async #store(body: IncomingBody, { sha256: announced, part_type, filename }: Asked, channel: Channel) {
    const { database, blobs, room, directory } = this.#options
    const { company_id, project_id } = channel
    const media_id = objectId()
    const path = join(directory, `mail-${media_id}`)
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const { file_size, sha256 } = await spool(body, path, MAX_BYTES)
      if (sha256 !== announced) throw new Refused(400, 'the bytes are not those of X-Parley-Sha256')
      if (file_size === 0) throw new Refused(400, 'the file is empty')
      if (!(await room.takeForVisitor(project_id, file_size))) throw new Refused(507, 'The project has no room.')
      const typed = typeOf(await sniffFile(path), { type: null, part_type, filename })
      const mime_type = 'mime_type' in typed ? typed.mime_type : 'application/octet-stream'
      const created_at = newDate()
      const expires_at = new Date(created_at.getTime() + STORING_MS)
      const facts = { mime_type, file_size, sha256, filename }
      const row = blank(Media, { media_id, company_id, project_id, ...facts, created_at, expires_at })
      const bytes = () => createReadStream(path, { highWaterMark: 256 * 1024 })
      if (!(await storeFile(blobs, database, { ...row, blob_key: media_id }, bytes)))
        throw new Refused(404, 'no such channel')
      return media_id
    } finally {
      // A file that cannot be removed now is removed by the tidying.
      await rm(path, { force: true }).catch(() => {})
    }
  }
}

function crowded(): Refused {
  return new Refused(503, 'Many files are being received. Try again.')
}

function nameIn(value: string): string | null {
  try {
    return safeName(decodeURIComponent(value))
  } catch {
    return null
  }
}

function refusalOf(error: Error): Refused {
  if (!(error instanceof BodyFailed)) return new Refused(503, 'The file cannot be stored at the moment.')
  return error.problem === 'PAYLOAD_TOO_LARGE'
    ? new Refused(413, `A file has at most ${MAX_BYTES / MIB} MiB.`)
    : new Refused(408, 'The file did not arrive as a whole.')
}

const LINES: Record<number, string> = {
  200: '200 OK',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  408: '408 Request Timeout',
  413: '413 Content Too Large',
  429: '429 Too Many Requests',
  503: '503 Service Unavailable',
  507: '507 Insufficient Storage',
}

function write(
  response: uWS.HttpResponse,
  status: number,
  answer: object,
  header: readonly [string, string] | undefined,
): void {
  response.cork(() => {
    response.writeStatus(LINES[status]!).writeHeader('Cache-Control', 'no-store')
    if (header) response.writeHeader(...header)
    response.writeHeader('Content-Type', 'application/json').end(JSON.stringify(answer))
  })
}
