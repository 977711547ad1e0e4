import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Event } from '../../entities/event.ts'
import { type Recovery, Subscription } from '../../entities/subscription.ts'
import { openHeaders } from '../../secrets/sealed_headers.ts'
import { patternsOf } from '../../values/event_patterns.ts'

/** A subscription as the API shows it, without the secret: only creation and rotation show that. */
export type WebhookRecord = ReturnType<typeof toWebhookRecord>

/** The subscription with this id, or undefined when the project has none or it was deleted. */
export async function findWebhook(
  database: Database,
  project_id: string,
  id: string,
): Promise<WebhookRecord | undefined> {
  const row = await database.em().findOne(Subscription, { id, project_id, deleted_at: null })
  return row ? toWebhookRecord(database, row) : undefined
}

/** All subscriptions of the project, newest first. */
export async function listWebhooks(database: Database, project_id: string): Promise<WebhookRecord[]> {
  const rows = await database.em().find(Subscription, { project_id, deleted_at: null }, { orderBy: { id: 'desc' } })
  return rows.map((row) => toWebhookRecord(database, row))
}

/** The event with this id, or undefined when the project has none or it is no longer kept. */
export async function findEvent(database: Database, project_id: string, id: string): Promise<Event | undefined> {
  const [row] = await readRows(database, Event, { id, project_id })
  return row
}

/** The row as the API shows it; opens its headers. */
export function toWebhookRecord(database: Database, row: Subscription) {
  return {
    id: row.id,
    name: row.name,
    mode: row.mode,
    url: row.mode === 'poll' ? null : row.url,
    events: patternsOf(row.events),
    payload: row.payload,
    format: row.format,
    headers: openHeaders(database, row.id, row.headers),
    is_active: row.is_active,
    ordering: row.ordering,
    concurrency: row.concurrency,
    ed25519: row.ed25519,
    disable_on_410: row.disable_on_410,
    secret_prefix: row.secret_prefix,
    previous_secret_until: row.previous_secret_until ?? null,
    recovery: row.recovery ? toRecoveryRecord(row.recovery) : null,
    failure_count: row.failure_count,
    disabled_reason: row.disabled_reason ?? null,
    last_delivery_at: row.last_delivery_at ?? null,
    last_error: row.last_error ?? null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** The progress of a recovery, without its cursor. */
function toRecoveryRecord({ cursor, ...progress }: Recovery) {
  return progress
}
