/**
 * One request and its answer: what is known of the request so far, the work under way for it, and how it fails.
 *
 * Invariants:
 *  X1 The request object of uWebSockets.js is used only before the handler returns; all that is needed later is copied.
 *  X2 The request's share of the server's resources is given back once: `resources` tracks its end and all work for it.
 */
import type * as uWS from 'uWebSockets.js'
import type { Admission, ClaimOperation } from '../../../actors/mod.ts'
import type { Cause, Span } from '../../../runtime/mod.ts'
import type { Caller } from '../auth/token_cache.ts'
import { BodyFailed } from '../body/incoming_body.ts'
import { type ApiError, apiErrorOf, isFileTrouble, unavailable } from '../errors/api_error.ts'
import { rateHeaders, refusalOf } from '../errors/rate_headers.ts'
import type { DownloadHeaders } from '../files/download.ts'
import type { Arrival } from '../input/arrival.ts'
import type { Preconditions } from '../input/precondition.ts'
import { bodyFailure } from '../input/request_body.ts'
import { RequestValidation } from '../input/request_validation.ts'
import { type Asked, Reply } from '../reply/reply.ts'
import type { RequestTraces } from '../request_traces.ts'
import type { CompiledRoute } from '../route/compiled_route.ts'
import type { RequestContext } from '../route/route.ts'
import type { ConcurrencyLimiters, ServerContext } from '../server_context.ts'
import { Authenticator } from './authenticator.ts'
import { Intake } from './intake.ts'
import { RequestResources } from './request_resources.ts'

/** Options of a question that a project must not execute twice. */
export const ONCE = { deadline_ms: 10_000 }
/** The same for reads, and for writes that carry an idempotency key. */
export const REPEATABLE = { ...ONCE, repeatable: true }

export class Exchange implements Asked {
  readonly server: ServerContext
  readonly compiled_route: CompiledRoute
  readonly response: uWS.HttpResponse
  /** Arrival of the request, as of `performance.now()`. */
  readonly started = performance.now()
  readonly reply: Reply
  readonly authenticator: Authenticator
  readonly request_validation: RequestValidation
  readonly resources = new RequestResources()
  /** Undefined where no body is expected. */
  intake: Intake | undefined
  /** The claim of an idempotency key for work at a provider. */
  claim: ClaimOperation | undefined
  download_headers: DownloadHeaders | undefined
  preconditions: Preconditions | undefined
  /** On routes that call others for the same caller. */
  arrival: Arrival | undefined
  #departure: AbortController | undefined
  #has_left = false
  #cause: Cause | undefined
  #span: Span | undefined
  /** As the client sent it; empty without one, and where traces are off. */
  readonly #traceparent: string
  query = ''
  is_admitted = false

  constructor(
    server: ServerContext,
    compiled_route: CompiledRoute,
    response: uWS.HttpResponse,
    request_id: string,
    params: Record<string, string>,
    traceparent = '',
  ) {
    this.server = server
    this.compiled_route = compiled_route
    this.#traceparent = traceparent
    this.response = response
    this.reply = new Reply(this, server, compiled_route, response, request_id)
    this.authenticator = new Authenticator(server, compiled_route)
    this.request_validation = new RequestValidation(compiled_route, params)
  }

  /** The context with which the route computes its answer. */
  get context(): RequestContext {
    return this.authenticator.contextOf(this.reply.request_id, this.cause)
  }

  /** The cause of the messages that actors get because of this request. */
  get cause(): Cause {
    this.#cause ??= this.#causeOfSpan() ?? { request_id: this.reply.request_id }
    return this.#cause
  }

  #causeOfSpan(): Cause | undefined {
    const { traces } = this.server
    if (!traces?.chooses(this.#traceparent)) return undefined
    this.#span = this.#beginSpan(traces)
    return this.#span.cause
  }

  /** Begins the span of the request, now that as much is known of the caller as its route shows. */
  #beginSpan(traces: RequestTraces): Span {
    const { authenticator, compiled_route, reply, started } = this
    return traces.request({
      request_id: reply.request_id,
      traceparent: this.#traceparent,
      is_known: authenticator.is_known && compiled_route.route.auth !== 'none',
      project_id: authenticator.caller?.project_id ?? '',
      start: { name: compiled_route.span_name, kind: 'server', began: started },
    })
  }

