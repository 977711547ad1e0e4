/** Connections to the outside and work in the background, which actors and routes use beside the database. */
import {
  AssistantWork,
  BulkRate,
  Foreground,
  HttpAssistants,
  HttpModels,
  hearVisitorTyping,
  KnowledgeIndexer,
  Languages,
  localAssistants,
  MediaFetcher,
  MediaProviders,
  OutboundGuard,
  openUploaded,
  type ProjectProtocol,
  Providers,
  QuestionFiles,
  smtpMailer,
  ToolClient,
  TypingPeople,
  tellAssistantTyping,
  tellVisitor,
  VisitorQuestions,
  type VisitorSign,
  WebhookSender,
  WhatsAppClient,
  WhatsAppFlows,
  WhatsAppTemplates,
} from '../../../actors/mod.ts'
import type { Address, Log, Node } from '../../../runtime/mod.ts'
import { knowledgeMetrics } from '../metrics/knowledge_metrics.ts'
import { mediaFetchMetrics } from '../metrics/media_fetch_metrics.ts'
import { measuredModels } from '../metrics/model_metrics.ts'
import { bulkRateMetrics } from '../metrics/product_metrics.ts'
import type { Config } from '../settings/mod.ts'
import { startImporter } from './document_importer.ts'
import type { Ground } from './ground.ts'
import type { Waits } from './place.ts'
import type { Stops } from './stops.ts'

/** Milliseconds for a question of a tool to its project. */
const ASK_MS = 10_000

export type Services = ReturnType<typeof openServices>

/** Opens nothing outside yet; adds the ends to `stops`. */
export function openServices(config: Config, waits: Waits, ground: Ground, log: Log, stops: Stops) {
  const { database, blobs, registry, quiet } = ground
  const started = Promise.withResolvers<Node>()
  const visitors = started.promise.then(({ bus }) => new VisitorQuestions(bus))
  let node_id: string | undefined
  const { allow_networks, certificates, outbound_proxy } = config
  const isQuiet = () => quiet.is_on
  const guard = new OutboundGuard({ allow_networks, certificates, proxy: outbound_proxy, isQuiet })
  const sender = new WebhookSender({ guard, deadline_ms: waits.webhook_ms })
  stops.push(() => sender.close())
  // Actors may send before the node has all its partitions.
  const tell_visitor = async (sign: VisitorSign) => tellVisitor((await started.promise).bus, sign)
  const providers = new Providers({
    send_ms: waits.send_ms,
    guard,
    certificates,
    isQuiet,
    open_file: openUploaded(database, blobs),
    tell_visitor,
  })
  stops.push(() => providers.close())
  const media_providers = new MediaProviders(guard)
  stops.push(() => media_providers.close())
  const whatsapp = {
    client: new WhatsAppClient({ deadline_ms: waits.operation_ms }),
    flows: new WhatsAppFlows(),
    templates: new WhatsAppTemplates(),
  }
  stops.push(() => Promise.all([whatsapp.client.close(), whatsapp.flows.close(), whatsapp.templates.close()]))
  const tools = new ToolClient({ guard, ...ground.product.tools })
  stops.push(() => tools.close())
  const calls = { entries: config.models, calls: config.model_calls, certificates, isQuiet }
  const models = measuredModels(registry, new HttpModels(calls))
  stops.push(() => models.close())
  const languages = new Languages()
  stops.push(() => languages.close())
  const files = new QuestionFiles({ database, blobs, models })
  const { budgetRefused } = ground.assistants
  const assistant_services = { database, models, languages, tools, files, budgetRefused }
  const assistants = { ...assistantsOf(config), services: assistant_services }
  stops.push(() => assistants.service.close())
  const assistant_work = new AssistantWork({
    ...assistant_services,
    tellVisitor: tell_visitor,
    tellConsoles: async (typing) => tellAssistantTyping((await started.promise).bus, typing),
    askProject: async ({ project_id, ...asked }) => {
      const node = await started.promise
      const address = `project/${project_id}` as Address<ProjectProtocol>
      return node.ask(address, { type: 'assistant_asks', ...asked }, { deadline_ms: ASK_MS, repeatable: true })
    },
  })
  const typing = new TypingPeople(async (project_id, heard) =>
    hearVisitorTyping((await started.promise).bus, project_id, heard),
  )
  stops.push(() => typing.close())
  const documents = {
    blobs,
    guard,
    directory: ground.uploads_directory,
    log,
    registry,
    cpu_s: waits.conversion_cpu_s,
  }
  const importer = startImporter(config, documents)
  stops.push(() => importer.stop())
  const media_fetcher = new MediaFetcher({
    database,
    blobs,
    providers,
    takeRoom: (project_id, file_size) => ground.room.takeForVisitor(project_id, file_size),
    directory: ground.uploads_directory,
    log,
    ...mediaFetchMetrics(registry),
  })
  const foreground = new Foreground()
  const observe = knowledgeMetrics(registry)
  const indexer = new KnowledgeIndexer({ database, log, foreground, node: () => node_id, observe })
  stops.push(() => indexer.stop())
  const bulk_rate = new BulkRate()
  bulkRateMetrics(registry, bulk_rate)
  return {
    guard,
    sender,
    providers,
    media_providers,
    whatsapp,
    tools,
    assistants,
    models,
    assistant_work,
    typing,
    importer,
    media_fetcher,
    foreground,
    indexer,
    bulk_rate,
    isVisitorHere: async (visitor: Parameters<VisitorQuestions['isHere']>[0]) => (await visitors).isHere(visitor),
    /** Null without a mail server: disabled subscriptions are then reported only in the log. */
    mailer: mailerOf(config),
    /** Call once the node has joined its cluster. */
    joined(node: Node): void {
      node_id = node.id
      started.resolve(node)
    },
  }
}

function mailerOf({ smtp_url, mail_from, certificates }: Config) {
  return smtp_url && mail_from ? smtpMailer({ url: smtp_url, from: mail_from, certificates }) : null
}

function assistantsOf({ assistants_url: url, assistants_key: key, assistant_models: models, certificates }: Config) {
  return { service: url ? new HttpAssistants({ url, key, certificates }) : localAssistants, models }
}
