/**
 * Starts one node with its HTTP server, on running servers and a migrated database. One file, because the order in which
 * the parts begin and end matters.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Registry } from 'prom-client'
import {
  BulkRate,
  broadcastActor,
  channelActor,
  deadLettersActor,
  erasureActor,
  exportActor,
  Foreground,
  HttpAssistants,
  KnowledgeIndexer,
  localAssistants,
  MediaProviders,
  mailActor,
  OutboundGuard,
  openUploaded,
  Providers,
  projectActor,
  signInActor,
  smtpMailer,
  subscriptionActor,
  ToolClient,
  tellVisitor,
  WebhookSender,
  WhatsAppClient,
  WhatsAppFlows,
} from '../../actors/mod.ts'
import { type Log, Node } from '../../runtime/mod.ts'
import {
  type BlobStore,
  claimCluster,
  confirmSecret,
  openBlobs,
  openDatabase,
  type ProjectLimits,
} from '../../storage/mod.ts'
import { activityRoutes } from '../admin/activity.ts'
import { clusterRoutes } from '../admin/cluster.ts'
import { dataRightsRoutes } from '../admin/data_rights/mod.ts'
import { adminRoutes } from '../admin/mod.ts'
import { agentRoutes } from '../console/api.ts'
import { invitationAcceptanceRoute } from '../console/invitation.ts'
import { ConsoleServer } from '../console/live/console_server.ts'
import { operatorConsoleRoutes } from '../console/ops/routes.ts'
import { consolePageRoutes } from '../console/pages.ts'
import { sessionRoutes } from '../console/session.ts'
import { docsRoutes } from '../docs/routes.ts'
import { mcpRoute } from '../mcp/mcp_route.ts'
import { FilePlaces } from '../media/file_places.ts'
import { FileRoom } from '../media/file_room.ts'
import { FileStores } from '../media/file_stores.ts'
import { tidyFiles } from '../media/tidy.ts'
import { openapiRoutes } from '../openapi/routes.ts'
import { WebhookPolls } from '../routes/polls/polls.ts'
import { providerHook } from '../routes/providers/hook.ts'
import { apiRoutes } from '../routes/table.ts'
import { reportKeys } from '../routes/tokens/leak_report.ts'
import type { Route } from '../server/route/route.ts'
import { cannotListen, HttpServer } from '../server/server.ts'
import { forwardedOverTls } from '../server/sockets/client_connection.ts'
import { VisitorServer } from '../visitors/server.ts'
import { widgetRoutes } from '../visitors/widget.ts'
import { startActivityBoard } from './activity.ts'
import { keepContactsSeparate } from './contact_separation.ts'
import { deadLetterMetrics } from './dead_letter_metrics.ts'
import { startImporter } from './document_importer.ts'
import { engineMetrics, nodeMetrics } from './engine_metrics.ts'
import { knowledgeMetrics } from './knowledge_metrics.ts'
import { keepMessagesIndexed } from './message_index.ts'
import { tryPort } from './port.ts'
import { bulkRateMetrics, productMetrics } from './product_metrics.ts'
import { Quiet } from './quiet.ts'
import { readinessOf } from './readiness.ts'
import { keepDays } from './retention.ts'
import { rootRoute } from './root.ts'
import { SecretKeys } from './secret_keys.ts'
import type { Config } from './settings/mod.ts'
import { lookAround } from './surroundings.ts'
import { warnOfExpiries } from './token_warnings.ts'
import { warmUp } from './warm_up.ts'

const STOP_MS = 5000
/** Longer than a provider may take to answer: process managers should wait a little longer between SIGTERM and SIGKILL. */
const CALLS_MS = 22_000

const RELEASE: string = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')).version

