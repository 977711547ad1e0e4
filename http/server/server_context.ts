import type * as uWS from 'uWebSockets.js'
import type { Log, Runtime } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import type { AccessLog } from './access_log.ts'
import type { AgentLimits } from './auth/agent_limits.ts'
import type { AuthFailureDelay } from './auth/auth_failure_delay.ts'
import type { FindSession } from './auth/find_session.ts'
import type { OperatorKeys } from './auth/operator_keys.ts'
import type { PageRules } from './auth/page_call.ts'
import type { TokenCache } from './auth/token_cache.ts'
import type { BodyReader } from './body/body.ts'
import type { OperationLimits } from './changes/operation.ts'
import type { Arrival } from './input/arrival.ts'
import type { AddressLimits } from './limits/address_limits.ts'
import type { ConcurrencyLimiter } from './limits/concurrency_limiter.ts'
import type { AtOnce } from './limits/loop_turn_limit.ts'
import type { OpenConnections } from './limits/open_connections.ts'
import type { ReadLimiter } from './limits/read_limiter.ts'
import type { HttpMetrics } from './metrics.ts'
import type { RequestTraces } from './request_traces.ts'
import type { CallRoute } from './route/route.ts'

/** Limiters by the resource that is waited for, so that one kind that hangs does not block the others. */
export type ConcurrencyLimiters = {
  /** Turns of projects on this node. */
  turns: ConcurrencyLimiter
  /** Database reads for projects on this node. */
  reads: ConcurrencyLimiter
  /** Work on other nodes. */
  far: ConcurrencyLimiter
  /** Provider webhooks, wherever their project is. */
  calls: ConcurrencyLimiter
  /** Provider calls while the client waits. */
  operations: ConcurrencyLimiter
  /** Uploads: each takes some memory and a place on the disk. */
  uploads: ConcurrencyLimiter
  /** Files that go out. */
  downloads: ConcurrencyLimiter
  /** Requests that may wait for news. */
  waits: ConcurrencyLimiter
  /** Requests that their route answers in its own format: they call other routes, and may last. */
  served: ConcurrencyLimiter
}

/** Services that all requests of a server share. */
export type ServerContext = {
  runtime: Runtime
  database: Database
  tokens: TokenCache
  findSession: FindSession
  operators: OperatorKeys
  /** Undefined where plain HTTP is allowed. */
  isSecure: ((response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean) | undefined
  /** Answers over TLS say that the host is reached over TLS alone. */
  strict_transport: boolean
  pages: PageRules
  /** Limits by client address, which `pages.clientAddress` returns. */
  limits: AddressLimits
  connections: OpenConnections
  agent_limits: AgentLimits
  auth_failure_delay: AuthFailureDelay
  at_once: AtOnce
  bodies: BodyReader
  /** For temporary files of uploads. */
  uploads_directory: string
  limiters: ConcurrencyLimiters
  read_limiter: ReadLimiter
  operations: OperationLimits
  metrics: HttpMetrics
  log: Log
  /** Undefined where it is off. */
  access_log: AccessLog | undefined
  /** Undefined where they are off. */
  traces: RequestTraces | undefined
  /** Returns the function with which a route calls other routes for the caller of its request. */
  callerOf: (arrival: Arrival) => CallRoute
  /** True once the node is to stop: each answer is then the last on its connection, and says so. */
  is_leaving: boolean
}
