/**
 * The HTTP server of a node: one uWebSockets.js app, one table of routes.
 */

import * as uWS from 'uWebSockets.js'
import { tmpdir } from 'node:os'
import type { Registry } from 'prom-client'
import type { Log, Runtime } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { AccessLog, type AccessLogKind } from './access_log.ts'
import { AgentLimits } from './auth/agent_limits.ts'
import { AuthFailureDelay } from './auth/auth_failure_delay.ts'
import { sessionFinder } from './auth/find_session.ts'
import { OperatorKeys } from './auth/operator_keys.ts'
import { TokenCache, tokenLookUp } from './auth/token_cache.ts'
import { BodyReader } from './body/body.ts'
import { type OperationLimits, operationLimits } from './changes/operation.ts'
import { callerOf } from './in_process.ts'
import { AddressLimits } from './limits/address_limits.ts'
import { ConcurrencyLimiter } from './limits/concurrency_limiter.ts'
import { AtOnce } from './limits/loop_turn_limit.ts'
import { OpenConnections } from './limits/open_connections.ts'
import { ReadLimiter } from './limits/read_limiter.ts'
import { createLog } from './log.ts'
import { addressMetrics, connectionMetrics, HttpMetrics, limiterMetrics } from './metrics.ts'
import { operationsRoutes, type Readiness } from './probes.ts'
import type { RequestTraces } from './request_traces.ts'
import type { Route } from './route/route.ts'
import { registerRoutes } from './router.ts'
import type { ServerContext } from './server_context.ts'
import { clientAddress, connectingAddress, forwardedOverTls } from './sockets/client_connection.ts'
import type { SocketAddresses } from './sockets/sockets.ts'

export type HttpConfig = {
  host: string
  /** 0 chooses a free one. */
  port: number
  /** Allows other processes of this machine to listen on the port too; connections are shared out among them. */
  shared_port?: boolean
  /** Refuses plain HTTP. */
  production?: boolean
  /** Asks browsers that came over TLS to refuse this host without it. */
  strict_transport?: boolean
  /** Files of a certificate, with which the server speaks TLS itself. */
  tls?: { key_file: string; cert_file: string } | undefined
  /** CIDRs of the proxies whose `X-Forwarded-Proto` and `X-Forwarded-For` count. */
  trusted_proxies?: readonly string[]
  /** People that may share one client address. Default 200. */
  address_people?: number
  operator_key?: string | undefined
  /** Default `off`. */
  access_log?: AccessLogKind
  /** Milliseconds that a body may take, and a second more for each 16 KiB of it. Default 8000. */
  body_timeout_ms?: number
  /** For temporary files of uploads. Default: the system's directory of temporary files. */
  uploads_directory?: string
  /** Maximum concurrent requests of each kind; beyond it the answer is 503. Default 4096. */
  max_requests?: number
  /** Maximum open connections. Default: four fifths of the files that the process may open, and 100,000 at most. */
  max_connections?: number
  /** Maximum concurrent database reads. Default 8. */
  max_reads?: number
  /** Milliseconds from the arrival of a failed authentication to its answer. Default 50. */
  unauthorized_ms?: number
  /** Time limits of requests that work at a provider. */
  operations?: Partial<OperationLimits>
  /** Milliseconds between `leave` and `close`. Default 0. */
  leave_ms?: number
  /** Milliseconds that `close` waits for requests under way. Default 10 000. */
  close_deadline_ms?: number
}

export type HttpOptions = {
  runtime: Runtime
  database: Database
  config: HttpConfig
  /** Routes in addition to those that every server has (`/health`, `/ready`). */
  routes: readonly Route[]
  /** Reports whether the node can do its work, for `/ready`. */
  readiness: Readiness
  log?: Log
  /** Records the traces of requests. */
  traces?: RequestTraces | undefined
  /** Collects the metrics. */
  registry?: Registry
}

export class HttpServer {
  /** For other protocols on the same port: sockets of consoles attach themselves here, before `listen`. */
  readonly app: uWS.TemplatedApp
  readonly registry: Registry
  /** Shared by requests and sockets. */
  readonly addresses: SocketAddresses
  readonly #server: ServerContext
  readonly #config: HttpConfig
  #socket: uWS.us_listen_socket | undefined
  #is_closing = false
  /** A moment of `performance.now()`. */
  #left_at: number | undefined

