/** The error codes of an operation: those that its route declares, and those of every route of its kind. */
import { type ErrorCode, errorCatalogue, publicCode } from '../../actors/mod.ts'
import { roleOf } from '../server/route/operator_role.ts'
import type { Route } from '../server/route/route.ts'

export type DescribedError = { status: number; code: string; entry: ErrorCode }

/** Every code that the operation can answer, in the order of the statuses. */
export function errorsOf(route: Route): DescribedError[] {
  const entries = new Set<ErrorCode>([...commonErrors(route), ...(route.errors ?? [])])
  return [...entries]
    .map((entry) => ({ status: errorCatalogue[entry].status, code: publicCode(entry), entry }))
    .sort((a, b) => a.status - b.status)
}

/** The codes that follow from the kind of the route. */
function commonErrors(route: Route): ErrorCode[] {
  const { auth, scope, method, params, missing, raw, act, change } = route
  const has_body = method !== 'GET'
  const needs_role = auth === 'operator' && roleOf(route) !== 'read'
  return [
    ...(raw === undefined ? (['VALIDATION_ERROR'] as const) : []),
    ...(auth === 'none' ? [] : (['UNAUTHENTICATED'] as const)),
    'HTTPS_REQUIRED',
    ...(scope === undefined ? [] : (['INSUFFICIENT_SCOPE'] as const)),
    ...(needs_role ? (['INSUFFICIENT_ROLE'] as const) : []),
    ...(params === undefined ? [] : [missing ?? ('NOT_FOUND' as const)]),
    ...(has_body ? (['REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(takesKey(route) ? (['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_ANSWER_ERASED'] as const) : []),
    // Turns are over before the next one; other work goes on beside them.
    ...(takesKey(route) && (act ?? change) !== undefined ? (['IDEMPOTENCY_IN_PROGRESS'] as const) : []),
    'THROTTLED',
    'INTERNAL_SERVER_ERROR',
    'SERVICE_UNAVAILABLE',
  ]
}

/** True where an `Idempotency-Key` keeps a repeated request from working twice. */
export function takesKey({ method, auth, command, act, change, path }: Route): boolean {
  if (method !== 'POST') return false
  if (auth === 'operator') return change !== undefined
  return auth === 'token' && path.startsWith('/v1/') && (command ?? act) !== undefined
}
