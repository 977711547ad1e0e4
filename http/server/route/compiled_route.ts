import { Buffer } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import * as v from 'valibot'
import { OPERATOR_PERMISSION, type OperatorRole } from '../../../storage/mod.ts'
import { BODY_LIMIT, STRANGERS_BODY_LIMIT } from '../body/body_limit.ts'
import type { HttpMetrics, RouteMetrics } from '../metrics.ts'
import { bounded } from '../parse/linear_schemas.ts'
import { type Former, formerNamesOf } from '../schema/former.ts'
import { roleOf } from './operator_role.ts'
import type { Method, Route } from './route.ts'

/** Facts about a route that are computed once, before any request comes. */
export type CompiledRoute = {
  route: Route
  /** Also answers HEAD: like GET, without the body. */
  head: boolean
  params: string[]
  query: v.GenericSchema
  /** Former names of parameters of the query. */
  former_names: ReadonlyMap<string, Former>
  body: v.GenericSchema
  body_limit: number
  /** The role of an operator; undefined on routes of others. */
  role: OperatorRole | undefined
  /** Reads the body, because its method may carry one. */
  reads_body: boolean
  /** Ignores the body, because the path names nothing that could define it. */
  ignores_body: boolean
  /** Console route: its answers are not cached, and requests that change something must come from its own page. */
  of_console: boolean
  /** The concurrency limiter of the route; undefined for probes, operators and routes that need neither turn nor read. */
  limiter: 'turns' | 'reads' | 'calls' | 'operations' | 'uploads' | 'downloads' | 'waits' | 'served' | undefined
  /** The key under which idempotent answers are stored, when the route takes idempotency keys. */
  idempotency_route: string | undefined
  status_line: string
  metrics: RouteMetrics
  /** The name of its spans. */
  span_name: string
  /** It waits for something on purpose, or carries large bodies: being slow is no trouble. */
  may_be_slow: boolean
}

const NOTHING = v.strictObject({})

const LASTING: CompiledRoute['limiter'][] = ['waits', 'served', 'uploads', 'downloads']

/**
 * `label` names the route in the metrics. Throws when a route changes something with GET, or reads with another method
 * than GET and POST.
 */
export function compileRoute(
  route: Route,
  method: Method | 'HEAD',
  metrics: HttpMetrics,
  label: string = route.path,
): CompiledRoute {
  const { read, change } = route
  const is_misplaced =
    (route.method === 'GET' && change !== undefined) || (!['GET', 'POST'].includes(route.method) && read !== undefined)
  if (is_misplaced) throw new Error(`${route.operation}: GET has read, PATCH, PUT and DELETE have change`)
  return {
    route,
    head: method === 'HEAD',
    params: paramsOf(route.path),
    query: bounded(route.query ?? NOTHING),
    former_names: formerNamesOf(route.query),
    body: bounded(route.body ?? NOTHING),
    body_limit: route.body_limit ?? (route.auth === 'none' ? STRANGERS_BODY_LIMIT : BODY_LIMIT),
    role: route.auth === 'operator' ? roleOf(route) : undefined,
    reads_body: method !== 'GET' && method !== 'HEAD',
    ignores_body: route.is_nowhere === true,
    of_console: route.auth === 'agent' || route.of_console === true,
    limiter: limiterOf(route),
    idempotency_route: takesKeys(route, method) ? `POST ${route.path}` : undefined,
    status_line: statusLine(route.status),
    metrics: metrics.route({ method, route: label }),
    span_name: `${method} ${label}`,
    may_be_slow: LASTING.includes(limiterOf(route)),
  }
}

function takesKeys({ path, auth, command, act, change, serve, keeps_nothing }: Route, method: string): boolean {
  if (method !== 'POST' || serve !== undefined || keeps_nothing) return false
  if (auth === 'operator') return change !== undefined
  return auth === 'agent' ? (command ?? act) !== undefined : path.startsWith('/v1/')
}

function limiterOf({
  auth,
  permission,
  change,
  plain_http,
  is_nowhere,
  command,
  read,
  raw,
  act,
  form,
  download,
  waits,
  serve,
}: Route): CompiledRoute['limiter'] {
  if (auth === 'operator' || plain_http || is_nowhere) return undefined
  // As for operators with a key: some changes wait for a provider or for other nodes, and must hold no place of a read.
  if (permission === OPERATOR_PERMISSION && change !== undefined) return undefined
  if (raw !== undefined) return 'calls'
  if (waits) return 'waits'
  if (serve !== undefined) return 'served'
  if (command !== undefined) return 'turns'
  if (form !== undefined) return 'uploads'
  if (act !== undefined) return 'operations'
  if (download !== undefined) return 'downloads'
  return (read ?? change) !== undefined && auth !== 'none' ? 'reads' : undefined
}

/** Names of the path parameters, in order. */
function paramsOf(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment.startsWith(':'))
    .map((segment) => segment.slice(1))
}

const lines = new Map<number, string>()

/** E.g. `404 Not Found`. */
export function statusLine(status: number): string {
  let line = lines.get(status)
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`
    lines.set(status, line)
  }
  return line
}

/** Bytes of a text in UTF-8, for the `Content-Length` of an answer without a body. */
export function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}
