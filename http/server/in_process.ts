/**
 * Calls a route of this server from within, with the bearer of a request that is under way.
 *
 * The call passes through `request_handler.ts` like a request over the network, so that there is no second way past the
 * checks of token, scope, body and concurrency. Only the rate limits of the project are left out: they do not apply to
 * the routes that call others.
 */
import type * as uWS from 'uWebSockets.js'
import type { Arrival } from './input/arrival.ts'
import { handleRequest } from './request/request_handler.ts'
import { type CompiledRoute, compileRoute } from './route/compiled_route.ts'
import type { CallRoute, InnerAnswer, InnerRequest, Route } from './route/route.ts'
import type { ServerContext } from './server_context.ts'

/** Maximum bytes of a file; a larger one ends as `InnerAnswerTooLarge`. 64 calls of one address hold several times that each. */
const MAX_BYTES = 1024 * 1024

/** Headers of the outer request that the inner one repeats: they identify the caller. */
const REPEATED = new Set(['authorization', 'host', 'x-forwarded-for', 'x-forwarded-proto'])

export class InnerAnswerTooLarge extends Error {
  override name = 'InnerAnswerTooLarge'
}

/** Returns the function with which the caller of `arrival` calls routes. It rejects with `InnerAnswerTooLarge`. */
export function callerOf(server: ServerContext, { peer, lines }: Arrival): CallRoute {
  const repeated = lines.filter(([name]) => REPEATED.has(name))
  return (route, inner) => {
    const request = requestOf(route, inner, repeated)
    const response = new InnerResponse(peer)
    const compiled_route = inner.only_checks ? checksFor(server, route) : compiledFor(server, route)
    handleRequest(server, compiled_route, response as unknown as uWS.HttpResponse, request, { ...inner.params })
    response.deliver(inner.body)
    return response.answer
  }
}

const compiled = new WeakMap<ServerContext, Map<Route, CompiledRoute>>()

/**
 * The route without its rate budget. Its calls are counted apart from those over the network. A change of any method takes
 * an idempotency key: that of a confirmation, which is for one call.
 */
function compiledFor(server: ServerContext, route: Route): CompiledRoute {
  let routes = compiled.get(server)
  if (routes === undefined) {
    routes = new Map()
    compiled.set(server, routes)
  }
  let found = routes.get(route)
  if (found === undefined) {
    const whole = compileRoute({ ...route, pool: 'exempt' }, route.method, server.metrics, `${route.path} (inner)`)
    const { command, act, method, path } = route
    const idempotency_route = (command ?? act) === undefined ? whole.idempotency_route : `${method} ${path}`
    found = { ...whole, idempotency_route }
    routes.set(route, found)
  }
  return found
}

const checks = new WeakMap<CompiledRoute, CompiledRoute>()

/** The same route without its work. Operations with a form are not checked ahead: their body is part of the work. */
function checksFor(server: ServerContext, route: Route): CompiledRoute {
  const whole = compiledFor(server, route)
  let found = checks.get(whole)
  if (found === undefined) {
    const none = { command: undefined, act: undefined, change: undefined, form: undefined, download: undefined }
    const nothing = { ...whole.route, ...none, versioned: undefined, read: () => undefined, status: 204 } as Route
    found = { ...whole, limiter: undefined, idempotency_route: undefined, route: nothing }
    checks.set(whole, found)
  }
  return found
}

function requestOf(
  { method }: Route,
  { path, query, headers = {}, body, request_id }: InnerRequest,
  repeated: Arrival['lines'],
): uWS.HttpRequest {
  const lines = [...repeated, ...Object.entries(headers)]
  if (request_id !== undefined) lines.push(['x-request-id', request_id])
  if (body !== undefined) lines.push(['content-length', String(body.byteLength)])
  const request = {
    getHeader: (name: string) => lines.find(([known]) => known === name)?.[1] ?? '',
    forEach(each: (name: string, value: string) => void) {
      for (const [name, value] of lines) each(name, value)
    },
    getMethod: () => method.toLowerCase(),
    getCaseSensitiveMethod: () => method,
    getUrl: () => path,
    getQuery: () => query,
  }
  return request as unknown as uWS.HttpRequest
}

const NOTHING = new Uint8Array()

/** The part of `uWS.HttpResponse` that the server uses. The whole body is here, so nothing waits. */
class InnerResponse {
  readonly answer: Promise<InnerAnswer>
  readonly #peer: ArrayBuffer
  readonly #settle: PromiseWithResolvers<InnerAnswer>
  readonly #pieces: Uint8Array[] = []
  #head = ''
  #length = 0
  #take: ((chunk: ArrayBuffer, is_last: boolean) => void) | undefined

  constructor(peer: ArrayBuffer) {
    this.#peer = peer
    this.#settle = Promise.withResolvers()
    this.answer = this.#settle.promise
  }

  /** Hands the body to the handler that asked for it. A handler may ask even where there is none. */
  deliver(body: Uint8Array = NOTHING): void {
    this.#take?.(new Uint8Array(body).buffer, true)
  }

  onData(take: (chunk: ArrayBuffer, is_last: boolean) => void): this {
    this.#take = take
    return this
  }

  /** The work of an inner request goes on when its client leaves, as for any other request. */
  onAborted(): this {
    return this
  }

  onWritable(): this {
    return this
  }

  pause(): void {}

  resume(): void {}

  cork(write: () => void): this {
    write()
    return this
  }

  getRemoteAddressAsText(): ArrayBuffer {
    return this.#peer
  }

  getWriteOffset(): number {
    return this.#length
  }

  writeStatus(head: string): this {
    this.#head += head
    return this
  }

  end(body: string | Uint8Array): this {
    this.#add(typeof body === 'string' ? Buffer.from(body) : body)
    return this.endWithoutBody()
  }

  endWithoutBody(): this {
    this.#settle.resolve({ ...readHead(this.#head), body: Buffer.concat(this.#pieces) })
    return this
  }

  tryEnd(piece: Uint8Array, length: number): [taken: boolean, done: boolean] {
    if (length > MAX_BYTES) {
      this.#settle.reject(new InnerAnswerTooLarge(`the answer has ${length} bytes`))
      return [true, true]
    }
    this.#add(piece)
    const is_done = this.#length >= length
    if (is_done) this.endWithoutBody()
    return [true, is_done]
  }

  close(): void {
    this.#settle.reject(new Error('the answer broke off'))
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(new Uint8Array(piece))
    this.#length += piece.byteLength
  }
}

function readHead(head: string): Pick<InnerAnswer, 'status' | 'headers'> {
  const [status = '', ...lines] = head.split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(': ')
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 2)
  }
  return { status: Number.parseInt(status, 10), headers }
}
