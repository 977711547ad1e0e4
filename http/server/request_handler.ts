/**
 * Handles one request, from its first header to its answer (`reply.ts`).
 *
 * The checks run in the order the API promises: TLS, authentication, rate limit, scope, validation, existence, state.
 * No byte from a stranger is parsed before the token is known, and no large body before the project has said that it
 * would admit the request. Admission and command then go to the project in one ask. An invalid request asks without its
 * command, so that it counts against the rate limit and never learns more than its token may.
 *
 * The order of these checks, with all interruptions, is in this one object, which is why it is long. The body is taken
 * by `intake.ts`.
 *
 * Invariants:
 *  X1 The request object of uWebSockets.js is used only before the handler returns; all that is needed later is copied.
 *  X2 The request's share of the server's resources is given back once: `#resources` tracks its end and all work for
 *  it.
 *  X3 No byte of a body is parsed before `#read`, which follows the look-up of the caller.
 */
import type * as uWS from 'uWebSockets.js'
import type { Admission, Claimed, ClaimOperation, ProjectCommand, ProjectReply } from '../../actors/mod.ts'
import { type ApiError, apiErrorOf, invalid, tooManyFrom, unavailable } from './api_error.ts'
import { Authenticator } from './auth/authenticator.ts'
import type { Caller } from './auth/token_cache.ts'
import type { CompiledRoute } from './compiled_route.ts'
import { type Download, type DownloadHeaders, downloadHeadersOf, planDownload } from './download.ts'
import { BodyFailed } from './incoming_body.ts'
import { Intake } from './intake.ts'
import { inOneHistory } from './one_history.ts'
import { claimOf, runOperation, uploadLimits } from './operation.ts'
import { type Preconditions, preconditionsOf } from './precondition.ts'
import { rateHeaders, refusalOf } from './rate_headers.ts'
import { rawRequestOf } from './raw_request.ts'
import { type Asked, Reply } from './reply.ts'
import { announcesBody, bodyFailure } from './request_body.ts'
import { requestId } from './request_id.ts'
import { RequestResources } from './request_resources.ts'
import { RequestValidation } from './request_validation.ts'
import type { RequestContext, Route } from './route.ts'
import type { ConcurrencyLimiters, ServerContext } from './server_context.ts'
import { partingOf } from './wire.ts'

const ONCE = { deadline_ms: 10_000 }
/** Reads, and writes that carry an idempotency key. */
const REPEATABLE = { ...ONCE, repeatable: true }
/** Work of this node, wherever the project is: each kind has a limiter of its own, entered at once. */
const OWN_WORK = ['operations', 'uploads', 'downloads']

export class RequestHandler implements Asked {
  readonly #server: ServerContext
  readonly #compiled_route: CompiledRoute
  readonly #response: uWS.HttpResponse
  readonly #started = performance.now()
  readonly #reply: Reply
  readonly #authenticator: Authenticator
  readonly #request_validation: RequestValidation
  #claim: ClaimOperation | undefined
  /** Undefined where no body is expected. */
  #intake: Intake | undefined
  #download_headers: DownloadHeaders | undefined
  #preconditions: Preconditions | undefined
  #query = ''
  #is_admitted = false
  readonly #resources = new RequestResources()

  constructor(
    server: ServerContext,
    compiled_route: CompiledRoute,
    response: uWS.HttpResponse,
    request: uWS.HttpRequest,
    params: Record<string, string>,
  ) {
    this.#server = server
    this.#compiled_route = compiled_route
    this.#response = response
    this.#reply = new Reply(this, server, compiled_route, response, requestId(request.getHeader('x-request-id')))
    this.#authenticator = new Authenticator(server, compiled_route)
    this.#request_validation = new RequestValidation(compiled_route, params)
  }

  /** Runs the request as far as possible without waiting: a read that the project answers at once is answered here. */
  begin(request: uWS.HttpRequest) {
    try {
      this.#begin(request)
    } catch (error) {
      this.#fault(error)
    }
  }

