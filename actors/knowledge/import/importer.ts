/**
 * The work of an import, outside of turns: bytes from the store of files or from an address, then their conversion. It
 * changes nothing that lasts, so it may be done any number of times.
 */
import { createReadStream } from 'node:fs'
import type { Dispatcher } from 'undici'
import { FairSlots, type Log } from '../../../runtime/mod.ts'
import type { BlobStore } from '../../../storage/mod.ts'
import { FetchFailed } from '../../outbound/mod.ts'
import { ConversionFailed, type Converted, type Converter } from '../convert/mod.ts'
import { fetchError, type ImportError, importError } from './failure.ts'
import { type FetchedDocument, fetchDocument } from './fetched_document.ts'

export type ImportJob = {
  node_id: string
  project_id: string
  origin: 'file' | 'url'
  source: string
  /** The key of the uploaded file. */
  media_id: string | null
  /** The encoding that the upload named. */
  charset: string | null
  /** Hash of the bytes that the document's text was made of; null for a document without a text. */
  known_sha256: string | null
}

export type ImportOutcome =
  | ({ kind: 'converted'; file_size: number | null; sha256: string | null } & Converted)
  /** The address gave the bytes that the document was made of. */
  | { kind: 'unchanged' }
  /** The same would happen again. */
  | { kind: 'failed'; error: ImportError }
  /** It may pass. */
  | { kind: 'delayed'; error: ImportError }

export type ImporterOptions = {
  blobs: BlobStore
  converter: Converter
  /** From the outbound guard. Closed by its owner. */
  dispatcher: Dispatcher
  /** For documents being fetched. */
  directory: string
  log: Log
  observe?: (done: { origin: 'file' | 'url'; outcome: string; duration_ms: number }) => void
}

/** Documents fetched at once on this node. */
const FETCHES = 8

export class Importer {
  readonly #options: ImporterOptions
  readonly #fetches = new FairSlots(FETCHES)

  constructor(options: ImporterOptions) {
    this.#options = options
  }

  /** Rejects only with the reason of the signal. */
  async run(job: ImportJob, signal: AbortSignal): Promise<ImportOutcome> {
    const { log, observe } = this.#options
    const started = performance.now()
    const { node_id, project_id, origin } = job
    let outcome: ImportOutcome
    try {
      outcome = await (origin === 'url' ? this.#fromAddress(job, signal) : this.#fromFile(job, signal))
    } catch (error) {
      signal.throwIfAborted()
      outcome = outcomeOf(error)
      if (outcome.kind === 'delayed' && !(error instanceof FetchFailed)) {
        log.warn({ project_id, node_id, error }, 'a document could not be converted now')
      }
    }
    const duration_ms = performance.now() - started
    const code = 'error' in outcome ? outcome.error.code : undefined
    log.info({ project_id, node_id, origin, outcome: outcome.kind, code, duration_ms }, 'a document was imported')
    observe?.({ origin, outcome: outcome.kind, duration_ms })
    return outcome
  }

  async #fromFile({ project_id, media_id, charset }: ImportJob, signal: AbortSignal): Promise<ImportOutcome> {
    const { blobs, converter } = this.#options
    const found = media_id === null ? undefined : await blobs.get(media_id)
    if (!found) return { kind: 'failed', error: importError('file_gone') }
    found.stream.destroy()
    const open = async () => (await blobs.get(media_id!))!.stream
    const converted = await converter.convert(open, { owner: project_id, charset, signal })
    return { kind: 'converted', file_size: null, sha256: null, ...converted }
  }

  async #fromAddress({ project_id, source, known_sha256 }: ImportJob, signal: AbortSignal): Promise<ImportOutcome> {
    const { converter } = this.#options
    const { path, file_size, sha256, charset, discard } = await this.#fetch(project_id, source, signal)
    try {
      if (sha256 === known_sha256) return { kind: 'unchanged' }
      const open = async () => createReadStream(path, { highWaterMark: 256 * 1024 })
      const converted = await converter.convert(open, { owner: project_id, url: source, charset, signal })
      return { kind: 'converted', file_size, sha256, ...converted }
    } finally {
      await discard()
    }
  }

  async #fetch(project_id: string, url: string, signal: AbortSignal): Promise<FetchedDocument> {
    const { dispatcher, directory } = this.#options
    const free = await this.#fetches.take(project_id, signal)
    try {
      return await fetchDocument(url, { dispatcher, directory, signal })
    } finally {
      free()
    }
  }
}

function outcomeOf(error: unknown): ImportOutcome {
  if (error instanceof ConversionFailed) {
    const { code, message } = error
    return { kind: 'failed', error: { code, message } }
  }
  if (error instanceof FetchFailed) return { kind: error.is_final ? 'failed' : 'delayed', error: fetchError(error) }
  return { kind: 'delayed', error: importError('not_converted') }
}
