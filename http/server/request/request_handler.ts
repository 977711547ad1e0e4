/**
 * Handles one request, from its first header to its answer (`reply.ts`).
 *
 * The checks run in the order the API promises: TLS, authentication, rate limit, scope, validation, existence, state.
 * No byte from a stranger is parsed before the token is known, and no large body before the project has said that it
 * would admit the request. Admission and command then go to the project in one ask. An invalid request asks without its
 * command, so that it counts against the rate limit and never learns more than its token may.
 *
 * The order of these checks, with all interruptions, is in this file: each function ends by calling the next one, now
 * or later. `exchange.ts` has what they share, and `route_work.ts` what comes after them.
 *
 * Invariant:
 *  X3 No byte of a body is parsed before `read`, which follows the look-up of the caller.
 */
import type * as uWS from 'uWebSockets.js'
import type { Admission, ProjectCommand } from '../../../actors/mod.ts'
import type { Caller } from '../auth/token_cache.ts'
import { claimOf, limitsLasting } from '../changes/operation.ts'
import { tooManyFrom } from '../errors/api_error.ts'
import { lacking } from '../errors/rate_headers.ts'
import { downloadHeadersOf } from '../files/download.ts'
import { arrivalOf } from '../input/arrival.ts'
import { preconditionsOf, takesIfMatch } from '../input/precondition.ts'
import { announcesBody } from '../input/request_body.ts'
import { requestId } from '../input/request_id.ts'
import { STRICT_TRANSPORT } from '../reply/strict_transport.ts'
import { partingOf } from '../reply/wire.ts'
import type { CompiledRoute } from '../route/compiled_route.ts'
import { mayAct } from '../route/operator_role.ts'
import type { ServerContext } from '../server_context.ts'
import { Exchange, ONCE, REPEATABLE } from './exchange.ts'
import { beginRaw } from './raw_request.ts'
import { goOn, proceed } from './route_work.ts'

/** Work of this node, wherever the project is: each kind has a limiter of its own, entered at once. */
const OWN_WORK = ['operations', 'uploads', 'downloads', 'waits', 'served']

/** Runs the request as far as possible without waiting: a read that the project answers at once is answered here. */
export function handleRequest(
  server: ServerContext,
  compiled_route: CompiledRoute,
  response: uWS.HttpResponse,
  request: uWS.HttpRequest,
  params: Record<string, string>,
) {
  const request_id = requestId(request.getHeader('x-request-id'))
  const traceparent = server.traces && request.getHeader('traceparent')
  const exchange = new Exchange(server, compiled_route, response, request_id, params, traceparent)
  try {
    begin(exchange, request)
  } catch (error) {
    exchange.fault(error)
  }
}

/** Checks what the headers alone show. */
function begin(exchange: Exchange, request: uWS.HttpRequest) {
  const { server, compiled_route, response, reply, authenticator, request_validation } = exchange
  const { route } = compiled_route
  const is_secure = server.isSecure?.(response, request) ?? true
  if (server.strict_transport && is_secure) reply.addHeaders(`${STRICT_TRANSPORT.join(': ')}\r\n`)
  if (isDistrusted(exchange, request)) return
  if (server.connections.is_crowded) reply.last()
  if (route.auth === 'none' && !server.at_once.take()) reply.later()
  const refusal = authenticator.refusal(response, request, is_secure)
  if (refusal !== undefined) reply.later()
  if (refusal?.code === 'HTTPS_REQUIRED') return exchange.refuse(refusal)
  const excess = authenticator.excess(response, request, refusal !== undefined, request_validation.input.params)
  if (excess !== undefined) {
    reply.later()
    return exchange.fail(tooManyFrom(excess))
  }
  if (refusal !== undefined) return exchange.refuse(refusal)
  // Answers to the console are personal.
  if (compiled_route.of_console && route.download === undefined) reply.addHeaders('Cache-Control: no-store\r\n')
  const { limiter, reads_body } = compiled_route
  // Do not wait for the body of a request that would be refused anyway.
  if (limiter !== undefined && reads_body && exchange.isFull(limiter)) return exchange.shed(limiter)
  if (route.raw !== undefined) return beginRaw(exchange, request)
  if (route.serve !== undefined) {
    authenticator.noteAddress(response, request)
    exchange.arrival = arrivalOf(response, request)
  }
  exchange.query = request.getQuery() ?? ''
  if (route.download !== undefined) {
    if (route.auth === 'none') authenticator.noteAddress(response, request)
    exchange.download_headers = downloadHeadersOf(request)
  }
  if (takesIfMatch(route)) {
    exchange.preconditions = preconditionsOf(request)
    request_validation.input.if_match = exchange.preconditions.if_match
  }
  if (route.form !== undefined) exchange.takeIn().beginUpload(request)
  else if (!compiled_route.ignores_body && (reads_body || announcesBody(request))) exchange.takeIn().begin(request)
  identify(exchange)
}

function isDistrusted(exchange: Exchange, request: uWS.HttpRequest): boolean {
  const parting = partingOf(request, !exchange.compiled_route.route.is_nowhere)
  if (parting === undefined) return false
  exchange.reply.last()
  if (parting.refusal !== undefined) exchange.fail(parting.refusal)
  return parting.refusal !== undefined
}

/** Finds the caller. */
function identify(exchange: Exchange) {
  const { authenticator } = exchange
  if (exchange.compiled_route.route.auth === 'none') return read(exchange)
  if (authenticator.is_known) return permit(exchange)
  exchange.intake?.pause()
  exchange.work(authenticator.find(exchange.request_validation.input.params), (is_known) => {
    if (!exchange.reply.open) return
    if (!is_known) return exchange.unauthorized()
    exchange.intake?.own()
    permit(exchange)
  })
}

