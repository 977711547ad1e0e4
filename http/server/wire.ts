/**
 * How a request is delimited, as far as its headers say, and whether they say it in one way only.
 *
 * The parser of uWebSockets.js takes the first `Content-Length` and the first `Transfer-Encoding`, and calls any coding
 * chunked. A proxy in front may take the last, or read the coding: the two then disagree on where the request ends, and what
 * is body to one is the next request to the other. So what can be read in two ways is refused, before its body is believed.
 * `test/http/wire/` replays what the parser is known to take, and lists what it leaves no way to mend.
 */
import type * as uWS from 'uWebSockets.js'
import { type ApiError, envelope, invalid } from './api_error.ts'
import { statusLine } from './compiled_route.ts'

/** The connection is of no use after the request. */
export type Parting = {
  /** Why the request is not believed. Undefined when it only is the last: the answer is then to be the last thing, too. */
  refusal: ApiError | undefined
}

/** As many as the parser reads without rounding, whatever reads them. */
const LENGTH = /^\d{1,15}$/
/** RFC 9110, section 7.2: a name or an address, and a port. It may be empty. */
const HOST = /^(?:\[[\dA-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/

/** Headers of the request that is looked at. Filled while they are listed, which is done at once. */
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
 * Undefined for a request after which the connection may go on. The method of one that no route takes is looked at, too.
 * Only before the handler of uWebSockets.js returns.
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
 * The parser takes chunks that others would not: with a bare LF, with anything between their data and the next size. Nothing
 * tells us of that, so nothing that follows a chunked body on its connection is read.
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
 * To be called before anything is written. A write to a client that is gone, or that reads nothing, leaves the answer of
 * uWebSockets.js half done, and when the handler then returns and nothing hears of aborts, the process is ended.
 */
export function outliveClient(response: uWS.HttpResponse): void {
  response.onAborted(ignore)
}

function ignore(): void {}

/**
 * For handlers of others on the same port, which read no bodies: `handler` gets no request that brings one of unknown
 * length or is not believed. The refusal leaves once the parser is done with what came along; see `Reply.last`.
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
