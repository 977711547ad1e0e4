import type * as uWS from 'uWebSockets.js'
import type { Log, Runtime } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import type { AddressLimits } from './address_limits.ts'
import type { AtOnce } from './at_once.ts'
import type { FindSession } from './auth/find_session.ts'
import type { PageRules } from './auth/page_call.ts'
import type { TokenCache } from './auth/token_cache.ts'
import type { BodyReader } from './body.ts'
import type { Gate } from './gate.ts'
import type { Holdback } from './holdback.ts'
import type { HttpMetrics } from './metrics.ts'
import type { OperationLimits } from './operation.ts'
import type { Readers } from './readers.ts'

/** By what is waited for, so that one kind that hangs keeps no other out. */
export type Gates = {
  /** A turn of a project on this node. */
  turns: Gate
  /** The database, for a project on this node. */
  reads: Gate
  /** Another node. */
  far: Gate
  /** What providers bring, wherever its project is. */
  calls: Gate
  /** A provider that is called while the client waits. */
  operations: Gate
  /** Files that come in: each takes some memory and a place on the disk. */
  uploads: Gate
  /** Files that go out. */
  downloads: Gate
}

/** What all requests of a server share. */
export type Front = {
  runtime: Runtime
  database: Database
  tokens: TokenCache
  findSession: FindSession
  isOperator: (authorization: string) => boolean
  /** Missing where plain HTTP is allowed. */
  isSecure: ((response: uWS.HttpResponse, request: uWS.HttpRequest) => boolean) | undefined
  pages: PageRules
  /** Bounds of one client address; `pages.clientAddress` tells which it is. */
  limits: AddressLimits
  holdback: Holdback
  at_once: AtOnce
  bodies: BodyReader
  gates: Gates
  readers: Readers
  operations: OperationLimits
  metrics: HttpMetrics
  log: Log
  /** True once the server is leaving: each answer is then the last on its connection. */
  closing: boolean
}
