/** Fetching of files that people sent, as far as it is the same for all providers. */
import type { Dispatcher } from 'undici'
import { FetchFailed, fetchFile, parseUrl } from '../outbound/mod.ts'
import type { FetchLimits, ReceivedFile, SendFailure } from './provider.ts'

/** Begins to fetch the file behind a link. Never rejects. */
export async function fetchLink(
  dispatcher: Dispatcher | ((url: URL) => Dispatcher),
  url: string,
  { max_bytes: limit, deadline_ms, signal }: FetchLimits,
  headers?: Record<string, string>,
): Promise<ReceivedFile> {
  try {
    const { stream } = await fetchFile(url, { dispatcher, limit, deadline_ms, signal, headers })
    return { stream }
  } catch (error) {
    return { failure: fetchFailure(error) }
  }
}

/**
 * Chooses the connections for links that a provider names: those to the configured address of its API are direct, like
 * its other calls; all others, also after a redirection, pass the outbound guard.
 */
export function directTo(base_url: string, direct: Dispatcher, guarded: Dispatcher): (url: URL) => Dispatcher {
  const origin = parseUrl(base_url)?.origin
  return (url) => (url.origin === origin ? direct : guarded)
}

/** A failure of a fetch, while it began or while the bytes came. Links that have expired are asked for again. */
export function fetchFailure(error: unknown): SendFailure {
  const failed = error instanceof FetchFailed ? error : new FetchFailed('connection_failed')
  const { code } = failed
  const is_final = failed.is_final && !code.startsWith('http_')
  const message = MEANING[code] ?? `The file could not be fetched from the provider: ${code}.`
  const { retry_after_s } = failed
  const wait = retry_after_s === undefined ? {} : { retry_after_s }
  return { kind: is_final ? 'refuse' : 'retry', code, message, maybe_accepted: false, ...wait }
}

const MEANING: Record<string, string> = {
  too_large: 'The file is larger than 100 MiB.',
  timeout: 'The provider did not send the file in time.',
}

/** A reference of another release, or a message without what its kind of file has. */
export function unknownReference(): { failure: SendFailure } {
  const message = 'The message does not say where the file is.'
  return { failure: { kind: 'refuse', code: 'no_reference', message, maybe_accepted: false } }
}
