import type { RequestContext } from '../route.ts'

const REPEATABLE = { repeatable: true }

/**
 * Tells the actors that cache a record to read it again, and waits until they have: an operator who was answered may rely
 * on the change. The record is stored before. `limits` stands for the project's own row, and any refresh renews the names
 * that `GET /v1/me` shows.
 */
export async function refreshProject(
  context: RequestContext,
  project_id: string,
  what: 'token' | 'limits' | 'channel' | 'template',
  id: string,
): Promise<void> {
  await context.runtime.ask(`project/${project_id}`, { type: 'refresh', what, id }, REPEATABLE)
}

/** A changed channel is cached by its own actor and by that of its project. */
export async function refreshChannel(
  context: RequestContext,
  project_id: string,
  channel_id: string,
  is_new = false,
): Promise<void> {
  await Promise.all([
    refreshProject(context, project_id, 'channel', channel_id),
    context.runtime.ask(`channel/${channel_id}`, { type: 'refresh', is_new }, REPEATABLE),
  ])
}
