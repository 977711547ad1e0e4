import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { WebhookKey } from '../../entities/webhook_key.ts'
import { newDate } from '../../values/time.ts'

/** The notation of Standard Webhooks for the key of a receiver. */
export const PUBLIC_KEY_SCHEME = 'whpk_'

/** The keys of a project with which deliveries may be signed now, the newest first. */
export async function listWebhookKeys(database: Database, project_id: string) {
  const rows = await readRows(database, WebhookKey, { project_id })
  const now = newDate()
  const valid = rows.filter(({ valid_until }) => !valid_until || valid_until > now)
  return valid.sort((one, other) => other.number - one.number).map(toWebhookKeyRecord)
}

/** A key as the API shows it, without its private half. */
export function toWebhookKeyRecord({ id, public_key, created_at, valid_until }: WebhookKey) {
  return { id, public_key: PUBLIC_KEY_SCHEME + public_key, created_at, valid_until: valid_until ?? null }
}
