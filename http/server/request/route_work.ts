/** The route's own work for a request that passed the checks of `request_handler.ts`, and the answer that it leads to. */
import type { Claimed, Idempotency, ProjectReply } from '../../../actors/mod.ts'
import { inOneHistory } from '../changes/history_guard.ts'
import { claimOf, limitsLasting, runOperation, uploadLimits } from '../changes/operation.ts'
import { changeOnce, type RequestKey } from '../changes/request_key.ts'
import { invalid } from '../errors/api_error.ts'
import { rateHeaders } from '../errors/rate_headers.ts'
import { type Download, planDownload } from '../files/download.ts'
import { ResponseWithHeaders } from '../route/response_with_headers.ts'
import type { RequestContext, Route } from '../route/route.ts'
import { type Exchange, REPEATABLE } from './exchange.ts'
import { serveRequest } from './served_request.ts'

/** Answers with the result of the project, or goes on with what the project leaves to this node. */
export function goOn(exchange: Exchange, { admission, result }: ProjectReply) {
  if (!admission.ok) return exchange.refuseAdmission(admission)
  exchange.is_admitted = true
  if (admission.windows !== undefined) exchange.reply.addHeaders(rateHeaders(admission.windows))
  if (result === undefined) return proceed(exchange)
  if ('claimed' in result) operate(exchange, result.claimed)
  else exchange.reply.result(result)
}

/** Runs the rest of the request once the caller is admitted, or when no admission was needed. */
export function proceed(exchange: Exchange) {
  const { request_validation, compiled_route, reply, server } = exchange
  const problem = request_validation.verdict()
  if (problem !== undefined) return exchange.fail(problem)
  const { read, change, act, form, download, serve, auth } = compiled_route.route
  if (serve !== undefined) return serveRequest(exchange, serve)
  if (form !== undefined) return receive(exchange, form)
  if (act !== undefined) return operate(exchange, undefined)
  if (download !== undefined) {
    if (auth === 'none' && !exchange.enter(compiled_route.limiter)) return
    exchange.work((async () => download(request_validation.input, exchange.context))(), (file) =>
      answerDownload(exchange, file),
    )
    return
  }
  const handler = read ?? change
  if (handler === undefined) throw new Error(`${compiled_route.route.operation}: the project gave no result`)
  const { context } = exchange
  const idempotency = auth === 'operator' && change !== undefined ? exchange.intake?.idempotency : undefined
  if (idempotency !== undefined) return changeUnderKey(exchange, context, idempotency)
  const handle = () => handler(request_validation.input, context)
  // Open routes that change something check this themselves: here each request of a stranger would cost the database
  // a query.
  const is_checked = change !== undefined && auth !== 'none'
  const begin = is_checked ? () => inOneHistory(context.database, handle) : handle
  const owner = readerOf(exchange, context)
  const value = owner === undefined ? begin() : server.read_limiter.run(begin, owner || undefined)
  if (value instanceof Promise) exchange.work(value, (value) => reply.value(value, exchange.preconditions))
  else reply.value(value, exchange.preconditions)
}

/** Makes a change of an operator that has an idempotency key. */
function changeUnderKey(exchange: Exchange, context: RequestContext, idempotency: Idempotency) {
  const { compiled_route, request_validation, reply, server } = exchange
  const { change, answers_secret = false } = compiled_route.route
  const options = { claim_ms: server.operations.claim_ms, answers_secret }
  const handle = async (key: RequestKey) => {
    const value = await change!(request_validation.input, { ...context, key })
    if (!(value instanceof ResponseWithHeaders)) return value
    reply.addHeaders(value.headers)
    return value.body
  }
  const done = inOneHistory(context.database, () => changeOnce(context.database, idempotency, options, handle))
  exchange.work(done, (result) => reply.result(result))
}

/**
 * For whom the read limiter counts the request; empty for nobody in particular, undefined for requests that pass by it.
 * Operators with all rights do: they are let in when the database is busy. Keys with fewer rights are given away.
 */
function readerOf({ authenticator, compiled_route }: Exchange, { project_id }: RequestContext): string | undefined {
  const { route } = compiled_route
  if (compiled_route.limiter === 'reads') return project_id || (route.permission && 'operators') || ''
  const { operator } = authenticator
  return operator !== undefined && operator.role !== 'admin' && route.read ? 'operators' : undefined
}

/** Works at the provider. `claimed`: under an idempotency key. */
function operate(exchange: Exchange, claimed: Claimed['claimed'] | undefined) {
  const { intake, server } = exchange
  const { operations } = server
  const { act, lasts_ms } = exchange.compiled_route.route
  const limits = intake?.is_upload ? uploadLimits(operations) : limitsLasting(operations, lasts_ms)
  const claim = claimed && { key: intake!.idempotency!, command: exchange.claim!, claimed }
  const { origin, runtime } = exchange.context
  const project = exchange.authenticator.caller!.address
  const started = { runtime, project, limits, claim, origin, signal: exchange.departure }
  const done = runOperation(started, (operation) =>
    act!(exchange.request_validation.input, exchange.context, operation),
  )
  exchange.work(done, (result) => exchange.reply.result(result))
  // Long work ends with its client.
  if (lasts_ms !== undefined) exchange.reply.attend()
}

/**
 * Takes the body of an upload. Its key is claimed only now, because the hash covers the body. The project is asked in any
 * case: the token may have been revoked, or the session of an agent ended, while the file came.
 */
function receive(exchange: Exchange, form: NonNullable<Route['form']>) {
  const intake = exchange.intake!
  const received = intake.receive(form).then(async (result) => {
    if ('violations' in result) return exchange.fail(invalid(result.violations))
    exchange.resources.release(result.discard)
    exchange.request_validation.input.body = result.value
    intake.identify(Buffer.from(result.identity))
    const { idempotency } = intake
    const { caller } = exchange.authenticator
    const { runtime, operations } = exchange.server
    exchange.claim = idempotency && claimOf(uploadLimits(operations))
    const message = {
      ...exchange.asking(caller!),
      pool: 'exempt' as const,
      draws: undefined,
      command: exchange.claim,
      idempotency,
    }
    const reply = await runtime.ask(caller!.address, message, REPEATABLE)
    if (exchange.claim !== undefined || !reply.admission.ok) return goOn(exchange, reply)
    operate(exchange, undefined)
  })
  exchange.work(received, () => {})
}

function answerDownload(exchange: Exchange, file: Download) {
  const { reply } = exchange
  const planned = planDownload(file, exchange.download_headers!)
  reply.addHeaders(planned.headers)
  if (planned.status === 416) return exchange.fail({ code: 'RANGE_NOT_SATISFIABLE', details: { size: file.size } })
  if (exchange.compiled_route.head || planned.length === 0) return reply.empty(planned.status, planned.length)
  exchange.work(file.open(planned.range), (stream) => reply.stream(planned, stream))
}
