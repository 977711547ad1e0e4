/** The HTTP server of a node, with the sockets of visitors and agents on it. */
import type { Log, Node } from '../../../runtime/mod.ts'
import { ConsoleServer } from '../../console/live/console_server.ts'
import { MailFiles } from '../../media/mail_files.ts'
import type { Readiness } from '../../server/probes.ts'
import type { RequestTraces } from '../../server/request_traces.ts'
import { HttpServer } from '../../server/server.ts'
import { forwardedOverTls } from '../../server/sockets/client_connection.ts'
import { VisitorServer } from '../../visitors/server.ts'
import { clusterMetrics } from '../metrics/cluster_metrics.ts'
import { deadLetterMetrics } from '../metrics/dead_letter_metrics.ts'
import { engineMetrics } from '../metrics/engine_metrics.ts'
import { nodeMetrics } from '../metrics/node_metrics.ts'
import type { Config } from '../settings/mod.ts'
import type { Ground } from './ground.ts'
import type { NodePlace, Waits } from './place.ts'
import type { nodeRoutes } from './routes.ts'
import type { Stops } from './stops.ts'

type Parts = {
  node: Node
  routes: ReturnType<typeof nodeRoutes>
  readiness: Readiness
  traces: RequestTraces | undefined
}

/** Listens. Resolves to the server and its port. */
export async function serveNode(
  config: Config,
  { operator_key, shared_port, waits }: NodePlace,
  { database, blobs, room, uploads_directory, registry, base_url }: Ground,
  { node, routes: { routes, polls, mcp }, readiness, traces }: Parts,
  log: Log,
  stops: Stops,
): Promise<{ server: HttpServer; port: number }> {
  const production = config.environment === 'production'
  const strict_transport = production && base_url.startsWith('https:')
  const server = new HttpServer({
    runtime: node,
    database,
    config: {
      host: config.host,
      port: config.port,
      shared_port,
      production,
      strict_transport,
      trusted_proxies: config.trusted_proxies,
      address_people: config.address_people,
      operator_key,
      access_log: config.access_log,
      max_requests: config.max_requests,
      leave_ms: config.stop_grace_seconds * 1000,
      close_deadline_ms: config.stop_requests_seconds * 1000,
      uploads_directory,
      operations: operationsOf(waits),
      // The rest of the pool is for reads by actors.
      max_reads: Math.max(1, database.pool_size - 2),
    },
    routes,
    readiness,
    log,
    traces,
    registry,
  })
  engineMetrics(registry, node)
  deadLetterMetrics(registry, database, node)
  clusterMetrics(registry, database, node)
  const isSecure = production ? forwardedOverTls(config.trusted_proxies) : undefined
  const { app, addresses } = server
  const sockets = { app, ...addresses, bus: node.bus, database, isSecure, strict_transport, log }
  const visitors = new VisitorServer({
    ...sockets,
    runtime: node,
    base_url,
    blobs,
    room,
    uploads_directory,
    max_visitors: config.max_visitors,
  })
  new MailFiles({ ...sockets, blobs, room, directory: uploads_directory })
  const consoles = new ConsoleServer({ ...sockets, node: node.id, live: node.live })
  const port = await server.listen()
  nodeMetrics(registry, { node: node.id, port, readiness, database })
  stops.push(() => server.close())
  stops.push(() => polls.close())
  stops.push(() => mcp.stop())
  stops.push(() => visitors.close())
  stops.push(() => consoles.close())
  return { server, port }
}

function operationsOf({ operation_ms, claim_ms }: Waits) {
  return {
    ...(operation_ms !== undefined && { deadline_ms: operation_ms }),
    ...(claim_ms !== undefined && { claim_ms }),
  }
}
