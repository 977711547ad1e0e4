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
  const is_hidden = await mustHide(context, records)
  return is_hidden ? records.map(withoutValues) : records
}

/** One subscription as the caller may see it. */
export async function oneWithoutSecrets(context: RequestContext, record: WebhookRecord): Promise<WebhookRecord> {
  const is_hidden = await mustHide(context, [record])
  return is_hidden ? withoutValues(record) : record
}

async function mustHide(context: RequestContext, records: WebhookRecord[]): Promise<boolean> {
  return records.some(({ headers }) => Object.keys(headers).length > 0) && !(await mayManage(context))
}

async function mayManage({ session, database, project_id, token_id }: RequestContext): Promise<boolean> {
  if (session) return session.permissions.includes(MANAGES_WEBHOOKS)
  return (await findToken(database, project_id, token_id))?.scopes.includes(manages.scope) ?? false
}

function withoutValues(record: WebhookRecord): WebhookRecord {
  return { ...record, headers: Object.fromEntries(Object.keys(record.headers).map((name) => [name, REDACTED])) }
}
