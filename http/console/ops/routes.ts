/**
 * The operators' part of the console, at `/console/ops`. Its routes belong to no project: a user with the permission sees
 * and changes the whole installation. Most are the routes of the operator API; the rest are reads that cost the same for
 * any number of rows.
 */
import type { Cluster } from '../../../runtime/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findSession, OPERATOR_PERMISSION } from '../../../storage/mod.ts'
import type { ActivityBoard } from '../../routes/node_activity.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { listRoutes } from './lists.ts'
import { offeredToOperators } from './offered.ts'
import { overviewRoute } from './overview.ts'

const OPS = '/console/ops'

type Options = { admin: readonly Route[]; cluster: Cluster; board: ActivityBoard; fresh_ms?: number | undefined }

/** `admin`: the routes of the operator API. `fresh_ms`: minimum age of an overview before the next one. */
export function operatorConsoleRoutes({ admin, cluster, board, fresh_ms }: Options): Route[] {
  const known = new Map(admin.map((route) => [route.operation, route]))
  const same = offeredToOperators.map((operation) => forUsers(known.get(operation)!))
  return [...same, ...[overviewRoute(cluster, board, fresh_ms), ...listRoutes].map(own)]
}

/** The parts that all of them share. */
function own<Some extends Route>(route: Some): Some {
  return { ...route, auth: 'agent', permission: OPERATOR_PERMISSION, pool: 'exempt' }
}

function forUsers({ section, role, ...route }: Route): Route {
  const { operation, path, change, read } = route
  if (!change && !read) throw new Error(`${operation} is not for users of the console`)
  const moved = own({ ...route, path: path.replace('/admin/v1', OPS), operation: `ops_${operation}` } as Route)
  if (!change) return moved
  const confirmed: Route['change'] = async (input, context) => {
    await confirmPermission(context)
    return change(input, context)
  }
  return { ...moved, change: confirmed } as Route
}

/**
 * Looks the session up again, now that the body has come: it may have been under way for minutes.
 *
 * @throws {Refusal} UNAUTHENTICATED, INSUFFICIENT_PERMISSION
 */
async function confirmPermission({ database, session }: RequestContext): Promise<void> {
  const present = await findSession(database, { hash: session!.hash, project_id: null })
  if (!present) throw new Refusal('UNAUTHENTICATED')
  if (present.permissions.includes(OPERATOR_PERMISSION)) return
  throw new Refusal('INSUFFICIENT_PERMISSION', { details: { required: OPERATOR_PERMISSION } })
}
