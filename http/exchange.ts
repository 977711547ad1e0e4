/**
 * One request, from its first header to its answer (`reply.ts`).
 *
 * The checks run in the order the API promises: TLS, authentication, rate limit, scope, validation, existence, state.
 * Validation needs no actor and is done first, but its verdict waits (`inspection.ts`) until the project has admitted the
 * request: admission and command go to the project in one ask, and a request that is not valid is asked for without its
 * command, so that it counts against the rate limit and never learns more than its token may.
 *
 * Invariants:
 *  X1 The request object of uWebSockets.js is used only before the handler returns; all that is needed later is copied.
 *  X2 What the request holds of the server is given back once: `#hold` hears of its end and of all work for it.
 */
import type * as uWS from 'uWebSockets.js'
import type { Admission, Claimed, ClaimOperation, Idempotency, ProjectCommand, ProjectReply } from '../actors/mod.ts'
import { Asker } from './asker.ts'
import type { BodyProblem } from './body.ts'
import { type Download, type DownloadHeaders, planDownload } from './download.ts'
import { type Failure, failureOf, invalid, unavailable } from './failure.ts'
import type { Front, Gates } from './front.ts'
import { Hold } from './hold.ts'
import { idempotencyKey, keyViolations, requestHash } from './idempotency.ts'
import { BodyFailed, IncomingBody } from './incoming_body.ts'
import { Inspection } from './inspection.ts'
import { claimOf, runOperation, uploadLimits } from './operation.ts'
import type { Plan } from './plan.ts'
import { type Preconditions, preconditionsOf } from './precondition.ts'
import { rateHeaders, refusalOf } from './rate_headers.ts'
import { rawRequestOf } from './raw_request.ts'
import { type Asked, Reply } from './reply.ts'
import { announcesBody, type BodyHeaders, bodyFailure } from './request_body.ts'
import { requestId } from './request_id.ts'
import type { RequestContext, Route } from './route.ts'
import type { Caller } from './token_cache.ts'

const ONCE = { deadline_ms: 10_000 }
/** Reads, and writes that carry an idempotency key. */
const REPEATABLE = { ...ONCE, repeatable: true }
/** Work of this node, wherever the project is: each kind behind a gate of its own, from the first moment. */
const OWN_WORK = ['operations', 'uploads', 'downloads']