  #begin(request: uWS.HttpRequest) {
    const { route } = this.#compiled_route
    if (this.#isDistrusted(request)) return
    if (route.auth === 'none' && !this.#server.at_once.take()) this.#reply.later()
    const refusal = this.#authenticator.refusal(this.#response, request)
    if (refusal !== undefined) this.#reply.later()
    if (refusal?.code === 'HTTPS_REQUIRED') return this.#refuse(refusal)
    const excess = this.#authenticator.excess(
      this.#response,
      request,
      refusal !== undefined,
      this.#request_validation.input.params,
    )
    if (excess !== undefined) {
      this.#reply.later()
      return this.fail(tooManyFrom(excess))
    }
    if (refusal !== undefined) return this.#refuse(refusal)
    // Answers to the console are personal.
    if (this.#compiled_route.of_console && route.download === undefined)
      this.#reply.addHeaders('Cache-Control: no-store\r\n')
    const { limiter, reads_body } = this.#compiled_route
    // Do not wait for the body of a request that would be refused anyway.
    if (limiter !== undefined && reads_body && this.#isFull(limiter)) return this.#shed(limiter)
    if (route.raw !== undefined) return this.#beginRaw(request)
    this.#query = request.getQuery() ?? ''
    if (route.download !== undefined) {
      if (route.auth === 'none') this.#authenticator.noteAddress(this.#response, request)
      this.#download_headers = downloadHeadersOf(request)
    }
    if (route.versioned !== undefined) {
      this.#preconditions = preconditionsOf(request)
      this.#request_validation.input.if_match = this.#preconditions.if_match
    }
    if (route.form !== undefined) this.#takeIn().beginUpload(request)
    else if (!this.#compiled_route.ignores_body && (reads_body || announcesBody(request))) this.#takeIn().begin(request)
    this.#identify()
  }

  #isDistrusted(request: uWS.HttpRequest): boolean {
    const parting = partingOf(request, !this.#compiled_route.route.is_nowhere)
    if (parting === undefined) return false
    this.#reply.last()
    if (parting.refusal !== undefined) this.fail(parting.refusal)
    return parting.refusal !== undefined
  }

  #takeIn(): Intake {
    this.#reply.detach()
    this.#intake = new Intake({
      server: this.#server,
      compiled_route: this.#compiled_route,
      response: this.#response,
      authenticator: this.#authenticator,
      request_validation: this.#request_validation,
      resources: this.#resources,
      started: this.#started,
      query: this.#query,
    })
    return this.#intake
  }

