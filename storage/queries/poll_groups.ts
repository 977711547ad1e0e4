/** Groups of polled subscriptions, which share one delivery of each event, and what each subscription has fetched. */
import type { Database } from '../database.ts'
import { idAt } from '../retention/kinds.ts'
import { literal } from '../write_set.ts'

/** A group is stored again at most this long before its last delivery. */
const USED = `interval '2 hours'`

/** SQL of the ids under which the deliveries of a polled subscription are stored: its groups, and its own. */
export function receiversOf(subscription_id: string): string {
  const id = literal(subscription_id)
  return `(select id from poll_group where subscription_ids @> array[${id}] union all select ${id}) receiver`
}

/** SQL of the last delivery that a polled subscription has fetched; null for none. */
export function fetchedUpTo(subscription_id: string): string {
  return `(select max(up_to) from poll_acknowledgement where subscription_id = ${literal(subscription_id)})`
}

/** The newest delivery to the groups of each project, as pairs of project and delivery. */
export async function lastGroupDeliveryIds(database: Database, project_ids: string[]): Promise<[string, string][]> {
  if (project_ids.length === 0) return []
  // Only groups that were in use when the last one was can have the newest delivery.
  const rows = await database.execute<{ project_id: string; id: string }>(`
    select project_id, max(last.id) as id
    from unnest(array[${project_ids.map(literal).join()}]) project(id)
      cross join lateral (select max(used_at) as used_at from poll_group where project_id = project.id) newest
      join poll_group on project_id = project.id and poll_group.used_at >= newest.used_at - ${USED}
      cross join lateral (
        select id from delivery where subscription_id = poll_group.id order by id desc limit 1
      ) last
    group by project_id`)
  return rows.map(({ project_id, id }) => [project_id, id])
}

/** What one acknowledgement of a polled subscription ends. */
export type Fetched = {
  /** Its last delivery up to the position of the poll, also when that is one of its own; null when there is nothing new. */
  up_to: string | null
  /** Deliveries of its groups. */
  count: number
}

/** What a poll acknowledges that has everything `up_to` a position. */
export async function readFetched(database: Database, subscription_id: string, up_to: string): Promise<Fetched> {
  const of_groups = `receiver.id <> ${literal(subscription_id)}`
  const [row] = await database.execute<Fetched>(`
    select max(d.id) as up_to, coalesce(sum(d.count) filter (where ${of_groups}), 0)::int as count
    from ${receiversOf(subscription_id)} cross join lateral (
      select max(id) as id, count(*) as count from delivery
      where subscription_id = receiver.id and id <= ${literal(up_to)}
        and id > coalesce(${fetchedUpTo(subscription_id)}, '')
    ) d`)
  return row!
}

/**
 * Deletes groups without deliveries that nobody has used for two days, and acknowledgements of deliveries that are gone.
 *
 * @param keep_days deliveries are kept that long; null: for ever
 */
export async function sweepPollGroups(database: Database, keep_days: number | null): Promise<void> {
  await database.execute(`delete from poll_group where used_at < now() - interval '2 days'
    and not exists (select from delivery where subscription_id = poll_group.id)`)
  if (keep_days === null) return
  // A day table is dropped once its last row is that old.
  await database.execute(
    `delete from poll_acknowledgement where up_to < ${idAt('dlv_', `now() - interval '${keep_days + 1} days'`)}`,
  )
}