  /** Ends the span of the request. One that was not chosen is recorded for its trouble alone. */
  #endSpan(traces: RequestTraces, status: number, ms: number): void {
    const { metrics, may_be_slow } = this.compiled_route
    const is_troubled = status >= 500 || (ms >= traces.slow_ms && !may_be_slow)
    const span = this.#span ?? (is_troubled ? this.#beginSpan(traces) : undefined)
    const { method, route } = metrics.labels
    span?.end({
      // An error of ours: a client's own mistakes are no trouble (OpenTelemetry, HTTP server spans).
      error: status >= 500 ? String(status) : undefined,
      attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
      may_be_slow,
    })
  }

  /** Aborted when the client leaves. */
  get departure(): AbortSignal {
    this.#departure ??= new AbortController()
    if (this.#has_left) this.#departure.abort()
    return this.#departure.signal
  }

  /** Expects a body. */
  takeIn(): Intake {
    this.reply.detach()
    this.intake = new Intake(this)
    return this.intake
  }

  /** The question whether the project admits the request. */
  asking({ token_id, user_id }: Caller) {
    const { pool = 'shared', scope, permission } = this.compiled_route.route
    const { session } = this.authenticator
    const agent = session && { user_id, session: session.hash, permission }
    const budget = pool === 'poll' ? ({ pool: 'exempt', draws: pool } as const) : { pool }
    return { type: 'request' as const, token_id, agent, ...budget, scope, cause: this.cause }
  }

  /** Waits for work that goes on even when the client leaves. A rejection is a fault. */
  work<Value>(promise: Promise<Value>, then: (value: Value) => void) {
    this.reply.detach()
    // Bodies hold the connection themselves.
    if (!this.intake?.holds) this.reply.hold()
    this.resources.begin()
    promise
      .then(then)
      .catch((error) => this.fault(error))
      .finally(() => this.resources.end())
  }

  /** True when a request that enters this limiter later would be refused now. */
  isFull(kind: keyof ConcurrencyLimiters): boolean {
    const { limiters, runtime } = this.server
    const { caller } = this.authenticator
    const limiter = caller !== undefined && !runtime.isHere(caller.address) ? 'far' : kind
    return limiters[limiter].isClosed(this.authenticator.holder)
  }

  /** Takes a place behind the limiter. Answers, and returns false, when there is none. `tenant` where no caller shows it. */
  enter(kind: keyof ConcurrencyLimiters | undefined, tenant?: string): boolean {
    if (kind === undefined) return true
    const { holder } = this.authenticator
    const entered = this.resources.enter(
      this.server.limiters[kind],
      tenant === undefined ? holder : { ...holder, tenant },
    )
    if (!entered) this.shed(kind)
    return entered
  }

  shed(kind: keyof ConcurrencyLimiters) {
    this.fail(unavailable(this.server.limiters[kind].refuse()))
  }

  /** Answers with an error. `headers` are whole lines. */
  fail(failure: ApiError, headers = '') {
    this.reply.fail(failure, headers)
  }

  /** Answers with an error, in the way of `unauthorized` where the caller is unknown. */
  refuse(failure: ApiError) {
    if (failure.code === 'UNAUTHENTICATED') this.unauthorized()
    else this.fail(failure)
  }

  refuseAdmission(admission: Extract<Admission, { ok: false }>) {
    // The owner of the project is of a version without agents, and looked for a token.
    if (admission.code === 'UNAUTHENTICATED' && this.authenticator.session) return this.fail(unavailable(1))
    const { failure, headers } = refusalOf(admission)
    this.reply.addHeaders(headers)
    this.refuse(failure)
  }

  /** Answers that the caller is unknown, at a time that does not reveal its cause. */
  unauthorized() {
    this.authenticator.countRefusal()
    this.reply.detach()
    this.reply.hold()
    this.server.auth_failure_delay.hold(this.started, () => this.fail({ code: 'UNAUTHENTICATED' }))
  }

  /** Tells the client of an internal error in general terms, and logs it in full. */
  fault(error: unknown) {
    if (error instanceof BodyFailed) {
      // A client that left needs no answer.
      if (error.problem !== 'CLIENT_LEFT') this.fail(bodyFailure(error.problem, this.compiled_route.body_limit))
      return
    }
    const failure = apiErrorOf(error)
    if (failure !== undefined) {
      // The client learns only that it may come again.
      if (isFileTrouble(error)) this.#log(error, 'a file could not be written or read')
      this.resources.served = failure.code !== 'SERVICE_UNAVAILABLE'
      return this.refuse(failure)
    }
    const { auth } = this.compiled_route.route
    this.#log(error, 'a request failed')
    const { caller } = this.authenticator
    if (auth === 'token' && caller !== undefined && !this.is_admitted) this.#faultOf(caller)
    else this.fail({ code: 'INTERNAL_SERVER_ERROR' })
  }

  #log(error: unknown, text: string) {
    const { operation } = this.compiled_route.route
    const { caller } = this.authenticator
    const project = caller?.project_id ? { project_id: caller.project_id } : {}
    this.server.log.error({ request_id: this.reply.request_id, ...project, operation, error }, text)
  }

  /** Reports internal errors only to callers who would have been admitted, and counts them as requests. */
  #faultOf(caller: Caller) {
    this.is_admitted = true
    const asked = this.server.runtime.ask(caller.address, this.asking(caller), REPEATABLE)
    this.work(
      asked.catch(() => undefined),
      (reply) => {
        if (reply?.admission.ok === false) return this.refuseAdmission(reply.admission)
        if (reply?.admission.windows !== undefined) this.reply.addHeaders(rateHeaders(reply.admission.windows))
        this.fail({ code: 'INTERNAL_SERVER_ERROR' })
      },
    )
  }

  answering() {
    this.intake?.drop()
  }

  left() {
    this.#has_left = true
    this.#departure?.abort()
    this.intake?.abandon()
  }

  over(status: number) {
    const ms = performance.now() - this.started
    this.compiled_route.metrics.observe(status, ms / 1000)
    if (this.server.access_log?.takes(status)) this.#note(status, ms)
    if (this.server.traces !== undefined) this.#endSpan(this.server.traces, status, ms)
    this.resources.over()
  }

  #note(status: number, ms: number) {
    const { authenticator, compiled_route, reply, request_validation, server } = this
    const { project_id } = authenticator.caller ?? {}
    const { is_known } = authenticator
    const { params } = request_validation.input
    server.access_log!.note({ request_id: reply.request_id, compiled_route, status, ms, project_id, is_known, params })
  }
}
