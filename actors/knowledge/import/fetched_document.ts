/** A document behind an address, as a temporary file. */
import type { Dispatcher } from 'undici'
import { fetchFile, type SpooledStream, spoolStream } from '../../outbound/mod.ts'
import { MAX_DOCUMENT } from './failure.ts'

/** `charset`: the encoding that the server named; null without one. */
export type FetchedDocument = SpooledStream & { charset: string | null }

/** Milliseconds for the whole document. */
const DEADLINE_MS = 60_000

/**
 * Fetches through the dispatcher of the outbound guard, at most the size of a document. The caller discards the file;
 * the hourly tidying of the directory removes those of a process that died.
 *
 * @throws {FetchFailed} and the errors of the disk
 */
export async function fetchDocument(
  url: string,
  { dispatcher, directory, signal }: { dispatcher: Dispatcher; directory: string; signal: AbortSignal },
): Promise<FetchedDocument> {
  const options = { dispatcher, limit: MAX_DOCUMENT, deadline_ms: DEADLINE_MS, signal }
  const { stream, charset } = await fetchFile(url, options)
  return { ...(await spoolStream(stream, directory, 'import')), charset }
}
