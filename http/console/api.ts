/**
 * What agents can do in the console: operations of the API, for a session instead of a token. Each is made from the route of
 * the API itself, at `/console/projects/{project_id}` instead of `/v1`, so it takes, answers and refuses the same.
 */

import { broadcastRoutes } from '../routes/broadcasts.ts'
import type { Route } from '../server/route.ts'

/** Operations of the API that the console offers. What draws on a budget of the project does not so here. */
const OFFERED = [
  'list_broadcasts',
  'get_broadcast',
  'list_broadcast_recipients',
  'download_broadcast_recipients',
  'cancel_broadcast',
]

export function agentRoutes(): Route[] {
  const known = new Map(broadcastRoutes.map((route) => [route.operation, route]))
  return OFFERED.map((operation) => forAgents(known.get(operation)!))
}

function forAgents({ scope, ...route }: Route): Route {
  const { operation, path, errors = [] } = route
  // The project takes a command in the message in which it admits the token; and what is raw asks for nobody.
  if (route.command !== undefined || route.raw !== undefined) throw new Error(`${operation} is not for agents`)
  return {
    ...route,
    path: path.replace(/^\/v1/, '/console/projects/:project_id'),
    operation: `console_${operation}`,
    auth: 'agent',
    pool: 'exempt',
    errors: ['NOT_FOUND', ...errors],
  }
}
