/** Counts of waiting work in the whole cluster, at a cost that has a bound: each count stops at `MAX_COUNTED`. */

import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'

const MAX_COUNTED = 100_000
/** Deliveries that were given up, and records that need attention, are counted up to this number. */
export const MAX_NOTED = 1000
/** Channels of each status are counted up to this number. */
const MAX_CHANNELS = 10_000
/** Dead letters are counted up to this number. */
export const MAX_DEAD_LETTERS = 10_000

export type Backlogs = Record<keyof typeof QUERIES, number>

const counted = (from: Sql, most = MAX_COUNTED) =>
  sql`(select count(*)::integer from (select from ${from} limit ${most}) counted)`
/** Seconds since the earliest time of a column; 0 when it is in the future, or nothing is there. */
const age = (column: Sql, from: Sql) =>
  sql`coalesce((select greatest(extract(epoch from now() - min(${column})), 0)::float8 from ${from}), 0)`
/** The first rows of each partition. */
const firsts = (select: Sql, order: Sql) =>
  sql`partition p cross join lateral (select ${select} where partition = p.id order by ${order} limit 1) first`

/** Live subscriptions; those that were deleted have nothing to deliver. */
const DUE = sql`subscription s cross join lateral (
  select d.attempts, d.next_attempt_at from delivery d
  where d.subscription_id = s.id and d.status in ('pending', 'failed') and d.next_attempt_at is not null
  order by d.next_attempt_at limit ${MAX_COUNTED}) d where s.deleted_at is null`

const QUERIES = {
  outbox: counted(sql`outbox`),
  outbox_oldest_s: age(sql`first.created_at`, firsts(sql`created_at from outbox`, sql`source, number`)),
  timers: counted(sql`timer`),
  timers_overdue: counted(
    sql`partition p cross join lateral (select from timer t where t.partition = p.id and t.due_at <= now() limit 10000) t`,
  ),
  timers_overdue_s: age(sql`first.due_at`, firsts(sql`due_at from timer`, sql`due_at`)),
  sends: counted(sql`dispatch`),
  sends_oldest_s: age(sql`created_at`, sql`(select created_at from dispatch order by message_id limit 1) oldest`),
  deliveries_pending: sql`(select pending from due)`,
  deliveries_retrying: sql`(select retrying from due)`,
  deliveries_overdue_s: sql`(select overdue_s from due)`,
  deliveries_dead: counted(
    sql`subscription s cross join lateral (
      select from delivery d where d.subscription_id = s.id and d.status = 'dead' limit ${MAX_NOTED}) d`,
    MAX_NOTED,
  ),
  documents: counted(sql`knowledge_reindex`),
  documents_overdue_s: age(sql`due_at`, sql`(select due_at from knowledge_reindex limit ${MAX_COUNTED}) counted`),
  dead_letters: counted(sql`dead_letter`, MAX_DEAD_LETTERS),
  channels_unwell: counted(sql`channel where is_active and status = 'disconnected'`, MAX_NOTED),
  webhooks_disabled: counted(sql`subscription where disabled_reason is not null and deleted_at is null`, MAX_NOTED),
  tokens_expiring: counted(
    sql`token where revoked_at is null and expires_at > now() and expires_at <= now() + interval '7 days'`,
    MAX_NOTED,
  ),
} as const

/** Seconds are 0 where nothing waits. One statement. */
export async function readBacklogs(database: Database): Promise<Backlogs> {
  const columns = Object.entries(QUERIES).map(([name, query]) => sql`${query} as ${sql.id(name)}`)
  const [row] = await database.execute<Backlogs>(sql`
    with due as materialized (
      select (count(*) filter (where attempts = 0))::integer as pending,
        (count(*) filter (where attempts > 0))::integer as retrying,
        greatest(coalesce(extract(epoch from now() - min(next_attempt_at)), 0), 0)::float8 as overdue_s
      from (select d.attempts, d.next_attempt_at from ${DUE} limit ${MAX_COUNTED}) counted
    )
    select ${sql.join(columns, ', ')}`)
  return row!
}

const channels = (condition: Sql) => counted(sql`channel where ${condition}`, MAX_CHANNELS)

/** Counts for metrics beside the backlogs. Each finds its rows by an index. */
const STATES = {
  channels_connected: channels(sql`is_active and status = 'connected'`),
  channels_unverified: channels(sql`is_active and status = 'unverified'`),
  channels_disconnected: channels(sql`is_active and status = 'disconnected'`),
  channels_inactive: channels(sql`not is_active`),
  assistant_conversations: counted(sql`inbox_entry where handled_by = 'assistant' and not is_closed`),
  partitions_unowned: sql`(select count(*)::integer from partition
    where owner is null or not exists (select from node where node.id = partition.owner))`,
  nodes: sql`(select count(*)::integer from node)`,
} as const

/** States of the cluster that are worth an alert. One statement. */
export async function readStates(database: Database): Promise<Record<keyof typeof STATES, number>> {
  const columns = Object.entries(STATES).map(([name, query]) => sql`${query} as ${sql.id(name)}`)
  const [row] = await database.execute<Record<keyof typeof STATES, number>>(sql`select ${sql.join(columns, ', ')}`)
  return row!
}

/** Seconds since each node renewed its lease, by the clock of the database. */
export async function readLeases(database: Database): Promise<Map<string, number>> {
  const rows = await database.execute<{ id: string; age_s: number }>(
    sql`select id, greatest(extract(epoch from clock_timestamp() - renewed_at), 0)::float8 as age_s from node limit 4096`,
  )
  return new Map(rows.map(({ id, age_s }) => [id, age_s]))
}
