/** The channels of all projects, with what waits for them and why. */
import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

/** `unwell`: active, and not connected. `waiting`: with messages that wait to be sent. */
export type ChannelView = 'unwell' | 'waiting' | 'all'

export type ChannelHealthRow = {
  _id: string
  name: string
  channel_type: string
  provider: string
  project: { _id: string; name: string }
  company: { _id: string; name: string }
  is_active: boolean
  status: string
  status_reason: string | null
  updated_at: string
  /** `MAX_WAITING` stands for that many or more. */
  waiting: number
  oldest_s: number
  /** The error of the oldest waiting message that has one, among the first hundred. */
  last_error: { code: string; message: string } | null
  /** The last time a person had the provider asked. */
  last_check: { at: string; by: string | null } | null
}

const MAX_WAITING = 10_000
/** Channels with waiting messages that a list looks through. */
const MAX_CHANNELS = 1000
/** Newest audit entries of a channel among which the last check is looked for. */
const ENTRIES = 50

/** Jumps from channel to channel in the index of the queue. */
const WAITING_CHANNELS = sql`
  with recursive jump (channel_id, steps) as (
    (select channel_id, 1 from dispatch order by channel_id limit 1)
    union all
    select (select d.channel_id from dispatch d where d.channel_id > jump.channel_id order by d.channel_id limit 1),
      steps + 1
    from jump where jump.channel_id is not null and steps < ${MAX_CHANNELS}
  ) select channel_id from jump`

const CHECKS = sql`('check_channel', 'ops_check_channel', 'create_channel', 'update_channel')`

/** One page, newest first. Costs the same for any number of channels and messages. */
export async function listChannelHealth(
  database: Database,
  { view, project_id }: { view: ChannelView; project_id?: string | undefined },
  { limit, cursor }: PageOptions,
): Promise<Page<ChannelHealthRow>> {
  const conditions = [
    view === 'unwell' && sql`is_active and status <> 'connected'`,
    view === 'waiting' && sql`_id in (${WAITING_CHANNELS})`,
    project_id !== undefined && sql`project_id = ${project_id}`,
    cursor !== undefined && sql`_id < ${cursor}`,
  ].filter((one) => one !== false)
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, ' and ')}` : sql``
  const rows = await database.execute<ChannelHealthRow>(sql`
    select c._id, c.name, c.channel_type, c.provider, c.is_active, c.status, c.status_reason, c.updated_at,
      json_build_object('_id', p._id, 'name', p.name) as project,
      json_build_object('_id', m._id, 'name', m.name) as company,
      queue.waiting, coalesce(queue.oldest_s, 0) as oldest_s, failing.last_error, checked.last_check
    from (
      select _id, name, channel_type, provider, project_id, is_active, status, status_reason, updated_at
      from channel ${where} order by _id desc limit ${limit + 1}
    ) c
    join project p on p._id = c.project_id join company m on m._id = p.company_id
    cross join lateral (
      select count(*)::integer as waiting, extract(epoch from now() - min(created_at))::float8 as oldest_s
      from (select created_at from dispatch d where d.channel_id = c._id order by number limit ${MAX_WAITING}) counted
    ) queue
    left join lateral (
      select last_error from (
        select last_error, number from dispatch d where d.channel_id = c._id order by number limit 100) first
      where last_error is not null order by number limit 1
    ) failing on true
    left join lateral (
      select json_build_object('at', created_at, 'by', actor_name) as last_check from (
        select created_at, actor_name, action, _id from audit_entry e where e.target_id = c._id
        order by e._id desc limit ${ENTRIES}) newest
      where action in ${CHECKS} order by _id desc limit 1
    ) checked on true
    order by c._id desc`)
  const records = rows.map(({ updated_at, last_check, ...row }) => ({
    ...row,
    updated_at: new Date(updated_at).toISOString(),
    last_check: last_check && { ...last_check, at: new Date(last_check.at).toISOString() },
  }))
  return toPage(records, limit, ({ _id }) => _id)
}
