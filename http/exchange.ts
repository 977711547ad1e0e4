/**
 * One request, from its first header to its answer (`reply.ts`).
 *
 * The checks run in the order the API promises: TLS, authentication, rate limit, scope, validation, existence, state.
 * Validation needs no actor and is done first, but its verdict waits in `#problem` until the project has admitted the
 * request: admission and command go to the project in one ask, and a request that is not valid is asked for without its
 * command, so that it counts against the rate limit and never learns more than its token may.
 *
 * Invariants:
 *  X1 The request object of uWebSockets.js is used only before the handler returns; all that is needed later is copied.
 *  X2 What the request holds of the server is given back once: `#hold` hears of its end and of all work for it.
 */
import type * as uWS from 'uWebSockets.js'
import type {
  Admission,
  Claimed,
  ClaimOperation,
  CommandResult,
  Idempotency,
  ProjectCommand,
  ProjectReply,
} from '../actors/mod.ts'
import type { BodyProblem } from './body.ts'
import { type Download, type DownloadHeaders, planDownload } from './download.ts'
import { type Failure, failureOf, invalid, unavailable, type Violation } from './failure.ts'
import type { Front, Gates } from './front.ts'
import { Hold } from './hold.ts'
import { idempotencyKey, keyViolations, requestHash } from './idempotency.ts'
import { BodyFailed, IncomingBody } from './incoming_body.ts'
import { claimOf, runOperation, uploadLimits } from './operation.ts'
import type { Plan } from './plan.ts'
import { type Preconditions, preconditionsOf } from './precondition.ts'
import { parseQuery } from './query.ts'
import { isKnown } from './range.ts'
import { rateHeaders, retryHeaders, throttled } from './rate_headers.ts'
import { type Asked, Reply } from './reply.ts'
import { announcesBody, type BodyHeaders, bodyFailure, readBody } from './request_body.ts'
import { requestId } from './request_id.ts'
import type { Input, RawRequest, RequestContext, Route } from './route.ts'
import type { Caller } from './token_cache.ts'
import { check } from './validation.ts'

const ONCE = { deadline_ms: 10_000 }
/** Reads, and writes that carry an idempotency key. */
const REPEATABLE = { ...ONCE, repeatable: true }
const NO_QUERY = Object.freeze({})
/** Work of this node, wherever the project is: each kind behind a gate of its own, from the first moment. */
const OWN_WORK = ['operations', 'uploads', 'downloads']

export class Exchange implements Asked {
  readonly #front: Front
  readonly #plan: Plan
  readonly #response: uWS.HttpResponse
  readonly #started = performance.now()
  readonly #reply: Reply
  #caller: Caller | undefined
  readonly #input: Input
  #violations: Violation[] | undefined
  #problem: Failure | undefined
  #idempotency: Idempotency | undefined
  #claim: ClaimOperation | undefined
  /** The body of an upload, and what its idempotency key is for. */
  #upload: { body: IncomingBody; content_type: string; key: string | undefined; url: string; query: string } | undefined
  #download_headers: DownloadHeaders | undefined
  #preconditions: Preconditions | undefined
  #stop_reading: (() => void) | undefined
  readonly #hold: Hold

  constructor(
    front: Front,
    plan: Plan,
    response: uWS.HttpResponse,
    request: uWS.HttpRequest,
    params: Record<string, string>,
  ) {
    this.#front = front
    this.#plan = plan
    this.#response = response
    this.#reply = new Reply(this, front, plan, response, requestId(request.getHeader('x-request-id')))
    this.#input = { params, query: NO_QUERY, body: undefined }
    this.#hold = new Hold(front.bodies)
  }

  /** Takes the request as far as it goes without waiting: a read that the project answers at once is answered here. */
  begin(request: uWS.HttpRequest) {
    try {
      this.#begin(request)
    } catch (error) {
      this.#fault(error)
    }
  }