  #identify() {
    const { auth } = this.#compiled_route.route
    if (auth !== 'token' && auth !== 'agent') return this.#read()
    const { caller } = this.#authenticator
    if (caller !== undefined) return this.#look(caller)
    this.#intake?.pause()
    this.#work(this.#authenticator.find(this.#request_validation.input.params), (caller) => {
      if (!this.#reply.open) return
      if (caller === undefined) return this.#unauthorized()
      this.#intake?.own()
      this.#look(caller)
    })
  }

  /** Asks the project before a large body is read whether it would admit the request. */
  #look(caller: Caller) {
    if (!this.#intake?.is_large || this.#compiled_route.route.auth !== 'token') return this.#read()
    const { pool, ...asking } = this.#asking(caller)
    const message = { ...asking, pool: 'exempt' as const, looks: pool }
    const reply = this.#server.runtime.tryAsk(caller.address, message)
    if (reply !== undefined) return this.#looked(reply.admission)
    this.#intake.pause()
    const asked = this.#server.runtime.ask(caller.address, message, REPEATABLE)
    this.#work(asked, ({ admission }) => this.#looked(admission))
  }

  #looked(admission: Admission) {
    if (!admission.ok) this.#refuseAdmission(admission)
    else if (this.#reply.open) this.#read()
  }

  /** Reads the request itself, now that the caller is known. */
  #read() {
    const intake = this.#intake
    if (!intake?.is_read) return this.#ask()
    intake.whole((bytes, problem) => {
      try {
        const failure = intake.inspect(bytes, problem)
        if (failure !== undefined) return this.fail(failure)
        this.#ask()
      } catch (error) {
        this.#fault(error)
      }
    })
  }

  #ask() {
    this.#request_validation.attempt(() => this.#request_validation.checkQuery(this.#query))
    const { auth } = this.#compiled_route.route
    if (auth === 'agent') this.#admitAgent(this.#authenticator.caller!)
    else if (auth === 'token') this.#admit(this.#authenticator.caller!)
    else this.#proceed()
  }

  /** Admits an agent here: the console draws on no budget of the project. */
  #admitAgent({ project_id }: Caller) {
    if (project_id === '' && this.#compiled_route.params.includes('project_id')) return this.fail({ code: 'NOT_FOUND' })
    if (this.#enter(this.#compiled_route.limiter)) this.#proceed()
  }

  #asking({ token_id }: Caller) {
    const { pool = 'shared', scope } = this.#compiled_route.route
    return { type: 'request' as const, token_id, pool, scope }
  }

  #admit(caller: Caller) {
    if (!this.#reply.open) return
    const works = this.#compiled_route.limiter !== undefined && OWN_WORK.includes(this.#compiled_route.limiter)
    const limiter = works || this.#server.runtime.isHere(caller.address) ? this.#compiled_route.limiter : 'far'
    const goes_on = works || this.#compiled_route.limiter === 'reads'
    if (goes_on && !this.#enter(limiter)) return
    const message = { ...this.#asking(caller), command: this.#command(), idempotency: this.#intake?.idempotency }
    const reply = this.#server.runtime.tryAsk(caller.address, message)
    if (reply !== undefined) return this.#answerReply(reply)
    if (!goes_on && !this.#enter(limiter)) return
    const options = message.command === undefined || message.idempotency ? REPEATABLE : ONCE
    this.#work(this.#server.runtime.ask(caller.address, message, options), (reply) => this.#answerReply(reply))
  }

  /** Waits for work that goes on even when the client leaves. */
  #work<Value>(promise: Promise<Value>, then: (value: Value) => void) {
    this.#reply.detach()
    // Bodies hold the connection themselves.
    if (!this.#intake?.holds) this.#reply.hold()
    this.#resources.begin()
    promise
      .then(then)
      .catch((error) => this.#fault(error))
      .finally(() => this.#resources.end())
  }

  #isFull(kind: keyof ConcurrencyLimiters): boolean {
    const { limiters, runtime } = this.#server
    const { caller } = this.#authenticator
    const limiter = caller !== undefined && !runtime.isHere(caller.address) ? 'far' : kind
    return limiters[limiter].closed
  }

  #enter(kind: keyof ConcurrencyLimiters | undefined): boolean {
    if (kind === undefined) return true
    const entered = this.#resources.enter(this.#server.limiters[kind], this.#authenticator.name)
    if (!entered) this.#shed(kind)
    return entered
  }

  #shed(kind: keyof ConcurrencyLimiters) {
    this.fail(unavailable(this.#server.limiters[kind].refuse()))
  }

  #command(): ProjectCommand | undefined {
    const { route } = this.#compiled_route
    if (!this.#request_validation.is_clean) return undefined
    if (route.act !== undefined && this.#intake?.idempotency !== undefined) {
      this.#claim = claimOf(this.#server.operations)
      return this.#claim
    }
    return route.command && this.#request_validation.commandOf(route.command, this.#context)
  }

  #answerReply({ admission, result }: ProjectReply) {
    if (!admission.ok) return this.#refuseAdmission(admission)
    this.#is_admitted = true
    if (admission.windows !== undefined) this.#reply.addHeaders(rateHeaders(admission.windows))
    if (result === undefined) return this.#proceed()
    if ('claimed' in result) this.#operate(result.claimed)
    else this.#reply.result(result)
  }

  #refuseAdmission(admission: Extract<Admission, { ok: false }>) {
    const { failure, headers } = refusalOf(admission)
    this.#reply.addHeaders(headers)
    this.#refuse(failure)
  }

  /** Runs the rest of the request once the caller is admitted, or when no admission was needed. */
  #proceed() {
    const problem = this.#request_validation.verdict()
    if (problem !== undefined) return this.fail(problem)
    const { read, change, act, form, download, auth } = this.#compiled_route.route
    if (form !== undefined) return this.#receive(form)
    if (act !== undefined) return this.#operate(undefined)
    if (download !== undefined) {
      if (auth === 'none' && !this.#enter(this.#compiled_route.limiter)) return
      this.#work((async () => download(this.#request_validation.input, this.#context))(), (file) =>
        this.#answerDownload(file),
      )
      return
    }
    const handler = read ?? change
    if (handler === undefined) throw new Error(`${this.#compiled_route.route.operation}: the project gave no result`)
    const context = this.#context
    const handle = () => handler(this.#request_validation.input, context)
    // Open routes that change something check this themselves: here each request of a stranger would cost the database
    // a query.
    const is_checked = change !== undefined && auth !== 'none'
    const begin = is_checked ? () => inOneHistory(context.database, handle) : handle
    const value = this.#compiled_route.limiter === 'reads' ? this.#server.read_limiter.run(begin) : begin()
    if (value instanceof Promise) this.#work(value, (value) => this.#reply.value(value, this.#preconditions))
    else this.#reply.value(value, this.#preconditions)
  }

  /** Works at the provider. `claimed`: under an idempotency key. */
  #operate(claimed: Claimed['claimed'] | undefined) {
    const { runtime, operations } = this.#server
    const limits = this.#intake?.is_upload ? uploadLimits(operations) : operations
    const claim = claimed && { key: this.#intake!.idempotency!, command: this.#claim!, claimed }
    const started = { runtime, project: this.#authenticator.caller!.address, limits, claim }
    const done = runOperation(started, (operation) =>
      this.#compiled_route.route.act!(this.#request_validation.input, this.#context, operation),
    )
    this.#work(done, (result) => this.#reply.result(result))
  }

  /** Takes the body of an upload. Its key is claimed only now, because the hash covers the body. */
  #receive(form: NonNullable<Route['form']>) {
    const intake = this.#intake!
    const received = intake.receive(form).then(async (result) => {
      if ('violations' in result) return this.fail(invalid(result.violations))
      this.#resources.release(result.discard)
      this.#request_validation.input.body = result.value
      intake.identify(Buffer.from(result.identity))
      const { idempotency } = intake
      if (idempotency === undefined) return this.#operate(undefined)
      this.#claim = claimOf(uploadLimits(this.#server.operations))
      const { address, token_id } = this.#authenticator.caller!
      const message = { type: 'request' as const, token_id, pool: 'exempt' as const, command: this.#claim }
      this.#answerReply(await this.#server.runtime.ask(address, { ...message, idempotency }, REPEATABLE))
    })
    this.#work(received, () => {})
  }

  #answerDownload(file: Download) {
    const planned = planDownload(file, this.#download_headers!)
    this.#reply.addHeaders(planned.headers)
    if (planned.status === 416) return this.fail({ code: 'RANGE_NOT_SATISFIABLE', details: { size: file.size } })
    if (this.#compiled_route.head || planned.length === 0) return this.#reply.empty(planned.status, planned.length)
    this.#work(file.open(planned.range), (stream) => this.#reply.stream(planned, stream))
  }

  #beginRaw(request: uWS.HttpRequest) {
    const raw = rawRequestOf(request, this.#request_validation.input.params)
    if (!this.#request_validation.namesSomething())
      return this.fail({ code: this.#compiled_route.route.missing ?? 'NOT_FOUND' })
    this.#authenticator.noteAddress(this.#response, request)
    const { body_limit, limiter } = this.#compiled_route
    const intake = this.#takeIn()
    intake.beginToRead()
    intake.whole((body, problem) => {
      if (body === undefined) return this.fail(bodyFailure(problem, body_limit))
      raw.body = body.slice()
      if (limiter !== undefined && !this.#enter(limiter)) return
      this.#work((async () => this.#compiled_route.route.raw!(raw, this.#context))(), (answer) => {
        if (answer.status === 401 || answer.status === 403) this.#authenticator.countRefusal()
        this.#reply.raw(answer)
      })
    })
  }

  /** Answers with an error. `headers` are whole lines. */
  fail(failure: ApiError, headers = '') {
    this.#reply.fail(failure, headers)
  }

  #refuse(failure: ApiError) {
    if (failure.code === 'UNAUTHENTICATED') this.#unauthorized()
    else this.fail(failure)
  }

  /** Tells the client of an internal error in general terms, and logs it in full. */
  #fault(error: unknown) {
    if (error instanceof BodyFailed) {
      // A client that left needs no answer.
      if (error.problem !== 'CLIENT_LEFT') this.fail(bodyFailure(error.problem, this.#compiled_route.body_limit))
      return
    }
    const failure = apiErrorOf(error)
    if (failure !== undefined) {
      this.#resources.served = failure.code !== 'SERVICE_UNAVAILABLE'
      return this.#refuse(failure)
    }
    const { operation, auth } = this.#compiled_route.route
    this.#server.log.error({ request_id: this.#reply.request_id, operation, error }, 'a request failed')
    const { caller } = this.#authenticator
    if (auth === 'token' && caller !== undefined && !this.#is_admitted) this.#faultOf(caller)
    else this.fail({ code: 'INTERNAL_SERVER_ERROR' })
  }

  /** Reports internal errors only to callers who would have been admitted, and counts them as requests. */
  #faultOf(caller: Caller) {
    this.#is_admitted = true
    const asked = this.#server.runtime.ask(caller.address, this.#asking(caller), REPEATABLE)
    this.#work(
      asked.catch(() => undefined),
      (reply) => {
        if (reply?.admission.ok === false) return this.#refuseAdmission(reply.admission)
        if (reply?.admission.windows !== undefined) this.#reply.addHeaders(rateHeaders(reply.admission.windows))
        this.fail({ code: 'INTERNAL_SERVER_ERROR' })
      },
    )
  }

  /** The answer leaves at a time that does not reveal its cause. */
  #unauthorized() {
    this.#authenticator.countRefusal()
    this.#reply.detach()
    this.#reply.hold()
    this.#server.auth_failure_delay.hold(this.#started, () => this.fail({ code: 'UNAUTHENTICATED' }))
  }

  answering() {
    this.#intake?.drop()
  }

  left() {
    this.#intake?.abandon()
  }

  over(status: number) {
    this.#compiled_route.metrics.observe(status, (performance.now() - this.#started) / 1000)
    this.#resources.over()
  }

  get #context(): RequestContext {
    return this.#authenticator.contextOf(this.#reply.request_id)
  }
}
