/** All routes of a node. */
import type { Log, Node } from '../../../runtime/mod.ts'
import { dataRightsRoutes } from '../../admin/data_rights/mod.ts'
import { adminRoutes } from '../../admin/mod.ts'
import { activityRoutes } from '../../admin/operations/activity.ts'
import { clusterRoutes } from '../../admin/operations/cluster.ts'
import { agentRoutes } from '../../console/api.ts'
import { invitationAcceptanceRoute } from '../../console/invitation.ts'
import { operatorConsoleRoutes } from '../../console/ops/routes.ts'
import { sessionRoutes } from '../../console/session.ts'
import { docsRoutes } from '../../docs/routes.ts'
import { mcpRoute } from '../../mcp/mcp_route.ts'
import { Thumbnails } from '../../media/thumbnails.ts'
import { openapiRoutes } from '../../openapi/routes.ts'
import type { ActivityBoard } from '../../routes/node_activity.ts'
import { WebhookPolls } from '../../routes/polls/polls.ts'
import { providerHook } from '../../routes/providers/hook.ts'
import { apiRoutes } from '../../routes/table.ts'
import { reportKeys } from '../../routes/tokens/leak_report.ts'
import type { Route } from '../../server/route/route.ts'
import { type Config, limitsOf } from '../settings/mod.ts'
import type { Ground } from './ground.ts'
import { RELEASE } from './release.ts'
import { rootRoute } from './root.ts'
import type { Services } from './services.ts'

type Parts = {
  node: Node
  activity: ActivityBoard
  /** Routes that serve pages. */
  pages: readonly Route[]
  /** Minimum age of an overview for operators before the next one is made. */
  overview_ms: number | undefined
}

/** Returns the routes, and the parts of them that end before the node does. */
export function nodeRoutes(
  config: Config,
  { database, blobs, room, uploads_directory, quiet, base_url }: Ground,
  { providers, guard, whatsapp, tools, assistants, media_providers, mailer }: Services,
  { node, activity, pages, overview_ms }: Parts,
  log: Log,
) {
  const polls = new WebhookPolls({ database, runtime: node, live: node.live, base_url })
  const api = quiet.guard(
    apiRoutes({
      provider: providerHook(node, database, providers),
      allow_url: (url) => guard.checkUrl(url).ok,
      whatsapp,
      providers,
      tools: { client: tools, log },
      assistants,
      media: { blobs, room, providers: media_providers, uploads_directory, thumbnails: new Thumbnails() },
      polls,
      leaks: { keys: reportKeys(config.secret_scanning_keys), log },
    }),
  )
  // Parley itself disables subscriptions.
  const operations = new Set(['disable_webhook'])
  const invitations = { base_url, is_mailed: mailer !== null }
  const mcp = mcpRoute({ routes: api, base_url, log })
  const admin = [
    ...adminRoutes({ default_limits: limitsOf(config), providers, assistants, operations, invitations }),
    ...dataRightsRoutes(config, blobs),
    ...clusterRoutes(node),
    ...activityRoutes(node, activity),
  ]
  const routes = [
    ...api,
    mcp.route,
    ...admin,
    ...sessionRoutes(),
    invitationAcceptanceRoute(),
    ...agentRoutes(api, assistants),
    ...operatorConsoleRoutes({ admin, cluster: node, board: activity, fresh_ms: overview_ms }),
    ...pages,
  ]
  for (const { operation } of routes) operations.add(operation)
  return { routes: [...routes, ...descriptionOf(routes, config, base_url)], polls, mcp }
}

/** Routes that describe the others, and the page at the root. */
function descriptionOf(routes: Route[], { docs }: Config, base_url: string): Route[] {
  const has_docs = docs === 'on'
  const guides = has_docs ? docsRoutes(routes, base_url) : []
  return [...openapiRoutes(routes, base_url), rootRoute({ version: RELEASE, has_docs }), ...guides]
}
