/** Sentences for the failures of an import that are not the document's. */
import type { FetchFailed } from '../../outbound/mod.ts'

/** Maximum bytes of a document, uploaded or fetched. */
export const MAX_DOCUMENT = 32 * 1024 * 1024

/** The reason of a failed import, for people. */
export type ImportError = { code: string; message: string }

const TOO_LARGE = `The document has more than ${MAX_DOCUMENT / 1024 / 1024} MiB. Split it, then import its parts.`

const FETCH_MESSAGES: Record<string, string> = {
  too_large: TOO_LARGE,
  too_many_redirects: 'The address redirects too often.',
  address_forbidden: 'The address, or one that it redirects to, is not on the public Internet.',
  invalid_request: 'The address redirects to something that is not a web address.',
  url_credentials: 'The address redirects to one with a user name or password.',
  name_not_resolved: 'The host name of the address does not exist.',
  connection_refused: 'The server refuses connections.',
  connection_failed: 'The server could not be reached.',
  connection_reset: 'The server broke off the connection.',
  tls_failed: 'The server has no valid certificate.',
  proxy_failed: 'The proxy for outbound requests could not reach the server.',
  timeout: 'The server did not send the document in time.',
  invalid_response: 'The server did not answer with valid HTTP.',
}

export function fetchError({ code }: FetchFailed): ImportError {
  const status = /^http_(\d{3})$/.exec(code)?.[1]
  const message = status ? `The server answered with HTTP status ${status}.` : FETCH_MESSAGES[code]
  return { code, message: message ?? `The document could not be fetched: ${code}.` }
}

export const importErrors = {
  file_gone: 'The uploaded file is not stored any more. Upload it again.',
  interrupted: 'The conversion was interrupted several times. Import the document again.',
  overtaken: 'The text of the document was changed during the import, and stays. Import it again to replace the text.',
  not_converted: 'The document could not be converted because of a fault of the server. Import it again later.',
} as const

export function importError(code: keyof typeof importErrors): ImportError {
  return { code, message: importErrors[code] }
}