/** Timeouts in milliseconds and other bounds, with production defaults: tests set them shorter. */
export type Waits = {
  /** Wait for the status callback of a message in doubt, before it is sent again. */
  confirm_ms?: number
  /** Time between two probes whether the provider of a channel still accepts the account. */
  probe_ms?: number
  /** Wait for the provider's answer to a send. */
  send_ms?: number
  /** Limit of one whole webhook attempt. */
  webhook_ms?: number
  /** Limit of all provider calls of one request. */
  operation_ms?: number
  /** Time after which another request may take an idempotency key whose node died during such work. */
  claim_ms?: number
  /** Seconds of processor time that a conversion of a document may take. */
  conversion_cpu_s?: number
  /** Time between two searches for tokens that expire soon. */
  token_search_ms?: number
  /** Minimum age of an overview for operators before the next one is made. */
  overview_ms?: number
  /** Time after which an erasure asks actors again that have not answered. */
  erasure_ask_ms?: number
  /** Maximum messages of a channel in memory. */
  channel_items?: number
}

/** Facts about a node's place beyond its settings. Plain data, so that it can be passed to a process. */
export type NodePlace = {
  database_url: string
  nats_url: string
  secret: string | undefined
  operator_key: string | undefined
  /** The servers belong to this start and this is its only node: no other can have partitions. */
  alone: boolean
  /** Other processes listen on the port too. */
  shared_port: boolean
  /** Number of the process, from 1, as a label of its metrics. Missing when it is the only one. */
  process?: number
  waits: Waits
}

export type ApiNode = {
  id: string
  port: number
  /** Its metrics in Prometheus' text form. */
  metrics(): Promise<string>
  /** Reports not ready from now on, and works on until it is stopped. */
  leave(): void
  stop(): Promise<void>
}

export function limitsOf({ limit_minute, limit_hour, limit_day, limit_ingest_minute }: Config): ProjectLimits {
  return { minute: limit_minute, hour: limit_hour, day: limit_day, ingest_minute: limit_ingest_minute }
}

function operationsOf({ operation_ms, claim_ms }: Waits) {
  return {
    ...(operation_ms !== undefined && { deadline_ms: operation_ms }),
    ...(claim_ms !== undefined && { claim_ms }),
  }
}

/** Null without a mail server: disabled subscriptions are then reported only in the log. */
function mailerOf({ smtp_url, mail_from, certificates }: Config) {
  return smtp_url && mail_from ? smtpMailer({ url: smtp_url, from: mail_from, certificates }) : null
}

function assistantsOf({ assistants_url: url, assistants_key: key, assistant_models: models, certificates }: Config) {
  return { service: url ? new HttpAssistants({ url, key, certificates }) : localAssistants, models }
}

