import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'

/** A subscription, which may be deleted by now, as its deliveries show it. */
export type Receiver = { project_id: string; is_polled: boolean }

/** Undefined when there is neither the subscription nor a delivery to it. */
export async function findReceiver(database: Database, subscription_id: string): Promise<Receiver | undefined> {
  const id = sql`${subscription_id}`
  const [row] = await database.execute<Receiver>(sql`
    select * from (
      (select 1 as place, project_id, mode = 'poll' as is_polled from subscription where id = ${id})
      union all
      (select 2, project_id, true from poll_group where subscription_ids @> array[${id}] limit 1)
      union all
      (select 3, project_id, false from delivery where subscription_id = ${id} order by id desc limit 1)
    ) found order by place limit 1`)
  return row && { project_id: row.project_id, is_polled: row.is_polled }
}
