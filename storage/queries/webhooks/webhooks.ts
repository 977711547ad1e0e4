import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Event } from '../../entities/webhooks/event.ts'
import { Subscription } from '../../entities/webhooks/subscription.ts'

/** The subscription with this id, or undefined when the project has none or it was deleted. */
export async function findWebhook(
  database: Database,
  project_id: string,
  id: string,
): Promise<Subscription | undefined> {
  return (await database.em().findOne(Subscription, { id, project_id, deleted_at: null })) ?? undefined
}

/** All subscriptions of the project, newest first. */
export async function listWebhooks(database: Database, project_id: string): Promise<Subscription[]> {
  return database.em().find(Subscription, { project_id, deleted_at: null }, { orderBy: { id: 'desc' } })
}

/** The event with this id, or undefined when the project has none or it is no longer kept. */
export async function findEvent(database: Database, project_id: string, id: string): Promise<Event | undefined> {
  const [row] = await readRows(database, Event, { id, project_id })
  return row
}