export class Exchange implements Asked {
  readonly #front: Front
  readonly #plan: Plan
  readonly #response: uWS.HttpResponse
  readonly #started = performance.now()
  readonly #reply: Reply
  readonly #asker: Asker
  readonly #inspection: Inspection
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
    this.#asker = new Asker(front, plan)
    this.#inspection = new Inspection(plan, params)
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
    const refusal = this.#asker.refusal(this.#response, request)
    if (refusal !== undefined) return this.#refuse(refusal)
    // Whatever the console is told is of one person.
    if (this.#plan.of_console && route.download === undefined) this.#reply.addHeaders('Cache-Control: no-store\r\n')
    const { gate, reads_body } = this.#plan
    // Where it would be refused anyway, its body is not waited for.
    if (gate !== undefined && reads_body && this.#isFull(gate)) return this.#shed(gate)
    if (route.raw !== undefined) return this.#beginRaw(request)
    this.#inspection.checkQuery(request.getQuery())
    if (route.download !== undefined) {
      this.#download_headers = {
        range: request.getHeader('range'),
        if_range: request.getHeader('if-range'),
        if_none_match: request.getHeader('if-none-match'),
      }
    }
    if (route.versioned !== undefined) {
      this.#preconditions = preconditionsOf(request)
      this.#inspection.input.if_match = this.#preconditions.if_match
    }
    if (route.form !== undefined) this.#beginUpload(request)
    else if (this.#plan.reads_body || announcesBody(request)) this.#beginBody(request)
    else this.#identify()
  }

  #beginBody(request: uWS.HttpRequest) {
    const { idempotency_route, body_limit } = this.#plan
    const headers: BodyHeaders = {
      content_type: request.getHeader('content-type'),
      content_encoding: request.getHeader('content-encoding'),
    }
    const announced = Number(request.getHeader('content-length'))
    const key = idempotency_route === undefined ? undefined : idempotencyKey(request)
    const url = key === undefined ? '' : request.getUrl()
    const query = key === undefined ? '' : (request.getQuery() ?? '')
    this.#inspection.note(keyViolations(key))
    this.#reply.detach()
    if (announced > body_limit) {
      this.#inspection.found(bodyFailure('PAYLOAD_TOO_LARGE', body_limit))
      return this.#identify()
    }
    this.#stop_reading = this.#front.bodies.read(this.#response, body_limit, this.#started, (body, problem) => {
      try {
        if (body === undefined) this.#inspection.found(bodyFailure(problem, body_limit))
        else {
          this.#hold.keep(body.byteLength)
          this.#inspection.checkBody(body, headers)
          if (key !== undefined) {
            this.#idempotency = { route: idempotency_route!, key, body_hash: requestHash(url, query, body) }
          }
        }
        this.#identify()
      } catch (error) {
        this.#fault(error)
      }
    })
  }

  /** Nothing of the body is taken before the project has admitted the request. */
  #beginUpload(request: uWS.HttpRequest) {
    const { idempotency_route, body_limit } = this.#plan
    const content_type = request.getHeader('content-type')
    const key = idempotency_route === undefined ? undefined : idempotencyKey(request)
    this.#inspection.note(keyViolations(key))
    this.#reply.detach()
    const body = new IncomingBody(this.#response, { limit: body_limit, silence_ms: this.#front.bodies.timeout_ms })
    this.#upload = { body, content_type, key, url: request.getUrl(), query: request.getQuery() ?? '' }
    this.#stop_reading = () => body.abandon()
    if (Number(request.getHeader('content-length')) > body_limit) {
      this.#inspection.found(bodyFailure('PAYLOAD_TOO_LARGE', body_limit))
    } else if (!/^multipart\/form-data\b/i.test(content_type)) {
      const message = 'Send the body as multipart/form-data.'
      this.#inspection.found({ code: 'UNSUPPORTED_MEDIA_TYPE', message })
    }
    this.#identify()
  }

  #identify() {
    const { auth } = this.#plan.route
    if (auth !== 'token' && auth !== 'agent') return this.#proceed()
    const { caller } = this.#asker
    if (caller !== undefined) return this.#admit(caller)
    this.#work(this.#asker.find(this.#inspection.input.params), (caller) => {
      if (caller === undefined) this.#unauthorized()
      else this.#admit(caller)
    })
  }

  /** The console draws on no budget of the project, which therefore need not be asked. */
  #admitAgent({ project_id }: Caller) {
    if (project_id === '' && this.#plan.params.includes('project_id')) return this.fail({ code: 'NOT_FOUND' })
    if (this.#enter(this.#plan.gate)) this.#proceed()
  }

  #admit(caller: Caller) {
    if (!this.#reply.open) return
    const { route } = this.#plan
    if (route.auth === 'agent') return this.#admitAgent(caller)
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
    const { bodies, gates, runtime } = this.#front
    const { caller } = this.#asker
    const gate = caller !== undefined && !runtime.isHere(caller.address) ? 'far' : kind
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
    if (this.#inspection.verdict() !== undefined) return undefined
    if (route.act !== undefined && this.#idempotency !== undefined) {
      this.#claim = claimOf(this.#front.operations)
      return this.#claim
    }
    if (route.command === undefined) return undefined
    try {
      return route.command(this.#inspection.input, this.#context())
    } catch (error) {
      const problem = failureOf(error)
      if (problem === undefined) throw error
      this.#inspection.found(problem)
      return undefined
    }
  }

  #settle({ admission, result }: ProjectReply) {
    if (!admission.ok) return this.#refuseAdmission(admission)
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

  /** What is left once the caller is admitted, or when none had to be. */
  #proceed() {
    const problem = this.#inspection.verdict()
    if (problem !== undefined) return this.fail(problem)
    const { read, act, form, download, auth } = this.#plan.route
    if (form !== undefined) return this.#receive(form)
    if (act !== undefined) return this.#operate(undefined)
    if (download !== undefined) {
      if (auth === 'none' && !this.#enter(this.#plan.gate)) return
      this.#work((async () => download(this.#inspection.input, this.#context()))(), (file) =>
        this.#answerDownload(file),
      )
      return
    }
    if (read === undefined) throw new Error(`${this.#plan.route.operation}: the project gave no result`)
    const begin = () => read(this.#inspection.input, this.#context())
    const value = this.#plan.gate === 'reads' ? this.#front.readers.run(begin) : begin()
    if (value instanceof Promise) this.#work(value, (value) => this.#reply.value(value, this.#preconditions))
    else this.#reply.value(value, this.#preconditions)
  }

  /** Works at the provider. `claimed`: under an idempotency key. */
  #operate(claimed: Claimed['claimed'] | undefined) {
    const { runtime, operations } = this.#front
    const limits = this.#upload === undefined ? operations : uploadLimits(operations)
    const claim = claimed && { key: this.#idempotency!, command: this.#claim!, claimed }
    const started = { runtime, project: this.#asker.caller!.address, limits, claim }
    const done = runOperation(started, (operation) =>
      this.#plan.route.act!(this.#inspection.input, this.#context(), operation),
    )
    this.#work(done, (result) => this.#reply.result(result))
  }

  /** Takes the body of an upload; what it says is only now known, so its key is claimed only now. */
  #receive(form: NonNullable<Route['form']>) {
    const { body, content_type, key, url, query } = this.#upload!
    const received = form({ body, content_type }).then(async (result) => {
      if ('violations' in result) return this.fail(invalid(result.violations))
      this.#hold.release(result.discard)
      this.#inspection.input.body = result.value
      if (key === undefined) return this.#operate(undefined)
      const hash = requestHash(url, query, Buffer.from(result.identity))
      this.#idempotency = { route: this.#plan.idempotency_route!, key, body_hash: hash }
      this.#claim = claimOf(uploadLimits(this.#front.operations))
      const { address, token_id } = this.#asker.caller!
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

  #beginRaw(request: uWS.HttpRequest) {
    const raw = rawRequestOf(request, this.#inspection.input.params)
    if (!this.#inspection.namesSomething()) return this.fail({ code: this.#plan.route.missing ?? 'NOT_FOUND' })
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

  #refuse(failure: Failure) {
    if (failure.code === 'UNAUTHENTICATED') this.#unauthorized()
    else this.fail(failure)
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
      return this.#refuse(failure)
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
    const { caller, session, page } = this.#asker
    const { company_id = '', project_id = '', token_id = '', user_id = '' } = caller ?? {}
    const { request_id } = this.#reply
    return { company_id, project_id, token_id, user_id, request_id, database, runtime, session, page }
  }
}
