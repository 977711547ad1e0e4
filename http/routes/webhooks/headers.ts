/**
 * The headers that a client configured for requests to its own server. Those who may change a subscription see them whole,
 * all others only their names: the values may be passwords of the receiver.
 */
import type { WebhookRecord } from '../../../actors/mod.ts'
import { findToken, REDACTED } from '../../../storage/mod.ts'
import type { RequestContext } from '../../server/route/route.ts'
import { MANAGES_WEBHOOKS, manages } from './places.ts'

/** The subscriptions as the caller may see them. */
export async function withoutSecrets(context: RequestContext, records: WebhookRecord[]): Promise<WebhookRecord[]> {
  if (records.every(({ headers }) => Object.keys(headers).length === 0) || (await mayManage(context))) return records
  return records.map((record) => ({ ...record, headers: withoutValues(record.headers) }))
}

async function mayManage({ session, database, project_id, token_id }: RequestContext): Promise<boolean> {
  if (session) return session.permissions.includes(MANAGES_WEBHOOKS)
  return (await findToken(database, project_id, token_id))?.scopes.includes(manages.scope) ?? false
}

function withoutValues(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, REDACTED]))
}
