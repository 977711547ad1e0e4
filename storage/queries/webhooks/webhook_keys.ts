import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { WebhookKey } from '../../entities/webhooks/webhook_key.ts'
import { newDate } from '../../values/time.ts'

/** The keys of a project with which deliveries may be signed now, the newest first. */
export async function listWebhookKeys(database: Database, project_id: string): Promise<WebhookKey[]> {
  const rows = await readRows(database, WebhookKey, { project_id })
  const now = newDate()
  const valid = rows.filter(({ valid_until }) => !valid_until || valid_until > now)
  return valid.sort((one, other) => other.number - one.number)
}
