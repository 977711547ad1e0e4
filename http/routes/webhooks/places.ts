/** Shared by the routes of webhooks: their scopes, their parameters, and the subscription that a path names. */
import { idPattern } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findWebhook } from '../../../storage/mod.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'

export const reads = { auth: 'token', scope: 'webhooks:read' } as const
export const manages = { auth: 'token', scope: 'webhooks:manage' } as const

/** The permission of agents to decide where the events of the project are sent. */
export const MANAGES_WEBHOOKS = 'developer.manage_webhooks'

/** For routes under one subscription. */
export const one = {
  params: { id: idPattern('wh') },
  missing: 'WEBHOOK_NOT_FOUND',
  errors: ['WEBHOOK_NOT_FOUND'],
} satisfies Partial<Route>

/** @throws {Refusal} WEBHOOK_NOT_FOUND, also for a subscription of another project */
export async function subscription({ database, project_id }: RequestContext, id: string) {
  const found = await findWebhook(database, project_id, id)
  if (!found) throw new Refusal('WEBHOOK_NOT_FOUND')
  return found
}