/** Checks the role of an operator. */
function permit(exchange: Exchange) {
  const { operator, caller } = exchange.authenticator
  if (operator === undefined) return look(exchange, caller!)
  const needed = exchange.compiled_route.role!
  if (mayAct(operator.role, needed)) return read(exchange)
  const { name, role } = operator
  const message = `This operation needs the role ${needed}, and the operator key "${name}" has the role ${role}.`
  exchange.fail({ code: 'INSUFFICIENT_ROLE', message, details: { required: needed, role } })
}

/** Asks the project before a large body is read, or examined, whether it would admit the request. */
function look(exchange: Exchange, caller: Caller) {
  const { intake, server } = exchange
  const { auth, examine } = exchange.compiled_route.route
  if (auth !== 'token' || !(intake?.is_large || examine)) return read(exchange)
  const { pool, draws, ...asking } = exchange.asking(caller)
  const message = { ...asking, pool: 'exempt' as const, looks: draws ?? pool }
  const reply = server.runtime.tryAsk(caller.address, message)
  if (reply !== undefined) return looked(exchange, reply.admission)
  intake?.pause()
  const asked = server.runtime.ask(caller.address, message, REPEATABLE)
  exchange.work(asked, ({ admission }) => looked(exchange, admission))
}

function looked(exchange: Exchange, admission: Admission) {
  if (!admission.ok) exchange.refuseAdmission(admission)
  else if (exchange.reply.open) read(exchange)
}

/** Reads the request itself, now that the caller is known. */
function read(exchange: Exchange) {
  const { intake } = exchange
  if (!intake?.is_read) return ask(exchange)
  intake.whole((bytes, problem) => {
    try {
      const failure = intake.inspect(bytes, problem)
      if (failure !== undefined) return exchange.fail(failure)
      examine(exchange)
    } catch (error) {
      exchange.fault(error)
    }
  })
}

/** Checks outside the event loop what only the route can. */
function examine(exchange: Exchange) {
  const { request_validation, compiled_route, context } = exchange
  const examination = request_validation.is_clean
    ? compiled_route.route.examine?.(request_validation.input.body, context)
    : undefined
  if (examination === undefined) return ask(exchange)
  exchange.work(examination, (violations) => {
    request_validation.note(violations)
    if (exchange.reply.open) ask(exchange)
  })
}

/** Asks for admission where the route needs it. */
function ask(exchange: Exchange) {
  const { request_validation, authenticator, reply } = exchange
  request_validation.attempt(() => request_validation.checkQuery(exchange.query))
  if (request_validation.deprecated_at) reply.addHeaders(deprecationLine(request_validation.deprecated_at))
  const { auth } = exchange.compiled_route.route
  if (auth === 'agent') admitAgent(exchange, authenticator.caller!)
  else if (auth === 'token') admit(exchange, authenticator.caller!)
  else proceed(exchange)
}

/** RFC 9745. */
function deprecationLine(at: Date): string {
  return `Deprecation: @${at.getTime() / 1000}\r\n`
}

/**
 * Admits an agent: the look-up of the session has just shown its user, permissions and project. Agents draw on no budget
 * of the project, but on limits of their own. The project looks again in the turn of a change.
 */
function admitAgent(exchange: Exchange, caller: Caller) {
  const { compiled_route, authenticator, server } = exchange
  const { params, limiter, route, reads_body } = compiled_route
  if (caller.project_id === '' && params.includes('project_id')) return exchange.fail({ code: 'NOT_FOUND' })
  const is_writing = reads_body && route.read === undefined
  const excess = server.agent_limits.take(caller, is_writing ? (route.agent_rate ?? 'write') : undefined)
  if (excess !== undefined) return exchange.fail(excess)
  const { permission, command, act } = route
  if (permission !== undefined && !authenticator.session!.permissions.includes(permission)) {
    return exchange.fail(lacking(permission))
  }
  const is_change = command !== undefined || (act !== undefined && reads_body)
  if (is_change && exchange.request_validation.is_clean) admit(exchange, caller)
  else if (exchange.enter(limiter)) proceed(exchange)
}

/** Asks the project for admission, with the command. */
function admit(exchange: Exchange, caller: Caller) {
  if (!exchange.reply.open) return
  const { compiled_route, server } = exchange
  const works = compiled_route.limiter !== undefined && OWN_WORK.includes(compiled_route.limiter)
  const limiter = works || server.runtime.isHere(caller.address) ? compiled_route.limiter : 'far'
  const goes_on = works || compiled_route.limiter === 'reads'
  if (goes_on && !exchange.enter(limiter)) return
  const message = {
    ...exchange.asking(caller),
    command: commandOf(exchange),
    idempotency: exchange.intake?.idempotency,
    ...((compiled_route.route.audited || compiled_route.route.auth === 'agent') && { origin: exchange.context.origin }),
  }
  const reply = server.runtime.tryAsk(caller.address, message)
  if (reply !== undefined) return goOn(exchange, reply)
  if (!goes_on && !exchange.enter(limiter)) return
  const options = message.command === undefined || message.idempotency ? REPEATABLE : ONCE
  exchange.work(server.runtime.ask(caller.address, message, options), (reply) => goOn(exchange, reply))
}

/** Undefined for a request without a command, and for an invalid one. */
function commandOf(exchange: Exchange): ProjectCommand | undefined {
  const { request_validation, intake, server } = exchange
  const { route } = exchange.compiled_route
  if (!request_validation.is_clean) return undefined
  if (route.act !== undefined && intake?.idempotency !== undefined) {
    exchange.claim = claimOf(limitsLasting(server.operations, route.lasts_ms))
    return exchange.claim
  }
  return route.command && request_validation.commandOf(route.command, exchange.context)
}
