/** Subscriptions of all projects that Parley has disabled, because their receivers failed too long. */
import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

export type DisabledWebhook = {
  id: string
  name: string
  /** Without its query, which may hold secrets. */
  url: string
  project: { _id: string; name: string }
  company: { _id: string; name: string }
  disabled_reason: string
  failure_count: number
  last_delivery_at: string | null
  updated_at: string
}

export async function listDisabledWebhooks(
  database: Database,
  { limit, cursor }: PageOptions,
): Promise<Page<DisabledWebhook>> {
  const rows = await database.execute<DisabledWebhook>(sql`
    select s.id, s.name, split_part(split_part(s.url, '?', 1), '#', 1) as url, s.disabled_reason, s.failure_count,
      s.last_delivery_at, s.updated_at,
      json_build_object('_id', p._id, 'name', p.name) as project,
      json_build_object('_id', m._id, 'name', m.name) as company
    from (
      select id, project_id, name, url, disabled_reason, failure_count, last_delivery_at, updated_at from subscription
      where disabled_reason is not null and deleted_at is null ${cursor ? sql`and id < ${cursor}` : sql``}
      order by id desc limit ${limit + 1}
    ) s
    join project p on p._id = s.project_id join company m on m._id = p.company_id
    order by s.id desc`)
  const records = rows.map(({ last_delivery_at, updated_at, ...row }) => ({
    ...row,
    last_delivery_at: last_delivery_at && new Date(last_delivery_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  }))
  return toPage(records, limit, ({ id }) => id)
}
