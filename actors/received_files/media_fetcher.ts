/**
 * The work of a fetch, outside of turns: the bytes go from the provider to a temporary file, and from there into the store of
 * files. It may be done any number of times: each attempt has a key of its own in the store.
 *
 * The row of the stored file ends early; the turn that names it in its message keeps it.
 */
import { createReadStream } from 'node:fs'
import { FairSlots, type Log } from '../../runtime/mod.ts'
import {
  type BlobStore,
  blank,
  type Database,
  Media,
  newDate,
  objectId,
  STORING_MS,
  storeFile,
} from '../../storage/mod.ts'
import { safeName, sniffFile, typeOf } from '../media/mod.ts'
import { FetchFailed, type SpooledStream, spoolStream } from '../outbound/mod.ts'
import type { Credentials, FetchLimits, Providers, ReceivedFile, SendFailure } from '../providers/mod.ts'
import { fetchFailure } from '../providers/received_file.ts'

export type FetchJob = {
  media_id: string
  /** Its number. Only the last one stores the file. */
  attempt: number
  company_id: string
  project_id: string
  channel: { channel_type: string; provider: string; credentials: Credentials }
  /** Facts by which the adapter finds the file. */
  reference: Record<string, unknown>
  /** Facts in the message. */
  mime_type: string | null
  filename: string | null
  /** The provider's id of the file, where clients may ask for it by that. */
  provider_media_id: string | null
}

export type StoredFile = { mime_type: string; file_size: number; sha256: string; filename: string | null }

export type FetchError = { code: string; message: string }

export type FetchOutcome =
  | { kind: 'stored'; file: StoredFile; blob_key: string }
  /** The same would happen again. */
  | { kind: 'failed'; error: FetchError }
  /** It may pass. */
  | { kind: 'delayed'; error: FetchError; retry_after_s: number | null }

export type MediaFetcherOptions = {
  database: Database
  blobs: BlobStore
  providers: Pick<Providers, 'of'>
  /** Takes room for a file of a person. Returns false when the project has none. */
  takeRoom(project_id: string, file_size: number): Promise<boolean>
  /** For files under way. */
  directory: string
  log: Log
  observe?: (done: { channel: string; outcome: string; duration_ms: number }) => void
}

/** Bytes. */
export const MAX_RECEIVED = 100 * 1024 * 1024
const DEADLINE_MS = 5 * 60_000
/** Files fetched at once on this node, and of one company, however many projects it has. */
const FETCHES = 24
const MAX_OF_COMPANY = 8

export class MediaFetcher {
  readonly #options: MediaFetcherOptions
  readonly #places = new FairSlots(FETCHES, { max_of_one: MAX_OF_COMPANY })

  constructor(options: MediaFetcherOptions) {
    this.#options = options
  }

  /** Rejects only with the reason of the signal. */
  async run(job: FetchJob, signal: AbortSignal): Promise<FetchOutcome> {
    const { log, observe } = this.#options
    const started = performance.now()
    const { media_id, company_id, project_id } = job
    const { channel_type: channel } = job.channel
    let outcome: FetchOutcome
    const free = await this.#places.take(company_id, signal)
    try {
      outcome = await this.#fetch(job, signal)
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ project_id, media_id, error }, 'a file of a person could not be stored now')
      outcome = delayedBy(NOT_STORED)
    } finally {
      free()
    }
    const duration_ms = performance.now() - started
    const code = 'error' in outcome ? outcome.error.code : undefined
    log.debug({ project_id, media_id, channel, outcome: outcome.kind, code, duration_ms }, 'a file was fetched')
    observe?.({ channel, outcome: outcome.kind, duration_ms })
    return outcome
  }

  async #fetch(job: FetchJob, signal: AbortSignal): Promise<FetchOutcome> {
    const opened = await this.#open(job, { max_bytes: MAX_RECEIVED, deadline_ms: DEADLINE_MS, signal })
    if ('failure' in opened) return outcomeOf(opened.failure)
    let spooled: SpooledStream
    try {
      spooled = await spoolStream(opened.stream, this.#options.directory, 'received')
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error
      signal.throwIfAborted()
      return outcomeOf(fetchFailure(error))
    }
    try {
      if (opened.sha256 !== undefined && opened.sha256 !== spooled.sha256) return delayedBy(OTHER_BYTES)
      return await this.#store(job, spooled)
    } finally {
      await spooled.discard()
    }
  }

  async #open({ channel, reference }: FetchJob, limits: FetchLimits): Promise<ReceivedFile> {
    const provider = this.#options.providers.of(channel)
    if (!provider?.fetchFile) return { failure: NO_PROVIDER }
    return provider.fetchFile(channel.credentials, reference, limits)
  }

  async #store(job: FetchJob, { path, file_size, sha256 }: SpooledStream): Promise<FetchOutcome> {
    const { database, blobs, takeRoom } = this.#options
    const { media_id, attempt, company_id, project_id } = job
    if (file_size === 0) return delayedBy(EMPTY)
    if (!(await takeRoom(project_id, file_size))) return { kind: 'failed', error: NO_ROOM }
    const sniffed = await sniffFile(path)
    if (job.reference.is_shared === true && isPage(sniffed.mime_type)) return { kind: 'failed', error: PAGE }
    const filename = safeName(job.filename ?? undefined)
    const typed = typeOf(sniffed, { type: null, part_type: job.mime_type, filename })
    const mime_type = 'mime_type' in typed ? typed.mime_type : 'application/octet-stream'
    const created_at = newDate()
    const expires_at = new Date(created_at.getTime() + STORING_MS)
    const file = { mime_type, file_size, sha256, filename }
    const received_media_id = job.provider_media_id
    const row = blank(Media, { media_id, company_id, project_id, ...file, received_media_id, created_at, expires_at })
    const bytes = () => createReadStream(path, { highWaterMark: 256 * 1024 })
    const blob_key = objectId()
    const is_stored = await storeFile(blobs, database, { ...row, blob_key }, bytes, attempt)
    return is_stored ? { kind: 'stored', file, blob_key } : delayedBy(NOT_STORED)
  }
}

function outcomeOf({ kind, code, message, retry_after_s }: SendFailure): FetchOutcome {
  const error = { code, message }
  return kind === 'refuse'
    ? { kind: 'failed', error }
    : { kind: 'delayed', error, retry_after_s: retry_after_s ?? null }
}

function delayedBy(error: FetchError): FetchOutcome {
  return { kind: 'delayed', error, retry_after_s: null }
}

/** Shared posts, reels and stories are pictures and films: a text is the page that stands in for one. */
function isPage(mime_type: string): boolean {
  return /^(?:text\/.*|application\/(?:xml|xhtml\+xml|json))$/.test(mime_type)
}

const NO_PROVIDER: SendFailure = {
  kind: 'refuse',
  code: 'channel_gone',
  message: 'The channel that had the file is not there any more.',
  maybe_accepted: false,
}
const NOT_STORED: FetchError = { code: 'not_stored', message: 'The file could not be stored.' }
const OTHER_BYTES: FetchError = { code: 'other_bytes', message: 'The provider sent other bytes than it announced.' }
const PAGE: FetchError = {
  code: 'is_page',
  message: 'The provider sent a web page in place of the file. The link may show more.',
}
const EMPTY: FetchError = { code: 'empty', message: 'The provider sent a file without bytes.' }
const NO_ROOM: FetchError = {
  code: 'no_room',
  message: 'The project has no room for more files of people. Delete some, or wait until they expire.',
}
