/**
 * The body of one request, and its idempotency key. A body is read into memory as a whole, or streamed to the route as
 * an upload.
 */
import type * as uWS from 'uWebSockets.js'
import type { Idempotency } from '../../../actors/mod.ts'
import type { Body, BodyProblem } from '../body/body.ts'
import { IncomingBody } from '../body/incoming_body.ts'
import type { ApiError } from '../errors/api_error.ts'
import { canonical, idempotencyKey, keyViolations, requestHash } from '../input/idempotency.ts'
import { type BodyHeaders, bodyFailure } from '../input/request_body.ts'
import type { RequestValidation } from '../input/request_validation.ts'
import type { CompiledRoute } from '../route/compiled_route.ts'
import type { ReceivedForm, Route } from '../route/route.ts'
import type { ServerContext } from '../server_context.ts'
import type { Authenticator } from './authenticator.ts'
import type { RequestResources } from './request_resources.ts'

/** Bodies up to this many bytes are read without asking first for admission, because that would cost more. */
const SMALL_BODY = 4096

/** The parts of a request that are known before its body. */
type Surroundings = {
  server: ServerContext
  compiled_route: CompiledRoute
  response: uWS.HttpResponse
  authenticator: Authenticator
  request_validation: RequestValidation
  resources: RequestResources
  /** Arrival of the request, as of `performance.now()`. */
  started: number
  query: string
}

export class Intake {
  readonly #of: Surroundings
  #body: Body | undefined
  #upload: IncomingBody | undefined
  #headers: BodyHeaders | undefined
  #key: string | undefined
  #url = ''
  /** Large enough to ask for admission first. */
  is_large = false
  /** Set once the body is known. */
  idempotency: Idempotency | undefined

  constructor(surroundings: Surroundings) {
    this.#of = surroundings
  }

  /** Call before the handler of uWebSockets.js returns, like every method that takes the request. */
  begin(request: uWS.HttpRequest) {
    const { compiled_route, response, authenticator, request_validation } = this.#of
    const length = request.getHeader('content-length')
    this.#note(request)
    if (Number(length) > compiled_route.body_limit)
      return request_validation.found(bodyFailure('PAYLOAD_TOO_LARGE', compiled_route.body_limit))
    this.is_large = length === '' || Number(length) > SMALL_BODY
    if (this.is_large || authenticator.caller === undefined) authenticator.noteAddress(response, request)
    this.beginToRead()
  }

  /** Holds the whole body back until the project has admitted the request. */
  beginUpload(request: uWS.HttpRequest) {
    const { server, compiled_route, response, request_validation } = this.#of
    const { content_type } = this.#note(request)
    this.#upload = new IncomingBody(response, {
      limit: compiled_route.body_limit,
      silence_ms: server.bodies.timeout_ms,
      directory: server.uploads_directory,
    })
    if (Number(request.getHeader('content-length')) > compiled_route.body_limit) {
      request_validation.found(bodyFailure('PAYLOAD_TOO_LARGE', compiled_route.body_limit))
    } else if (!/^multipart\/form-data\b/i.test(content_type)) {
      const message = 'Send the body as multipart/form-data.'
      request_validation.found({ code: 'UNSUPPORTED_MEDIA_TYPE', message })
    }
  }

  #note(request: uWS.HttpRequest): BodyHeaders {
    this.#headers = {
      content_type: request.getHeader('content-type'),
      content_encoding: request.getHeader('content-encoding'),
    }
    this.#key = this.#of.compiled_route.idempotency_route === undefined ? undefined : idempotencyKey(request)
    if (this.#key !== undefined) this.#url = request.getUrl()
    this.#of.request_validation.note(keyViolations(this.#key))
    return this.#headers
  }

  beginToRead() {
    const { server, compiled_route, response, authenticator, resources, started } = this.#of
    this.#body = server.bodies.begin(response, compiled_route.body_limit, started, authenticator.owner)
    resources.body = this.#body
  }

  /** True when the body goes into memory. */
  get is_read(): boolean {
    return this.#body !== undefined
  }

  get is_upload(): boolean {
    return this.#upload !== undefined
  }

  /** True while the body controls when the connection is read. */
  get holds(): boolean {
    return this.is_upload || this.#of.resources.body !== undefined
  }

  pause() {
    this.#body?.pause()
  }

  /** Counts the body for its owner, now that the caller is known. */
  own() {
    this.#body?.own(this.#of.authenticator.owner)
  }

  whole(done: Parameters<Body['whole']>[0]) {
    this.#body!.whole(done)
  }

  /** Turns the bytes into the route's input. Returns an error when that alone ends the request, whatever else is wrong. */
  inspect(bytes: Uint8Array | undefined, problem: BodyProblem | undefined): ApiError | undefined {
    const { compiled_route, request_validation } = this.#of
    if (problem === 'SHARE_USED_UP') return bodyFailure(problem, compiled_route.body_limit)
    if (bytes === undefined) request_validation.found(bodyFailure(problem, compiled_route.body_limit))
    else {
      request_validation.attempt(() => request_validation.checkBody(bytes, this.#headers!))
      const { json } = request_validation
      this.identify(bytes, () => (json === undefined ? bytes : canonical(json)))
    }
    return undefined
  }

  /** Hands the upload to its route. */
  receive(form: NonNullable<Route['form']>): Promise<ReceivedForm> {
    return form({ body: this.#upload!, content_type: this.#headers!.content_type })
  }

  /** Binds the request's key, if it has one, to the request with this body. `value` stands for what the body means. */
  identify(body: Uint8Array, value: () => Uint8Array | string = () => body) {
    const { compiled_route, query, authenticator } = this.#of
    if (this.#key === undefined) return
    const body_hash = requestHash(this.#url, query, body)
    const value_hash = requestHash(this.#url, query, value())
    const { idempotency_route: route } = compiled_route
    const { session, operator } = authenticator
    // Each agent and each operator has keys of its own, which no token and no other agent can meet.
    const owner = session?.user_id ?? (operator && `operator ${operator.id ?? 'root'}`)
    this.idempotency = { route: owner ? `${owner} ${route}` : route!, key: this.#key, body_hash, value_hash }
  }

  /** Call before the answer is written: the rest of the body is dropped. */
  drop() {
    this.#upload?.release()
    this.#of.resources.body?.drop()
  }

  /** The client left. */
  abandon() {
    this.#upload?.abandon()
    this.#of.resources.body?.abandon()
  }
}
