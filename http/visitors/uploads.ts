/**
 * Files of visitors. A page asks over its socket for the permission to upload one file, and sends the bytes to the address
 * that the permission is part of. The answer names the file, for a message of the same visitor.
 *
 *  U1 No byte of a body is read without a permission of ours for this length. Permissions are given by the limits of the
 *     session and of its address, in bytes. A node reads one body for each.
 *  U2 The bytes decide what a file is, and how its name may end. Only types that cannot run code in a browser are taken.
 *  U3 A file that no message names is removed within the hour.
 */

import type * as uWS from 'uWebSockets.js'
import { createReadStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { kindsOf, openNote, safeName, sealNote, sniffFile, typeOf, type VisitorFile } from '../../actors/mod.ts'
import type { Log } from '../../runtime/mod.ts'
import {
  type BlobStore,
  blank,
  type Database,
  keepMedia,
  Media,
  newDate,
  objectId,
  storeFile,
} from '../../storage/mod.ts'
import type { FileRoom } from '../media/file_room.ts'
import { spool } from '../media/upload_form.ts'
import { UploadPlaces } from '../media/upload_places.ts'
import { BodyFailed, IncomingBody } from '../server/body/incoming_body.ts'
import type { AddressLimits } from '../server/limits/address_limits.ts'
import { strictTransport, type TlsRules } from '../server/reply/strict_transport.ts'
import { turningAway } from '../server/reply/wire.ts'
import type { SocketAddresses } from '../server/sockets/sockets.ts'
import { acceptedTypes } from './accepted_types.ts'
import { isOriginAllowed, type WebChannel, type WebChannels } from './channels.ts'
import { fileNameOf } from './file_name.ts'
import { Refused, refusalOf, tooMuchFrom } from './refused.ts'

const MIB = 1024 * 1024
const MAX_BYTES = 20 * MIB
const PERMITTED_S = 600
const SILENCE_MS = 15_000
/** Until one of the uploads under way has ended, or counts as slow. */
const CROWDED_RETRY_S = 5
/** Until a message names the file. */
const UNNAMED_MS = 3_600_000
/** As all uploads. */
const KEPT_MS = 30 * 86_400_000
const MAX_NOTE_LENGTH = 2048
const PATH = '/visitor/files'

/** `id` tells apart the permissions for equal files. */
type Permission = { id: string; user_id: string; name: string | null; size: number; until_s: number }
type Named = VisitorFile & { user_id: string }

export type UploadOptions = SocketAddresses &
  TlsRules & {
    app: uWS.TemplatedApp
    database: Database
    blobs: BlobStore
    room: FileRoom
    /** For files under way. */
    directory: string
    channels: WebChannels
    log: Log
  }

export class VisitorUploads {
  readonly #options: UploadOptions
  readonly #limits: AddressLimits
  readonly #places = new UploadPlaces()
  /** Permissions that were used here, and the time until which they are remembered (U1), the earliest first. */
  readonly #used = new Map<string, number>()

  /** Attaches itself to the app, which must not listen yet. */
  constructor(options: UploadOptions) {
    this.#options = options
    this.#limits = options.limits
    const { app } = options
    app.options(
      `${PATH}/:channel_id/:note`,
      turningAway((response, request) => this.#preflight(response, request)),
    )
    app.post(
      `${PATH}/:channel_id/:note`,
      turningAway((response, request) => this.#receive(response, request)),
    )
  }

  /**
   * The address for one file of this visitor, relative to ours.
   *
   * @throws {Refused} when the file is too large, or the address has sent too much
   */
  permit(channel: WebChannel, user_id: string, address: string, asked: unknown): { path: string } {
    const { size, filename } = (asked ?? {}) as { size?: unknown; filename?: unknown }
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1)
      throw new Refused('MALFORMED', 'size must be the number of bytes of the file')
    if (size > MAX_BYTES) throw tooLarge()
    const refusal = this.#limits.take(address, 'upload_mib', Math.ceil(size / MIB))
    if (refusal) throw tooMuchFrom(refusal)
    const until_s = Math.floor(newDate().getTime() / 1000) + PERMITTED_S
    const name = typeof filename === 'string' ? safeName(filename.slice(-1000)) : null
    const permission: Permission = { id: objectId(), user_id, name, size, until_s }
    const note = sealNote('upload', channel._id, channel.visitor_secret, permission)
    return { path: `visitor/files/${channel._id}/${note}` }
  }

  /**
   * The file that an upload of this visitor was answered with. It is kept from now on.
   *
   * @throws {Refused} when there is no such file
   */
  async take({ _id, visitor_secret }: WebChannel, user_id: string, note: string): Promise<VisitorFile> {
    const named = openNote('file', _id, visitor_secret, note) as Named | undefined
    if (named?.user_id !== user_id) throw new Refused('FILE_GONE', 'There is no such file of this visitor.')
    const kept = await keepMedia(this.#options.database, named.media_id, new Date(newDate().getTime() + KEPT_MS))
    if (!kept) throw new Refused('FILE_GONE', 'The file is not there any more. Send it again.')
    const { user_id: _, ...file } = named
    return file
  }

  /** Pages of other sites ask first. The address itself is the permission. */
  #preflight(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
    const refusal = this.#limits.take(this.#options.clientAddress(response, request), 'page')
    answer(response, refusal ? 429 : 204, { header: strictTransport(this.#options, response, request) })
  }

  #receive(response: uWS.HttpResponse, request: uWS.HttpRequest): void {
    const { clientAddress, isSecure, directory, log } = this.#options
    const address = clientAddress(response, request)
    const [channel_id = '', note = ''] = [request.getParameter(0), request.getParameter(1)]
    const { origin, host } = { origin: request.getHeader('origin') || undefined, host: request.getHeader('host') }
    const length = Number(request.getHeader('content-length') || Number.NaN)
    const is_secure = isSecure?.(response, request) ?? true
    const header = strictTransport(this.#options, response, request)
    const body = new IncomingBody(response, { limit: MAX_BYTES, silence_ms: SILENCE_MS, directory })
    let is_here = true
    response.onAborted(() => {
      is_here = false
      body.abandon()
    })
    const excess = this.#limits.enter(address, 'visitor_upload')
    let leave: (() => void) | undefined
    const work = async () => {
      if (!is_secure) throw new Refused('MALFORMED', 'Use TLS.')
      if (excess) throw tooMuchFrom(excess)
      const { channel, permission } = await this.#permission(address, channel_id, note, length)
      if (!isOriginAllowed(channel, origin, host))
        throw new Refused('ORIGIN_NOT_ALLOWED', 'The chat is not meant for this page.')
      leave = this.#places.enter({ company: channel.company_id, address }, () => body.destroy(crowded()))
      if (!leave) throw crowded()
      await this.#use(channel, note, length)
      return this.#store(body, channel, permission)
    }
    work()
      .then(
        (stored) => ({ status: 200, stored: stored as object }),
        (error) => {
          const refusal = refusalOf(error)
          if (refusal.code === 'SERVICE_UNAVAILABLE' && is_here && !(error instanceof Refused))
            log.warn({ error: (error as Error).message }, 'an upload of a visitor failed')
          return { status: STATUS[refusal.code] ?? 400, stored: { error: refusal } }
        },
      )
      .then(({ status, stored }) => {
        leave?.()
        if (!excess) this.#limits.leave(address, 'visitor_upload')
        if (!is_here) return
        body.release()
        // Not within the packet of the request; see `Reply.last`.
        setImmediate(() => is_here && answer(response, status, { body: stored, header }))
      })
  }

  /** U1. A permission that is none counts for the address like a file of a MiB. */
  async #permission(address: string, channel_id: string, note: string, length: number) {
    const known = this.#limits.look(address, 'upload_mib')
    if (known) throw tooMuchFrom(known)
    const channel = note.length <= MAX_NOTE_LENGTH ? await this.#options.channels.find(channel_id) : undefined
    const permission =
      channel && (openNote('upload', channel._id, channel.visitor_secret, note) as Permission | undefined)
    if (!channel?.is_open || !permission || permission.until_s * 1000 < newDate().getTime()) {
      this.#limits.take(address, 'upload_mib')
      throw new Refused('UPLOAD_NOT_ALLOWED', 'The permission for this upload is none, or is over. Ask again.')
    }
    if (length !== permission.size) throw new Refused('MALFORMED', 'The body must have as many bytes as was announced.')
    return { channel, permission }
  }

  /** @throws {Refused} when the permission was used before, or the project has no room for the file */
  async #use(channel: WebChannel, note: string, length: number): Promise<void> {
    const now = performance.now()
    for (const [known, until] of this.#used) {
      if (until > now) break
      this.#used.delete(known)
    }
    const id = note.slice(note.indexOf('.'))
    if (this.#used.has(id)) throw new Refused('UPLOAD_NOT_ALLOWED', 'The permission is for one upload. Ask again.')
    // Longer than it is valid: the clock of its end may step back.
    this.#used.set(id, now + 2 * PERMITTED_S * 1000)
    if (!(await this.#options.room.takeForVisitor(channel.project_id, length))) throw filesFull()
  }

  async #store(body: IncomingBody, channel: WebChannel, { user_id, name }: Permission): Promise<object> {
    const { database, blobs, directory } = this.#options
    const media_id = objectId()
    const path = join(directory, `visitor-${media_id}`)
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const { file_size, sha256 } = await spool(body, path, MAX_BYTES)
      const typed = typeOf(await sniffFile(path), { type: null, part_type: null, filename: name })
      const mime_type = 'conflict' in typed ? '' : typed.mime_type
      if (!acceptedTypes.has(mime_type)) throw notAccepted()
      const filename = name === null ? null : fileNameOf(name, mime_type)
      const type = kindOf(mime_type)
      const created_at = newDate()
      const row = blank(Media, {
        media_id,
        company_id: channel.company_id,
        project_id: channel.project_id,
        mime_type,
        file_size,
        sha256,
        filename,
        created_at,
        expires_at: new Date(created_at.getTime() + UNNAMED_MS),
      })
      const stored = await storeFile(blobs, database, { ...row, blob_key: media_id }, () => createReadStream(path))
      if (!stored) throw new Error('the project is gone')
      const named: Named = { user_id, media_id, type, mime_type, filename, file_size, sha256 }
      return { file: sealNote('file', channel._id, channel.visitor_secret, named), type, mime_type }
    } catch (error) {
      if (error instanceof BodyFailed) throw new Refused('UPLOAD_ENDED', 'The upload ended early. Send it again.')
      throw error
    } finally {
      // A file that cannot be removed now is removed by the tidying.
      await rm(path, { force: true }).catch(() => {})
    }
  }
}

function kindOf(mime_type: string): VisitorFile['type'] {
  const [kind = 'document'] = kindsOf(mime_type)
  // Browsers other than Apple's do not show it.
  return kind === 'sticker' || mime_type === 'image/heic' ? 'document' : kind
}

const tooLarge = () => new Refused('FILE_TOO_LARGE', `A file has at most ${MAX_BYTES / MIB} MB.`)
const crowded = () =>
  new Refused(
    'SERVICE_UNAVAILABLE',
    `Many files are being sent at the moment. Try again in ${CROWDED_RETRY_S} s.`,
    CROWDED_RETRY_S,
  )
const filesFull = () => new Refused('FILES_FULL', 'There is no room for more files at the moment.')
const notAccepted = () =>
  new Refused('FILE_NOT_ACCEPTED', 'Only pictures, videos, sounds, PDF, Office and text files can be sent.')

const STATUS: Partial<Record<string, number>> = {
  TOO_FAST: 429,
  UPLOAD_NOT_ALLOWED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  FILE_NOT_ACCEPTED: 415,
  FILES_FULL: 507,
  SERVICE_UNAVAILABLE: 503,
}
const LINES: Record<number, string> = {
  200: '200 OK',
  204: '204 No Content',
  400: '400 Bad Request',
  403: '403 Forbidden',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  507: '507 Insufficient Storage',
  503: '503 Service Unavailable',
}

/** There are no cookies: any page may read the answer to what it may send. */
function answer(
  response: uWS.HttpResponse,
  status: number,
  { body, header }: { body?: object; header: readonly [string, string] | undefined },
): void {
  response.cork(() => {
    response
      .writeStatus(LINES[status]!)
      .writeHeader('Access-Control-Allow-Origin', '*')
      .writeHeader('Access-Control-Allow-Methods', 'POST')
      .writeHeader('Access-Control-Allow-Headers', 'content-type')
      .writeHeader('Access-Control-Max-Age', '7200')
      .writeHeader('Cache-Control', 'no-store')
      .writeHeader('X-Content-Type-Options', 'nosniff')
    if (header) response.writeHeader(...header)
    if (body === undefined) response.endWithoutBody()
    else response.writeHeader('Content-Type', 'application/json').end(JSON.stringify(body))
  })
}
