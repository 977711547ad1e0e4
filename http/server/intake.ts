/**
 * The body of one request, and what its idempotency key stands for. A body is read into memory as a whole, or it is an upload
 * that the route takes as it comes.
 */
import type * as uWS from 'uWebSockets.js'
import type { Idempotency } from '../../actors/mod.ts'
import type { ApiError } from './api_error.ts'
import type { Authenticator } from './auth/authenticator.ts'
import type { Body, BodyProblem } from './body.ts'
import type { CompiledRoute } from './compiled_route.ts'
import { idempotencyKey, keyViolations, requestHash } from './idempotency.ts'
import { IncomingBody } from './incoming_body.ts'
import { type BodyHeaders, bodyFailure } from './request_body.ts'
import type { RequestResources } from './request_resources.ts'
import type { RequestValidation } from './request_validation.ts'
import type { ReceivedForm, Route } from './route.ts'
import type { ServerContext } from './server_context.ts'

/** Bytes of a body that costs less to read than to ask first whether it may be. */
const SMALL_BODY = 4096

/** The parts of a request that stand before its body is known. */
type Surroundings = {
  server: ServerContext
  compiled_route: CompiledRoute
  response: uWS.HttpResponse
  authenticator: Authenticator
  request_validation: RequestValidation
  resources: RequestResources
  /** As `performance.now()` gave it when the request came. */
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
  /** Large enough to ask first. */
  is_large = false
  /** Known once the body is. */
  idempotency: Idempotency | undefined

  constructor(surroundings: Surroundings) {
    this.#of = surroundings
  }

  /** To be called before the handler of uWebSockets.js returns, as all that takes the request. */
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

  /** Nothing of the body is taken before the project has admitted the request. */
  beginUpload(request: uWS.HttpRequest) {
    const { server, compiled_route, response, request_validation } = this.#of
    const { content_type } = this.#note(request)
    this.#upload = new IncomingBody(response, {
      limit: compiled_route.body_limit,
      silence_ms: server.bodies.timeout_ms,
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

  /** True when it goes into memory. */
  get is_read(): boolean {
    return this.#body !== undefined
  }

  get is_upload(): boolean {
    return this.#upload !== undefined
  }

  /** True while it decides itself when the connection is read. */
  get holds(): boolean {
    return this.is_upload || this.#of.resources.body !== undefined
  }

  pause() {
    this.#body?.pause()
  }

  /** It is known now who asks. */
  own() {
    this.#body?.own(this.#of.authenticator.owner)
  }

  whole(done: Parameters<Body['whole']>[0]) {
    this.#body!.whole(done)
  }

  /** Makes the input of the route out of the bytes. Returns why the request is over, if it is, whatever else is wrong. */
  inspect(bytes: Uint8Array | undefined, problem: BodyProblem | undefined): ApiError | undefined {
    const { compiled_route, request_validation } = this.#of
    if (problem === 'SHARE_USED_UP') return bodyFailure(problem, compiled_route.body_limit)
    if (bytes === undefined) request_validation.found(bodyFailure(problem, compiled_route.body_limit))
    else {
      request_validation.attempt(() => request_validation.checkBody(bytes, this.#headers!))
      this.identify(bytes)
    }
    return undefined
  }

  /** Hands the upload to its route. */
  receive(form: NonNullable<Route['form']>): Promise<ReceivedForm> {
    return form({ body: this.#upload!, content_type: this.#headers!.content_type })
  }

  /** From now on its key, if it has one, stands for this request with this body. */
  identify(body: Uint8Array) {
    const { compiled_route, query } = this.#of
    if (this.#key === undefined) return
    const body_hash = requestHash(this.#url, query, body)
    this.idempotency = { route: compiled_route.idempotency_route!, key: this.#key, body_hash }
  }

  /** An answer is about to be written: the rest of the body is let through. */
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
