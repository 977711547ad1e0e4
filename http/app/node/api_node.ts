/**
 * Starts one node with its HTTP server, on running servers and a migrated database. The order in which the parts begin
 * and end matters: each part adds its end to the stops when it begins, and the stops run in reverse.
 */
import { type Log, newNodeId } from '../../../runtime/mod.ts'
import { consolePageRoutes } from '../../console/pages.ts'
import { FileStores } from '../../media/file_stores.ts'
import { cannotListen } from '../../server/server.ts'
import { widgetRoutes } from '../../visitors/widget.ts'
import type { Config } from '../settings/mod.ts'
import { openTraces } from '../traces/open_traces.ts'
import { warnOfExpiries } from '../upkeep/token_warnings.ts'
import { startActivityBoard } from './activity.ts'
import { actorKinds } from './actor_kinds.ts'
import { openGround } from './ground.ts'
import { joinCluster } from './join.ts'
import { nodeLog } from './node_log.ts'
import type { ApiNode, NodePlace } from './place.ts'
import { tryPort } from './port.ts'
import { readinessOf } from './readiness.ts'
import { nodeRoutes } from './routes.ts'
import { SecretKeys } from './secret_keys.ts'
import { openServices } from './services.ts'
import { serveNode } from './serving.ts'
import { Stops } from './stops.ts'
import { warmUp } from './warm_up.ts'

/** Starts everything of the node or nothing. `stop` finishes the work under way and gives its partitions away. */
export async function startApiNode(
  config: Config,
  place: NodePlace,
  log: Log,
  given_up?: AbortSignal,
): Promise<ApiNode> {
  const id = newNodeId()
  const own = nodeLog(log, id)
  const stops = new Stops(own)
  stops.push(() => own.stop())
  try {
    return await start(config, place, { id, log: own, given_up }, stops)
  } catch (error) {
    await stops.run()
    throw error
  }
}

async function start(
  config: Config,
  place: NodePlace,
  { id, log, given_up }: { id: string; log: Log; given_up: AbortSignal | undefined },
  stops: Stops,
): Promise<ApiNode> {
  const { waits } = place
  const opened = await openTraces(config, id, log)
  // After the node: its last spans are sent too.
  if (opened) stops.push(() => opened.close())
  const traces = opened?.traces
  const ground = await openGround(config, place, log, stops)
  const { database, registry, quiet, places, around } = ground
  const services = openServices(config, waits, ground, log, stops)
  await refuseTakenPort(config, place.shared_port)
  const kinds = actorKinds(config, waits, ground, services, { log, tracer: traces })
  // Before the node joins: once it does, its actors have callers who wait for the event loop.
  const pages = [...widgetRoutes(), ...consolePageRoutes()]
  await warmUp(kinds, database)
  const files = new FileStores(log)
  const keys = new SecretKeys(log)
  // A node that has gone may have claimed documents.
  const membership = { kinds, files, keys, changed: () => services.indexer.wake() }
  const node = await joinCluster(config, place, ground, membership, { id, log, given_up, stops, traces })
  services.joined(node)
  const { token_warning_days: warning_days } = config
  const expiries = warnOfExpiries({ database, runtime: node, log, warning_days, every_ms: waits.token_search_ms })
  stops.push(() => expiries.stop())
  const activity = await startActivityBoard(node, registry, log)
  stops.push(() => activity.stop())
  const routes = nodeRoutes(config, ground, services, { node, activity, pages, overview_ms: waits.overview_ms }, log)
  let is_leaving = false
  const warnings = () =>
    [files.warning, keys.warning, quiet.warning, ...places.warnings, ...around].filter(
      (warning) => warning !== undefined,
    )
  const readiness = readinessOf({ node, database, warnings, isLeaving: () => is_leaving })
  const { server, port } = await serveNode(config, place, ground, { node, routes, readiness, traces }, log, stops)
  return {
    id: node.id,
    port,
    metrics: () => registry.metrics(),
    leave() {
      is_leaving = true
      server.leave()
    },
    stop: () => stops.run(),
  }
}

/**
 * Runs before the node joins the others: a node that cannot listen would take partitions only to give them back.
 * @throws {Error} `Cannot listen on …`
 */
async function refuseTakenPort({ host, port }: Config, shared_port: boolean): Promise<void> {
  if (port === 0 || shared_port || (await tryPort(host, port)) === undefined) return
  throw cannotListen(host, port)
}