/** Starts everything of the node or nothing. `stop` finishes the work under way and gives its partitions away. */
export async function startApiNode(
  config: Config,
  place: NodePlace,
  log: Log,
  given_up?: AbortSignal,
): Promise<ApiNode> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one().catch((error) => log.error({ error }, 'stopping failed'))
  }
  try {
    return await start(config, place, { log, given_up }, stops, stop)
  } catch (error) {
    await stop()
    throw error
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

async function start(
  config: Config,
  { database_url, nats_url, secret, operator_key, alone, shared_port, process, waits }: NodePlace,
  { log, given_up }: { log: Log; given_up: AbortSignal | undefined },
  stops: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<ApiNode> {
  const database = await openDatabase({
    url: database_url,
    secret,
    pool_size: config.pool_size,
    log: (message) => log.warn({}, message),
  })
  stops.push(() => database.close())
  await confirmSecret(database)
  const around = await lookAround(config, database, log)
  const uploads_directory = join(config.data_dir, 'uploads')
  const exports_directory = join(config.data_dir, 'exports')
  const blobs = await openBlobs(config.blob_url ?? pathToFileURL(join(config.data_dir, 'blobs')).href)
  stops.push(() => blobs.close())
  const room = new FileRoom(database, {
    files: config.files_per_project,
    bytes: config.files_per_project_gib * 1024 ** 3,
  })
  const files = new FileStores(log)
  const places = new FilePlaces({ data_dir: config.data_dir, blobs, log })
  stops.push(async () => places.stop())
  places.start()
  const keys = new SecretKeys(log)
  const registry = new Registry()
  if (process !== undefined) registry.setDefaultLabels({ process: String(process) })
  const product = productMetrics(registry)
  const days = await keepDays(database, config, log, () =>
    tidyFiles(database, blobs, { uploads_directory, exports_directory }),
  )
  stops.push(async () => days.stop())
  const message_index = keepMessagesIndexed(database, log)
  stops.push(async () => message_index.stop())
  const contact_separation = keepContactsSeparate(database, log)
  stops.push(async () => contact_separation.stop())
  const { allow_networks, certificates, outbound_proxy } = config
  const { identity, quiet_since } = await claimCluster(database, {
    partitions: config.partitions,
    quiet: config.quiet === 'on',
  })
  const quiet = new Quiet(database, quiet_since, log)
  stops.push(async () => quiet.stop())
  const isQuiet = () => quiet.is_on
  const base_url = config.base_url ?? `http://${config.host}:${config.port}`
  const guard = new OutboundGuard({ allow_networks, certificates, proxy: outbound_proxy, isQuiet })
  const sender = new WebhookSender({ guard, deadline_ms: waits.webhook_ms })
  stops.push(() => sender.close())
  const started = Promise.withResolvers<Node>()
  const providers = new Providers({
    send_ms: waits.send_ms,
    guard,
    certificates,
    isQuiet,
    open_file: openUploaded(database, blobs),
    // Actors may send before the node has all its partitions.
    tell_visitor: async (note) => tellVisitor((await started.promise).bus, note),
  })
  stops.push(() => providers.close())
  const media_providers = new MediaProviders(guard)
  stops.push(() => media_providers.close())
  const whatsapp = { client: new WhatsAppClient({ deadline_ms: waits.operation_ms }), flows: new WhatsAppFlows() }
  stops.push(() => Promise.all([whatsapp.client.close(), whatsapp.flows.close()]))
  const tools = new ToolClient({ guard, ...product.tools })
  stops.push(() => tools.close())
  const assistants = assistantsOf(config)
  stops.push(() => assistants.service.close())
  const documents = { blobs, guard, directory: uploads_directory, log, registry, cpu_s: waits.conversion_cpu_s }
  const importer = startImporter(config, documents)
  stops.push(() => importer.stop())
  const foreground = new Foreground()
  const observe = knowledgeMetrics(registry, database)
  let node_id: string | undefined
  const indexer = new KnowledgeIndexer({ database, log, foreground, node: () => node_id, observe })
  stops.push(() => indexer.stop())
  const bulk_rate = new BulkRate()
  bulkRateMetrics(registry, bulk_rate)
  await refuseTakenPort(config, shared_port)
  const kinds = [
    projectActor({
      database,
      webhook_schedule: config.webhook_schedule,
      base_url,
      providers,
      foreground,
      importer,
      token_mails: { to: config.token_mail_to, warning_days: config.token_warning_days },
      knowledge_changed: () => indexer.wake(),
      ...product.projects,
    }),
    channelActor({
      database,
      providers,
      confirm_ms: waits.confirm_ms,
      max_waiting: config.channel_backlog,
      max_items: waits.channel_items,
      probe_ms: waits.probe_ms,
      ...product.channels,
    }),
    broadcastActor({ database, foreground, bulk_rate }),
    subscriptionActor({ database, sender, schedule: config.webhook_schedule, base_url, ...product.subscriptions }),
    mailActor({ mailer: mailerOf(config), log }),
    signInActor(),
    deadLettersActor({ log }),
    erasureActor({ database, blobs, log, ask_ms: waits.erasure_ask_ms }),
    exportActor({ database, blobs, log, directory: exports_directory }),
  ]
  // Before the node joins: once it does, its actors have callers who wait for the event loop.
  const pages = [...widgetRoutes(), ...consolePageRoutes()]
  await warmUp(kinds, database)
  const node = await Node.start({
    database,
    nats_url,
    prefix: identity ? `${config.nats_prefix}.${identity}` : config.nats_prefix,
    isQuiet,
    replicas: config.nats_replicas,
    partitions: config.partitions,
    cluster: {
      alone,
      files: await identityOf(blobs, log),
      confirm: () => confirmSecret(database),
      keys: database.vault.key_ids,
      release: RELEASE,
      changed: (nodes) => {
        files.look(nodes)
        keys.look(nodes)
        // One that has gone may have claimed documents.
        indexer.wake()
      },
    },
    log,
    given_up,
    kinds,
  })
  started.resolve(node)
  node_id = node.id
  stops.push(() => node.stop(STOP_MS, CALLS_MS))
  const { token_warning_days: warning_days } = config
  const expiries = warnOfExpiries({ database, runtime: node, log, warning_days, every_ms: waits.token_search_ms })
  stops.push(async () => expiries.stop())
  const activity = await startActivityBoard(node, registry, log)
  stops.push(async () => activity.stop())
  const polls = new WebhookPolls({ database, runtime: node, live: node.live, base_url })
  let is_leaving = false
  const production = config.environment === 'production'
  const warnings = () =>
    [files.warning, keys.warning, quiet.warning, ...places.warnings, ...around].filter(
      (warning) => warning !== undefined,
    )
  const api = quiet.guard(
    apiRoutes({
      provider: providerHook(node, database, providers),
      allow_url: (url) => guard.checkUrl(url).ok,
      whatsapp,
      tools: { client: tools, log },
      assistants,
      media: { blobs, room, providers: media_providers, uploads_directory },
      polls,
      leaks: { keys: reportKeys(config.secret_scanning_keys), log },
    }),
  )
  // Parley itself disables subscriptions.
  const operations = new Set(['disable_webhook'])
  const invitations = { base_url, is_mailed: mailerOf(config) !== null }
  const mcp = mcpRoute({ routes: api, base_url, log })
  const admin = [
    ...adminRoutes({ default_limits: limitsOf(config), providers, assistants, operations, invitations }),
    ...dataRightsRoutes(config, blobs),
    ...clusterRoutes(node),
    ...activityRoutes(node, activity),
  ]
  const described = (routes: Route[]) => {
    for (const { operation } of routes) operations.add(operation)
    const has_docs = config.docs === 'on'
    const found = [rootRoute({ version: RELEASE, has_docs }), ...(has_docs ? docsRoutes(routes, base_url) : [])]
    return [...routes, ...openapiRoutes(routes, base_url), ...found]
  }
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
      max_requests: config.max_requests,
      leave_ms: config.stop_grace_seconds * 1000,
      close_deadline_ms: config.stop_requests_seconds * 1000,
      uploads_directory,
      operations: operationsOf(waits),
      // The rest of the pool is for reads by actors.
      max_reads: Math.max(1, database.pool_size - 2),
    },
    routes: described([
      ...api,
      mcp.route,
      ...admin,
      ...sessionRoutes(),
      invitationAcceptanceRoute(),
      ...agentRoutes(api),
      ...operatorConsoleRoutes({ admin, cluster: node, board: activity, fresh_ms: waits.overview_ms }),
      ...pages,
    ]),
    readiness: readinessOf({ node, database, warnings, isLeaving: () => is_leaving }),
    log,
    registry,
  })
  engineMetrics(registry, node)
  deadLetterMetrics(registry, database, { isHere: (address) => node.isHere(address) })
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
  const consoles = new ConsoleServer({ ...sockets, node: node.id, live: node.live })
  const port = await server.listen()
  nodeMetrics(registry, node.id, port)
  stops.push(() => server.close())
  stops.push(async () => polls.close())
  stops.push(async () => mcp.stop())
  stops.push(() => visitors.close())
  stops.push(() => consoles.close())
  return {
    id: node.id,
    port,
    metrics: () => registry.metrics(),
    leave() {
      is_leaving = true
      server.leave()
    },
    stop,
  }
}

/** Undefined when the store cannot say; the first upload will report why. */
async function identityOf(blobs: BlobStore, log: Log): Promise<string | undefined> {
  try {
    return await blobs.identity()
  } catch (error) {
    log.warn({ error }, 'the store of uploaded files cannot be used')
    return undefined
  }
}
