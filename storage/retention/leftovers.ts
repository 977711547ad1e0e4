/** Removes permanent leftovers of the engine and its actors after some days, by the database's clock. */
import type { Database } from '../database/database.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { idAt, type RetentionName, TEST_RUNS } from './kinds.ts'

const PAGE = 1000

/**
 * Drops dead letters that were neither replayed nor dropped in `days` days. Their ids grow as they are parked, so only
 * the oldest are read. Returns how many.
 */
export function forgetDeadLetters(database: Database, days: number): Promise<number> {
  return inPages(
    database,
    sql`
    delete from dead_letter where id in (select id from dead_letter order by id limit ${PAGE} for update skip locked)
      and parked_at < now() - ${days} * interval '1 day'`,
  )
}

/** Matches the final states of mails (`actors/mail/actor.ts`), which never change again. */
const MAIL_DONE = sql`address like 'mail/%' and state ->> 'status' in ('sent', 'given_up', 'dropped')`

/**
 * Drops the states of mails finished `days` days ago; until then they prevent the same mail from being sent again. The
 * first pass that sees one records the time. Returns how many were dropped.
 */
export async function forgetMails(database: Database, days: number): Promise<number> {
  await inPages(
    database,
    sql`
    update actor_state set state = state || jsonb_build_object('ended_at', now()) where address in (
      select address from actor_state where ${MAIL_DONE} and state ->> 'ended_at' is null limit ${PAGE} for update skip locked)`,
  )
  return inPages(
    database,
    sql`
    delete from actor_state where address in (
      select address from actor_state where ${MAIL_DONE}
        and (state ->> 'ended_at')::timestamptz < now() - ${days} * interval '1 day' limit ${PAGE} for update skip locked)`,
  )
}

/** A project's own number of days takes precedence (`retention/sweep.ts`). */
const withoutSetting = (kind: RetentionName) =>
  sql`project_id not in (select project_id from retention where kind = ${kind})`

/** Drops the contents of documents deleted `days` days ago; their rows stay. Returns how many were dropped. */
export function forgetKnowledge(database: Database, days: number): Promise<number> {
  return inPages(
    database,
    sql`
    update knowledge_node set content = null where _id in (
      select _id from knowledge_node where not is_active and content is not null
        and updated_at < now() - ${days} * interval '1 day' and ${withoutSetting('deleted_documents')}
      order by updated_at limit ${PAGE} for update skip locked)`,
  )
}

/** Drops test calls of agents' tools that are older than `days` days. Returns how many. */
export function forgetAgentToolCalls(database: Database, days: number): Promise<number> {
  return inPages(
    database,
    sql`
    delete from agent_tool_call where _id in (
      select _id from agent_tool_call where created_at < now() - ${days} * interval '1 day'
        and ${withoutSetting('tool_calls')} limit ${PAGE} for update skip locked)`,
  )
}

/** Drops drafts and notifications of agents that are older than `days` days. Returns how many. */
export async function forgetAgentRecords(database: Database, days: number): Promise<number> {
  const older = (table: string, column: Sql, kind: RetentionName) =>
    inPages(
      database,
      sql`
      delete from ${sql.id(table)} where ctid = any (array(
        select ctid from ${sql.id(table)} where ${column} < now() - ${days} * interval '1 day' and ${withoutSetting(kind)} limit ${PAGE} for update skip locked))`,
    )
  return (
    (await older('draft', sql`updated_at`, 'drafts')) + (await older('notification', sql`created_at`, 'notifications'))
  )
}

/** Days for which runs of test sets are kept. */
const TEST_RUN_DAYS = 90

/** Drops runs of test sets that are older than their days, and those whose set was deleted. Returns how many. */
export async function forgetTestRuns(database: Database): Promise<number> {
  const cutoff = sql`now() - ${TEST_RUN_DAYS} * interval '1 day'`
  return inPages(
    database,
    sql`
    delete from assistant_test_run where _id in (
      select _id from assistant_test_run run where ended_at is not null
        and ((_id < ${idAt('', cutoff)} and ${withoutSetting('assistant_test_runs')})
          or not exists (select from assistant_test_set where _id = run.test_set_id))
      limit ${TEST_RUNS} for update skip locked)`,
    TEST_RUNS,
  )
}

/**
 * Runs a statement that changes at most a page of rows until it changes fewer; short transactions, so that no other has
 * to wait. Rows that another session holds are passed over: they would hold up all others.
 */
async function inPages(database: Database, statement: Sql, page = PAGE): Promise<number> {
  for (let all = 0; ; ) {
    const [row] = await database.execute<{ count: number }>(
      sql`with changed as (${statement} returning 1) select count(*)::int as count from changed`,
    )
    all += row!.count
    if (row!.count < page) return all
  }
}
