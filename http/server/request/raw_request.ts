/** A request that its route takes and answers as it is, such as a provider's webhook call. */
import type * as uWS from 'uWebSockets.js'
import { bodyFailure } from '../input/request_body.ts'
import type { RawRequest } from '../route/route.ts'
import type { Exchange } from './exchange.ts'

/** Call before the handler of uWebSockets.js returns. */
export function beginRaw(exchange: Exchange, request: uWS.HttpRequest) {
  const { compiled_route, authenticator, request_validation } = exchange
  const raw = rawRequestOf(request, request_validation.input.params)
  if (!request_validation.namesSomething()) return exchange.fail({ code: compiled_route.route.missing ?? 'NOT_FOUND' })
  authenticator.noteAddress(exchange.response, request)
  if (compiled_route.route.isPlausible?.(raw.headers) === false) {
    exchange.reply.later()
    return exchange.unauthorized()
  }
  const { body_limit, limiter } = compiled_route
  const intake = exchange.takeIn()
  intake.beginToRead()
  intake.whole((body, problem) => {
    if (body === undefined) return exchange.fail(bodyFailure(problem, body_limit))
    raw.body = body.slice()
    // The company of a provider's call is known only after the channel was looked up.
    if (!exchange.enter(limiter, raw.params.channel_id)) return
    exchange.work((async () => compiled_route.route.raw!(raw, exchange.context))(), (answer) => {
      if (answer.status === 401 || answer.status === 403) authenticator.countRefusal()
      exchange.reply.raw(answer)
    })
  })
}

/** The whole request except its body, which comes later. */
function rawRequestOf(request: uWS.HttpRequest, params: Record<string, string>): RawRequest {
  const headers: Record<string, string> = {}
  request.forEach((name, value) => {
    headers[name] = value
  })
  const method = request.getCaseSensitiveMethod()
  return { method, params, headers, query: request.getQuery() ?? '', body: new Uint8Array() }
}