  #begin(request: uWS.HttpRequest) {
    const { route } = this.#plan
    if (this.#front.isSecure !== undefined && !route.plain_http && !this.#front.isSecure(this.#response, request)) {
      return this.fail({ code: 'HTTPS_REQUIRED' })
    }
    let authorization = ''
    if (route.auth !== 'none') {
      authorization = request.getHeader('authorization')
      if (route.auth === 'operator') {
        if (!this.#front.isOperator(authorization)) return this.#unauthorized()
      } else {
        this.#caller = this.#front.tokens.known(authorization)
        if (this.#caller === undefined && !this.#front.tokens.plausible(authorization)) return this.#unauthorized()
      }
    }
    const { gate, reads_body } = this.#plan
    // Where it would be refused anyway, its body is not waited for.
    if (gate !== undefined && reads_body && this.#isFull(gate)) return this.#shed(gate)
    if (route.raw !== undefined) return this.#beginRaw(request)
    this.#checkQuery(request.getQuery())
    if (route.download !== undefined) {
      this.#download_headers = {
        range: request.getHeader('range'),
        if_range: request.getHeader('if-range'),
        if_none_match: request.getHeader('if-none-match'),
      }
    }
    if (route.versioned !== undefined) {
      this.#preconditions = preconditionsOf(request)
      this.#input.if_match = this.#preconditions.if_match
    }
    if (route.form !== undefined) this.#beginUpload(request, authorization)
    else if (this.#plan.reads_body || announcesBody(request)) this.#beginBody(request, authorization)
    else this.#identify(authorization)
  }

  #beginBody(request: uWS.HttpRequest, authorization: string) {
    const { idempotency_route, body_limit } = this.#plan
    const headers: BodyHeaders = {
      content_type: request.getHeader('content-type'),
      content_encoding: request.getHeader('content-encoding'),
    }
    const announced = Number(request.getHeader('content-length'))
    const key = idempotency_route === undefined ? undefined : idempotencyKey(request)
    const url = key === undefined ? '' : request.getUrl()
    const query = key === undefined ? '' : (request.getQuery() ?? '')
    this.#note(keyViolations(key))
    this.#reply.detach()
    if (announced > body_limit) {
      this.#problem = bodyFailure('PAYLOAD_TOO_LARGE', body_limit)
      return this.#identify(authorization)
    }
    this.#stop_reading = this.#front.bodies.read(this.#response, body_limit, this.#started, (body, problem) => {
      try {
        if (body === undefined) this.#problem = bodyFailure(problem, body_limit)
        else {
          this.#hold.keep(body.byteLength)
          this.#checkBody(body, headers)
          if (key !== undefined) {
            this.#idempotency = { route: idempotency_route!, key, body_hash: requestHash(url, query, body) }
          }
        }
        this.#identify(authorization)
      } catch (error) {
        this.#fault(error)
      }
    })
  }

  /** Nothing of the body is taken before the project has admitted the request. */
  #beginUpload(request: uWS.HttpRequest, authorization: string) {
    const { idempotency_route, body_limit } = this.#plan
    const content_type = request.getHeader('content-type')
    const key = idempotency_route === undefined ? undefined : idempotencyKey(request)
    this.#note(keyViolations(key))
    this.#reply.detach()
    const body = new IncomingBody(this.#response, { limit: body_limit, silence_ms: this.#front.bodies.timeout_ms })
    this.#upload = { body, content_type, key, url: request.getUrl(), query: request.getQuery() ?? '' }
    this.#stop_reading = () => body.abandon()
    if (Number(request.getHeader('content-length')) > body_limit) {
      this.#problem = bodyFailure('PAYLOAD_TOO_LARGE', body_limit)
    } else if (!/^multipart\/form-data\b/i.test(content_type)) {
      const message = 'Send the body as multipart/form-data.'
      this.#problem = { code: 'UNSUPPORTED_MEDIA_TYPE', message }
    }
    this.#identify(authorization)
  }

  #checkQuery(text: string | undefined) {
    const empty = text === undefined || text === ''
    if (empty && this.#plan.route.query === undefined) return
    const { value, violations } = parseQuery(text ?? '')
    this.#note(violations)
    const checked = check(this.#plan.query, value)
    if ('violations' in checked) this.#note(checked.violations)
    else this.#input.query = checked.value
  }

  #checkBody(bytes: Uint8Array, headers: BodyHeaders) {
    const read = readBody(this.#plan, bytes, headers)
    if ('problem' in read) this.#problem = read.problem
    else if ('violations' in read) this.#note(read.violations)
    else this.#input.body = read.value
  }

  #note(violations: Violation[]) {
    if (violations.length === 0) return
    this.#violations = this.#violations === undefined ? violations : this.#violations.concat(violations)
  }

  #identify(authorization: string) {
    if (this.#plan.route.auth !== 'token') return this.#proceed()
    if (this.#caller !== undefined) return this.#admit(this.#caller)
    this.#work(this.#front.tokens.find(authorization), (caller) => {
      this.#caller = caller
      if (caller === undefined) this.#unauthorized()
      else this.#admit(caller)
    })
  }

  #admit(caller: Caller) {
    if (!this.#reply.open) return
    const { route } = this.#plan
    const works = this.#plan.gate !== undefined && OWN_WORK.includes(this.#plan.gate)
    const gate = works || this.#front.runtime.isHere(caller.address) ? this.#plan.gate : 'far'
    const goes_on = works || this.#plan.gate === 'reads'
    if (goes_on && !this.#enter(gate)) return
    const message = {
      type: 'request' as const,
      token_id: caller.token_id,
      pool: route.pool ?? 'shared',
      scope: route.scope,
      command: this.#command(),
      idempotency: this.#idempotency,
    }
    const reply = this.#front.runtime.tryAsk(caller.address, message)
    if (reply !== undefined) return this.#settle(reply)
    if (!goes_on && !this.#enter(gate)) return
    const options = message.command === undefined || message.idempotency ? REPEATABLE : ONCE
    this.#work(this.#front.runtime.ask(caller.address, message, options), (reply) => this.#settle(reply))
  }

  /** Waits for work that goes on even when the client leaves. */
  #work<Value>(promise: Promise<Value>, then: (value: Value) => void) {
    this.#reply.detach()
    this.#hold.begin()
    promise
      .then(then)
      .catch((error) => this.#fault(error))
      .finally(() => this.#hold.end())
  }

  #isFull(kind: keyof Gates): boolean {
    const { bodies, gates } = this.#front
    const gate = this.#caller !== undefined && !this.#front.runtime.isHere(this.#caller.address) ? 'far' : kind
    return bodies.full || gates[gate].closed
  }

  #enter(kind: keyof Gates | undefined): boolean {
    if (kind === undefined) return true
    const entered = this.#hold.enter(this.#front.gates[kind])
    if (!entered) this.#shed(kind)
    return entered
  }

  #shed(kind: keyof Gates) {
    this.fail(unavailable(this.#front.gates[kind].refuse()))
  }

  /** The command of a valid request. A route may refuse to make one; that verdict waits for admission too. */
  #command(): ProjectCommand | undefined {
    const { route } = this.#plan
    if (this.#verdict() !== undefined) return undefined
    if (route.act !== undefined && this.#idempotency !== undefined) {
      this.#claim = claimOf(this.#front.operations)
      return this.#claim
    }
    if (route.command === undefined) return undefined
    try {
      return route.command(this.#input, this.#context())
    } catch (error) {
      this.#problem = failureOf(error)
      if (this.#problem === undefined) throw error
      return undefined
    }
  }

  /** What is wrong with the request itself, in the order of the checks: its form, then whether its path names anything. */
  #verdict(): Failure | undefined {
    if (this.#problem !== undefined) return this.#problem
    if (this.#violations !== undefined) this.#problem = invalid(this.#violations)
    else if (this.#plan.params.length > 0 && !this.#namesSomething()) {
      this.#problem = { code: this.#plan.route.missing ?? 'NOT_FOUND' }
    }
    return this.#problem
  }

  #namesSomething(): boolean {
    const { params, route } = this.#plan
    for (const name of params) if (route.params?.[name]?.test(this.#input.params[name]!) === false) return false
    return true
  }

  #settle({ admission, result }: ProjectReply) {
    if (!admission.ok) return this.#refuse(admission)
    if (admission.windows !== undefined) this.#reply.addHeaders(rateHeaders(admission.windows))
    if (result === undefined) return this.#proceed()
    if ('claimed' in result) this.#operate(result.claimed)
    else this.#answerResult(result)
  }

  #refuse(admission: Extract<Admission, { ok: false }>) {
    if (admission.code === 'UNAUTHENTICATED') return this.#unauthorized()
    if (admission.windows !== undefined) this.#reply.addHeaders(rateHeaders(admission.windows))
    if (admission.code === 'THROTTLED') {
      this.#reply.addHeaders(retryHeaders(admission))
      return this.fail(throttled(admission))
    }
    const { required, missing } = admission
    const message = `The token lacks the scope ${missing.join(', ')}, which this operation needs.`
    this.fail({ code: 'INSUFFICIENT_SCOPE', message, details: { required, missing } })
  }

  #answerResult(result: CommandResult) {
    if ('error' in result) return this.fail(result.error)
    if (result.replayed) this.#reply.addHeaders('Idempotent-Replayed: true\r\n')
    const status = result.status ?? this.#plan.route.status
    const { versioned } = this.#plan.route
    if (versioned !== undefined)
      this.#reply.addHeaders(`ETag: "${versioned(result.body ?? JSON.parse(result.json!))}"\r\n`)
    this.#reply.json(status, result.json ?? (result.body === undefined ? undefined : JSON.stringify(result.body)))
  }

  /** What is left once the caller is admitted, or when none had to be. */
  #proceed() {
    const problem = this.#verdict()
    if (problem !== undefined) return this.fail(problem)
    const { read, act, form, download, auth } = this.#plan.route
    if (form !== undefined) return this.#receive(form)
    if (act !== undefined) return this.#operate(undefined)
    if (download !== undefined) {
      if (auth !== 'token' && !this.#enter(this.#plan.gate)) return
      this.#work((async () => download(this.#input, this.#context()))(), (file) => this.#answerDownload(file))
      return
    }
    if (read === undefined) throw new Error(`${this.#plan.route.operation}: the project gave no result`)
    const begin = () => read(this.#input, this.#context())
    const value = this.#plan.gate === 'reads' ? this.#front.readers.run(begin) : begin()
    if (value instanceof Promise) this.#work(value, (value) => this.#answerValue(value))
    else this.#answerValue(value)
  }

  /** Works at the provider. `claimed`: under an idempotency key. */
  #operate(claimed: Claimed['claimed'] | undefined) {
    const { runtime, operations } = this.#front
    const limits = this.#upload === undefined ? operations : uploadLimits(operations)
    const claim = claimed && { key: this.#idempotency!, command: this.#claim!, claimed }
    const started = { runtime, project: this.#caller!.address, limits, claim }
    const done = runOperation(started, (operation) => this.#plan.route.act!(this.#input, this.#context(), operation))
    this.#work(done, (result) => this.#answerResult(result))
  }

  /** Takes the body of an upload; what it says is only now known, so its key is claimed only now. */
  #receive(form: NonNullable<Route['form']>) {
    const { body, content_type, key, url, query } = this.#upload!
    const received = form({ body, content_type }).then(async (result) => {
      if ('violations' in result) return this.fail(invalid(result.violations))
      this.#hold.release(result.discard)
      this.#input.body = result.value
      if (key === undefined) return this.#operate(undefined)
      const hash = requestHash(url, query, Buffer.from(result.identity))
      this.#idempotency = { route: this.#plan.idempotency_route!, key, body_hash: hash }
      this.#claim = claimOf(uploadLimits(this.#front.operations))
      const { address, token_id } = this.#caller!
      const message = { type: 'request' as const, token_id, pool: 'exempt' as const, command: this.#claim }
      const claimed = await this.#front.runtime.ask(address, { ...message, idempotency: this.#idempotency }, REPEATABLE)
      this.#settle(claimed)
    })
    this.#work(received, () => {})
  }

  #answerDownload(file: Download) {
    const planned = planDownload(file, this.#download_headers!)
    this.#reply.addHeaders(planned.headers)
    if (planned.status === 416) return this.fail({ code: 'RANGE_NOT_SATISFIABLE', details: { size: file.size } })
    if (this.#plan.head || planned.length === 0) return this.#reply.empty(planned.status, planned.length)
    this.#work(file.open(planned.range), (stream) => this.#reply.stream(planned, stream))
  }

  #answerValue(value: unknown) {
    if (this.#preconditions !== undefined) {
      const version = String(this.#plan.route.versioned!(value))
      const { if_match, if_none_match } = this.#preconditions
      if (if_match?.includes(version) === false) return this.fail({ code: 'PRECONDITION_FAILED' })
      this.#reply.addHeaders(`ETag: "${version}"\r\n`)
      if (isKnown(if_none_match, `"${version}"`)) return this.#reply.empty(304, 0)
    }
    this.#reply.json(this.#plan.route.status, value === undefined ? undefined : JSON.stringify(value))
  }

  #beginRaw(request: uWS.HttpRequest) {
    const headers: Record<string, string> = {}
    request.forEach((name, value) => {
      headers[name] = value
    })
    const raw: RawRequest = {
      method: request.getCaseSensitiveMethod(),
      params: this.#input.params,
      headers,
      query: request.getQuery() ?? '',
      body: new Uint8Array(),
    }
    if (!this.#namesSomething()) return this.fail({ code: this.#plan.route.missing ?? 'NOT_FOUND' })
    this.#reply.detach()
    const { body_limit, gate } = this.#plan
    const act = (body: Uint8Array | undefined, problem: BodyProblem | undefined) => {
      if (body === undefined) return this.fail(bodyFailure(problem, body_limit))
      raw.body = body.slice()
      this.#hold.keep(body.byteLength)
      if (gate !== undefined && !this.#enter(gate)) return
      this.#work((async () => this.#plan.route.raw!(raw, this.#context()))(), (answer) => this.#reply.raw(answer))
    }
    this.#stop_reading = this.#front.bodies.read(this.#response, body_limit, this.#started, act)
  }

  /** Answers with an error. `headers` are whole lines. */
  fail(failure: Failure, headers = '') {
    this.#reply.fail(failure, headers)
  }

  /** An error that is not the client's is said in general terms to the client and in full to the log. */
  #fault(error: unknown) {
    if (error instanceof BodyFailed) {
      // Who left needs no answer.
      if (error.problem !== 'CLIENT_LEFT') this.fail(bodyFailure(error.problem, this.#plan.body_limit))
      return
    }
    const failure = failureOf(error)
    if (failure !== undefined) {
      this.#hold.served = failure.code !== 'SERVICE_UNAVAILABLE'
      return this.fail(failure)
    }
    const { operation } = this.#plan.route
    this.#front.log.error({ request_id: this.#reply.request_id, operation, error }, 'a request failed')
    this.fail({ code: 'INTERNAL_SERVER_ERROR' })
  }

  /** Whatever the cause, it leaves at a time that does not tell it. */
  #unauthorized() {
    this.#reply.detach()
    this.#front.holdback.hold(this.#started, () => this.fail({ code: 'UNAUTHENTICATED' }))
  }

  answering() {
    this.#upload?.body.release()
  }

  left() {
    this.#stop_reading?.()
  }

  over(status: number) {
    this.#plan.metrics.observe(status, (performance.now() - this.#started) / 1000)
    this.#hold.over()
  }

  #context(): RequestContext {
    const { runtime, database } = this.#front
    const { company_id = '', project_id = '', token_id = '', user_id = '' } = this.#caller ?? {}
    return { company_id, project_id, token_id, user_id, request_id: this.#reply.request_id, database, runtime }
  }
}
