/**
 * Operations of the API in the console, for a session instead of a token. Each is made from the API's own route, at
 * `/console/projects/{project_id}` instead of `/v1`, so it takes, answers and refuses the same.
 */

import { broadcastRoutes } from '../routes/broadcasts.ts'
import type { Route } from '../server/route.ts'

/** Operations that the console offers. Here they do not draw on a budget of the project. */
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
  // The project receives a command together with the token to admit, and raw routes have no caller.
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
