/** Every route of a node, and the routes that take JSON. */
import { tmpdir } from 'node:os'
import { Providers } from '../../../actors/mod.ts'
import { dataRightsRoutes } from '../../../http/admin/data_rights/mod.ts'
import { adminRoutes } from '../../../http/admin/mod.ts'
import { activityRoutes } from '../../../http/admin/operations/activity.ts'
import { clusterRoutes } from '../../../http/admin/operations/cluster.ts'
import { agentRoutes } from '../../../http/console/api.ts'
import { invitationAcceptanceRoute } from '../../../http/console/invitation.ts'
import { operatorConsoleRoutes } from '../../../http/console/ops/routes.ts'
import { sessionRoutes } from '../../../http/console/session.ts'
import { apiRoutes } from '../../../http/mod.ts'
import type { Route } from '../../../http/server/route/route.ts'

const invitations = { base_url: 'https://api.example.com', is_mailed: false }
const limits = { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 }

export function allRoutes(): Route[] {
  const hooks = {
    provider: async () => ({ status: 200, body: '' }),
    allow_url: () => true,
    whatsapp: {} as never,
    providers: {} as never,
    tools: {} as never,
    assistants: {} as never,
    media: { uploads_directory: tmpdir() } as never,
    polls: {} as never,
  }
  const providers = new Providers({} as never)
  const api = apiRoutes(hooks)
  const admin = [
    ...adminRoutes({ default_limits: limits, providers, assistants: {} as never, invitations }),
    ...dataRightsRoutes({ retention_days: 30, audit_days: 30 }, {} as never),
    ...clusterRoutes({} as never),
    ...activityRoutes({} as never, {} as never),
  ]
  return [
    ...api,
    ...admin,
    ...sessionRoutes(),
    invitationAcceptanceRoute(),
    ...agentRoutes(api, hooks.assistants),
    ...operatorConsoleRoutes({ admin, cluster: {} as never, board: {} as never }),
  ]
}

export function jsonRoutes(): Route[] {
  return allRoutes().filter(({ method, raw, form }) => method !== 'GET' && raw === undefined && form === undefined)
}
