/** Groups of polled subscriptions, which share one delivery of each event, and what each subscription has fetched. */
import type { Database } from '../../database/database.ts'
import { idAt } from '../../retention/kinds.ts'
import { type Sql, sql } from '../../sql/sql.ts'

/** Before all deliveries. */
export const BEGINNING = 'dlv_000000000000000000000000'

/** A group is stored again at most this long before its last delivery, whose id may be a little ahead of its time. */
const USED = sql`interval '2 hours'`

/** Deliveries that an acknowledgement counts at most: those of a page and some more. */
const MAX_COUNTED = 1000

/** Acknowledgements that one statement deletes. The key finds them, subscription by subscription. */
const ACKNOWLEDGEMENTS = 10_000

/**
 * SQL of the ids under which the deliveries of a polled subscription are stored: its groups, and its own. Each change of any
 * polled subscription of the project makes another group, so a reader of the latest deliveries names the position `after`
 * which it reads: groups that had their last delivery before are left out.
 */
export function receiversOf(subscription_id: string, after?: string): Sql {
  const id = sql`${subscription_id}`
  const is_late = after === undefined ? sql`` : sql`and used_at >= ${timeOf(after)}::timestamptz - ${USED}`
  return sql`(select id from poll_group where subscription_ids @> array[${id}] ${is_late} union all select ${id}) receiver`
}

/** The time with which the id of a delivery begins. */
function timeOf(delivery_id: string): Date {
  const begin = 'dlv_'.length
  return new Date(Number.parseInt(delivery_id.slice(begin, begin + 8), 16) * 1000)
}

/** SQL of the last delivery that a polled subscription has fetched; null for none. */
export function fetchedUpTo(subscription_id: string): Sql {
  return sql`(select max(up_to) from poll_acknowledgement where subscription_id = ${subscription_id})`
}

/** The newest delivery to the groups of each project, as pairs of project and delivery. */
export async function lastGroupDeliveryIds(database: Database, project_ids: string[]): Promise<[string, string][]> {
  if (project_ids.length === 0) return []
  // Only groups that were in use when the last one was can have the newest delivery.
  const rows = await database.execute<{ project_id: string; id: string }>(sql`
    select project_id, max(last.id) as id
    from unnest(array[${sql.list(project_ids)}]) project(id)
      cross join lateral (select max(used_at) as used_at from poll_group where project_id = project.id) newest
      join poll_group on project_id = project.id and poll_group.used_at >= newest.used_at - ${USED}
      cross join lateral (
        select id from delivery where subscription_id = poll_group.id order by id desc limit 1
      ) last
    group by project_id`)
  return rows.map(({ project_id, id }) => [project_id, id])
}

/** The deliveries that one acknowledgement of a polled subscription ends. */
export type Fetched = {
  /** Its last delivery up to the position of the poll, also when that is one of its own; null when there is nothing new. */
  up_to: string | null
  /** Deliveries of its groups, at most 1000: a receiver may skip any number. */
  count: number
}

/** The deliveries that a poll acknowledges which has everything `up_to` a position. */
export async function readFetched(database: Database, subscription_id: string, up_to: string): Promise<Fetched> {
  const [last] = await database.execute<{ id: string | null }>(sql`select ${fetchedUpTo(subscription_id)} as id`)
  const after = last!.id ?? BEGINNING
  const [row] = await database.execute<Fetched>(sql`
    select max(id) as up_to, (count(*) filter (where is_of_group))::int as count from (
      select d.id, receiver.id <> ${subscription_id} as is_of_group
      from ${receiversOf(subscription_id, after)} cross join lateral (
        select id from delivery where subscription_id = receiver.id and id > ${after} and id <= ${up_to}
        order by id desc limit ${MAX_COUNTED}
      ) d order by d.id desc limit ${MAX_COUNTED}
    ) d`)
  return row!
}

/**
 * Deletes groups without deliveries that nobody has used for two days, and acknowledgements of deliveries that are gone.
 *
 * @param keep_days deliveries are kept that long; null: for ever
 */
export async function sweepPollGroups(database: Database, keep_days: number | null): Promise<void> {
  await database.execute(sql`delete from poll_group where used_at < now() - interval '2 days'
    and not exists (select from delivery where subscription_id = poll_group.id)`)
  if (keep_days === null) return
  // A day table is dropped once its last row is that old.
  const old = idAt('dlv_', sql`now() - ${keep_days + 1} * interval '1 day'`)
  for (let count = ACKNOWLEDGEMENTS; count === ACKNOWLEDGEMENTS; ) {
    const [row] = await database.execute<{ count: number }>(sql`
      with recursive subscription_ids (id) as (
        select min(subscription_id) from poll_acknowledgement
        union all
        select (select min(subscription_id) from poll_acknowledgement where subscription_id > id) from subscription_ids
        where id is not null
      ), gone as (
        delete from poll_acknowledgement using (
          select id, up_to as last from subscription_ids cross join lateral (
            select up_to from poll_acknowledgement where subscription_id = id and up_to < ${old}
            order by up_to limit ${ACKNOWLEDGEMENTS}
          ) acknowledged limit ${ACKNOWLEDGEMENTS}
        ) old where subscription_id = old.id and up_to = old.last returning 1
      ) select count(*)::int as count from gone`)
    count = row!.count
  }
}
