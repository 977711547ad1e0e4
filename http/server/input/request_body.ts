/** Turns the bytes of a request body into the input of its route, or into violations. */
import type * as uWS from 'uWebSockets.js'
import type { BodyProblem } from '../body/body.ts'
import { type ApiError, unavailable, type Violation } from '../errors/api_error.ts'
import { parseJson } from '../parse/json.ts'
import { readableAs } from '../parse/media_types.ts'
import { check } from '../parse/validation.ts'
import type { CompiledRoute } from '../route/compiled_route.ts'

export type BodyHeaders = { content_type: string; content_encoding: string }
/** `json`: the body as it was sent, before the defaults and conversions of the route. */
export type ReadBody = { value: unknown; json?: unknown } | { violations: Violation[] } | { problem: ApiError }

export function readBody(
  compiled_route: CompiledRoute,
  bytes: Uint8Array,
  { content_type, content_encoding }: BodyHeaders,
): ReadBody {
  if (compiled_route.route.serve !== undefined) {
    return readableAs(content_type, content_encoding)
      ? { value: bytes }
      : { problem: { code: 'UNSUPPORTED_MEDIA_TYPE' } }
  }
  let value: unknown = {}
  if (bytes.byteLength > 0) {
    if (!readableAs(content_type, content_encoding)) return { problem: { code: 'UNSUPPORTED_MEDIA_TYPE' } }
    const parsed = parseJson(bytes)
    if ('violations' in parsed) return parsed
    value = parsed.value
  } else if (compiled_route.route.body !== undefined && !compiled_route.route.optional_body) {
    return { violations: [{ path: '', message: 'a JSON object is required as the body', code: 'required' }] }
  }
  const checked = check(compiled_route.body, value, compiled_route.route.max_violations)
  return 'violations' in checked ? checked : { ...checked, json: value }
}

/** True when the request brings a body although its method has no use for one. */
export function announcesBody(request: uWS.HttpRequest): boolean {
  const length = request.getHeader('content-length')
  return (length !== '' && length !== '0') || request.getHeader('transfer-encoding') !== ''
}

/** The error for a missing body. */
export function bodyFailure(problem: BodyProblem | undefined, limit: number): ApiError {
  if (problem === 'SHARE_USED_UP') return { ...unavailable(1), close: true }
  if (problem !== 'PAYLOAD_TOO_LARGE') return { code: 'REQUEST_TIMEOUT', close: true }
  return { code: 'PAYLOAD_TOO_LARGE', message: `The request body may have at most ${limit} bytes.`, details: { limit } }
}
