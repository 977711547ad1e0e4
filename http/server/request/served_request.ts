/** A request whose route answers in its own format, in one piece or in many. */

import type { Route } from '../route/route.ts'
import type { Exchange } from './exchange.ts'

/** Headers of an answer that the server writes itself. */
const OWN = new Set(['content-length', 'connection', 'transfer-encoding', 'date', 'x-request-id'])

/** Lets the route answer, once the caller is admitted. */
export function serveRequest(exchange: Exchange, serve: NonNullable<Route['serve']>) {
  const { server, request_validation, departure, reply } = exchange
  const arrival = exchange.arrival!
  const request = {
    headers: joined(arrival.lines),
    body: request_validation.input.body as Uint8Array,
    signal: departure,
    call: server.callerOf(arrival),
  }
  const answered = serve(request, exchange.context).then(async (answer) => {
    reply.addHeaders(headerLines(answer.headers))
    const is_stream = answer.headers.get('content-type')?.startsWith('text/event-stream')
    if (is_stream && answer.body !== null) return reply.pieces(answer.status, answer.body)
    const body = new Uint8Array(await answer.arrayBuffer())
    reply.bytes(answer.status, body.byteLength === 0 ? undefined : body)
  })
  exchange.work(answered, () => {})
}

/** Lines of one name become one value (RFC 9110, 5.3), so that none of them is overlooked. */
function joined(lines: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of lines) {
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

function headerLines(headers: Headers): string {
  let lines = ''
  for (const [name, value] of headers) if (!OWN.has(name)) lines += `${name}: ${value}\r\n`
  return lines
}
