/**
 * Checks that the headers delimit a request in exactly one way.
 *
 * The parser of uWebSockets.js takes the first `Content-Length` and the first `Transfer-Encoding`, and calls any coding
 * chunked. A proxy in front may take the last, or read the coding. The two then disagree on where the request ends, and
 * the body for one is the next request for the other. Ambiguous requests are therefore refused before their body is
 * believed. `test/http/wire/` replays the known quirks of the parser, and lists those that cannot be mended.
 */
import type * as uWS from 'uWebSockets.js'
import { type ApiError, envelope, invalid } from '../errors/api_error.ts'
import { statusLine } from '../route/compiled_route.ts'

/** A request after which the connection must be closed. */
export type Parting = {
  /** The error of a refused request. Undefined when the request is only the last one: its answer then ends the connection. */
  refusal: ApiError | undefined
}

/** Lengths that every parser reads without rounding. */
const LENGTH = /^\d{1,15}$/
/** RFC 9110, section 7.2: a name or an address, and a port. It may be empty. */
const HOST = /^(?:\[[\dA-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers of the current request. Filled and read synchronously. */
const seen = { hosts: 0, lengths: 0, codings: 0, host: '', length: '', coding: '', connection: '' }

/** Called for each header of each request, hence no object per header. */
function see(name: string, value: string): void {
  if (name === 'host') {
    seen.hosts++
    seen.host = value
  } else if (name === 'content-length') {
    seen.lengths++
    seen.length = value
  } else if (name === 'transfer-encoding') {
    seen.codings++
    seen.coding = value
  } else if (name === 'connection') seen.connection = value
}

const LAST: Parting = { refusal: undefined }

/**
 * Undefined for a request after which the connection may go on. Checks the method of unrouted requests, too. Call
 * before the handler of uWebSockets.js returns.
 */
export function partingOf(request: uWS.HttpRequest, is_routed = true): Parting | undefined {
  seen.hosts = seen.lengths = seen.codings = 0
  seen.connection = ''
  request.forEach(see)
  if (!is_routed && !METHOD.test(request.getCaseSensitiveMethod())) {
    return refused('', 'the method is not one', 'invalid_format')
  }
  if (seen.hosts > 1) return refused('Host', 'must be sent once', 'duplicate')
  if (!HOST.test(seen.host)) return refused('Host', 'must be a host and perhaps a port', 'invalid_format')
  if (seen.lengths > 1) return refused('Content-Length', 'must be sent once', 'duplicate')
  if (seen.codings > 1) return refused('Transfer-Encoding', 'must be sent once', 'duplicate')
  if (seen.codings === 1) return partingOfChunked(request)
  if (seen.lengths === 1 && !LENGTH.test(seen.length)) {
    return refused('Content-Length', 'must be a number of bytes', 'invalid_format')
  }
  // The parser knows the option only where it stands alone.
  if (seen.connection.length > 5 && /(?:^|,)\s*close\s*(?:,|$)/i.test(seen.connection)) return LAST
  return undefined
}

/**
 * The parser accepts chunks that others would not: with a bare LF, with any bytes between their data and the next size.
 * It does not report them, so the connection is closed after every chunked body.
 */
function partingOfChunked(request: uWS.HttpRequest): Parting {
  if (seen.lengths > 0) return refused('Content-Length', 'must not come with Transfer-Encoding', 'invalid_value')
  if (seen.coding.toLowerCase() !== 'chunked') return refused('Transfer-Encoding', 'must be chunked', 'invalid_value')
  const method = request.getCaseSensitiveMethod()
  if (method !== 'GET' && method !== 'HEAD') return LAST
  return refused('Transfer-Encoding', `must not come with ${method}`, 'invalid_value')
}

function refused(path: string, message: string, code: string): Parting {
  return { refusal: { ...invalid([{ path, message, code }]), close: true } }
}

/**
 * Call before anything is written. A write to a client that is gone, or that reads nothing, leaves the answer of
 * uWebSockets.js half done; without an abort handler the process is then ended when the handler returns.
 */
export function outliveClient(response: uWS.HttpResponse): void {
  response.onAborted(ignore)
}

function ignore(): void {}

/**
 * For other modules' handlers on the same port, which read no bodies: `handler` gets no request with a body of unknown
 * length or with ambiguous headers. The refusal leaves once the parser is done with the packet; see `Reply.last`.
 */
export function turningAway<Rest extends unknown[]>(
  handler: (response: uWS.HttpResponse, request: uWS.HttpRequest, ...rest: Rest) => unknown,
): (response: uWS.HttpResponse, request: uWS.HttpRequest, ...rest: Rest) => void {
  return (response, request, ...rest) => {
    outliveClient(response)
    const parting = partingOf(request)
    if (parting === undefined || (parting === LAST && seen.codings === 0))
      return void handler(response, request, ...rest)
    const failure = parting.refusal ?? refused('Transfer-Encoding', 'must not be sent here', 'invalid_value').refusal!
    let open = true
    response.onAborted(() => {
      open = false
    })
    response.pause()
    setImmediate(() => {
      if (!open) return
      response.resume()
      response.cork(() => {
        response.writeStatus(statusLine(400)).writeHeader('Content-Type', 'application/json; charset=utf-8')
        response.end(envelope(failure), true)
      })
    })
  }
}
