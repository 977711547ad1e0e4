/**
 * Operations of the project for agents, who have a session instead of a token. Most are made from the API's own routes, at
 * `/console/projects/{project_id}` instead of `/v1`, so they take, answer and refuse the same. The rest is for the
 * console alone.
 */

import type { AssistantHooks } from '../routes/assistants/work.ts'
import type { Route } from '../server/route/route.ts'
import { appointmentRoutes } from './appointments.ts'
import { assistantOverviewRoutes } from './assistants.ts'
import { boardRoutes } from './board.ts'
import { bulkActionRoutes } from './bulk_actions.ts'
import { calendarRoutes } from './calendar.ts'
import { cannedResponseRoutes } from './canned_responses.ts'
import { customerRoutes } from './customers.ts'
import { definitionRoutes } from './definitions.ts'
import { inboxRoutes } from './inbox/routes.ts'
import { membershipRoutes } from './loyalty.ts'
import { retryRoutes } from './messages.ts'
import { withMentions } from './notes.ts'
import { notificationRoutes } from './notifications.ts'
import { offered } from './offered.ts'
import { playgroundRoutes } from './playground.ts'
import { snapshotRoute } from './snapshot.ts'

/** The path below which all routes of a project are. Its parameter is a project of the agent's company. */
const PROJECT = '/console/projects/:project_id'

/** The routes of agents. `api`: those of the API. */
export function agentRoutes(api: readonly Route[], assistants: AssistantHooks): Route[] {
  const known = new Map(api.map((route) => [route.operation, route]))
  const same = [...offered].map(([operation, permission]) =>
    withMentions(operation, forAgents(known.get(operation)!, permission)),
  )
  const routes = [
    ...same,
    ...assistantOverviewRoutes(assistants),
    ...playgroundRoutes(assistants),
    ...appointmentRoutes,
    ...calendarRoutes,
    ...definitionRoutes,
    ...inboxRoutes,
    ...cannedResponseRoutes,
    ...notificationRoutes,
    ...bulkActionRoutes,
    ...boardRoutes,
    ...customerRoutes,
    ...membershipRoutes,
    ...retryRoutes,
  ]
  return [...routes, snapshotRoute(routes)]
}

/** The route for agents. They draw on no budget of the project, and need permissions instead of scopes. */
function forAgents({ scope, section, audited, ...route }: Route, permission: string | undefined): Route {
  const { operation, path, errors = [] } = route
  // Such routes have no caller, or call others for the bearer of a token.
  if (route.raw !== undefined || route.serve !== undefined) throw new Error(`${operation} is not for agents`)
  return {
    ...route,
    ...(permission !== undefined && { permission }),
    path: path.replace(/^\/v1/, PROJECT),
    operation: `console_${operation}`,
    auth: 'agent',
    pool: 'exempt',
    errors: ['NOT_FOUND', ...errors],
  }
}