  constructor({ runtime, database, config, routes, readiness, log = createLog(), traces, registry }: HttpOptions) {
    const { tls } = config
    const metrics = new HttpMetrics(registry)
    const { max_requests = 4096, max_reads = 8, production = false, trusted_proxies = [], access_log = 'off' } = config
    const read_limiter = new ReadLimiter(max_reads)
    const limiter = () => new ConcurrencyLimiter(max_requests)
    const limiters = {
      turns: limiter(),
      reads: limiter(),
      far: limiter(),
      calls: limiter(),
      operations: limiter(),
      ...fileLimiters(),
      // The largest holder of polls makes room for others, so one may have all.
      waits: new ConcurrencyLimiter(256, { tenant: 256, name: 32 }),
      served: new ConcurrencyLimiter(512, { name: 32, address: 64 }),
    }
    limiterMetrics(metrics.registry, limiters)
    const limits = new AddressLimits({ people: config.address_people })
    addressMetrics(metrics.registry, limits)
    const connections = new OpenConnections(config.max_connections)
    connectionMetrics(metrics.registry, connections)
    this.addresses = { limits, connections, clientAddress: clientAddress(trusted_proxies) }
    this.#config = config
    this.registry = metrics.registry
    // Undocumented switch of the library: no `uWebSockets` header in answers, for the whole thread.
    ;(uWS as unknown as { _cfg(key: string): void })._cfg('999999990007')
    this.app = tls ? uWS.SSLApp({ key_file_name: tls.key_file, cert_file_name: tls.cert_file }) : uWS.App()
    const addressOf = connectingAddress(trusted_proxies)
    // biome-ignore lint/suspicious/useIterableCallbackReturn: the app is no list; it is told of connections
    this.app.filter((response, change) => {
      if (change < 0) return connections.leave()
      const address = addressOf(response)
      if (!connections.enter() || (address !== undefined && limits.take(address, 'tcp'))) response.close()
    })
    this.#server = {
      runtime,
      database,
      log,
      access_log: access_log === 'off' ? undefined : new AccessLog(access_log, log, runtime.id),
      traces,
      metrics,
      tokens: new TokenCache(tokenLookUp(database)),
      findSession: sessionFinder(database, log),
      limiters,
      read_limiter,
      operators: new OperatorKeys(database, log, config.operator_key),
      isSecure: production && !tls ? forwardedOverTls(trusted_proxies) : undefined,
      strict_transport: config.strict_transport ?? false,
      pages: { clientAddress: this.addresses.clientAddress, is_secure: production || tls !== undefined },
      limits,
      connections,
      agent_limits: new AgentLimits(),
      at_once: new AtOnce(),
      auth_failure_delay: new AuthFailureDelay(config.unauthorized_ms ?? 50),
      operations: operationLimits(config.operations),
      bodies: new BodyReader(config.body_timeout_ms ?? 8000),
      uploads_directory: config.uploads_directory ?? tmpdir(),
      callerOf: (arrival) => callerOf(this.#server, arrival),
      is_leaving: false,
    }
    registerRoutes(this.app, this.#server, [...operationsRoutes(readiness), ...routes])
  }

  /** Resolves to the port. Rejects when the address is taken. */
  async listen(): Promise<number> {
    const { host, port, shared_port } = this.#config
    const socket = await new Promise<uWS.us_listen_socket | false>((resolve) => {
      // The types lack this overload; the code has it: host, port, options, callback.
      const listen = this.app.listen as unknown as (...all: unknown[]) => void
      listen.call(this.app, host, port, shared_port ? DEFAULT_LISTEN : EXCLUSIVE_PORT, resolve)
    })
    if (!socket) throw cannotListen(host, port)
    this.#socket = socket
    return uWS.us_socket_local_port(socket as unknown as uWS.us_socket)
  }

  /**
   * Serves on, but ends each connection with its next answer, so that none is left on which `close` could cut a request
   * off that a proxy sends at that moment.
   */
  leave(): void {
    this.#server.is_leaving = true
    this.#left_at ??= performance.now()
  }

  /** Stops taking connections, lets requests under way finish until the deadline, then closes every socket. */
  async close(): Promise<void> {
    if (this.#is_closing) return
    this.#is_closing = true
    this.leave()
    if (this.#socket) uWS.us_listen_socket_close(this.#socket)
    this.#server.auth_failure_delay.flush()
    const now = performance.now()
    const deadline = this.#closeDeadline(now)
    const linger = Math.min(now + LINGER_MS, deadline)
    while (performance.now() < linger || (this.#server.metrics.in_flight > 0 && performance.now() < deadline))
      await pause()
    const { in_flight } = this.#server.metrics
    if (in_flight > 0) this.#server.log.warn({ requests: in_flight }, 'requests took too long to wait for, and are cut')
    // Answers just handed to the kernel leave before their sockets close.
    await pause()
    this.app.close()
    this.#server.bodies.close()
  }

  /**
   * Processes behind one port leave together and close one after the other: their waits end together, or a stop would
   * take as many of them as there are processes.
   */
  #closeDeadline(now: number): number {
    const { leave_ms = 0, close_deadline_ms = 10_000 } = this.#config
    const common = this.#left_at! + leave_ms + close_deadline_ms
    const least = now + Math.min(close_deadline_ms, LATE_MS)
    return Math.min(now + close_deadline_ms, Math.max(least, common))
  }
}

export function cannotListen(host: string, port: number): Error {
  return new Error(`Cannot listen on ${host}:${port}: the address is in use or not of this machine.`)
}

/**
 * An upload holds a few MiB at most, a download a quarter of one. Both last as long as the client likes, so each token
 * and each address has only a part of the places. Providers fetch files from few addresses.
 */
const fileLimiters = () => ({
  uploads: new ConcurrencyLimiter(32, { name: 8 }),
  downloads: new ConcurrencyLimiter(256),
})

/** The last of several processes has requests that came when the common wait was over. */
const LATE_MS = 10_000

/** Requests may be on their way on connections that were accepted last. */
const LINGER_MS = 50

const DEFAULT_LISTEN = 0
const EXCLUSIVE_PORT = 1

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10))
}
