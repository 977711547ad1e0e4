/**
 * The kinds of records that a project may keep for its own number of days. A feature with records of its own adds an
 * entry.
 *
 * Records without a limit are kept for ever. `PARLEY_RETENTION_DAYS` limits the others, unless the entry has `days`.
 */

import { filesOf } from '../data_rights/records/conversations.ts'
import { MESSAGE_TEXT_LOCK } from '../message_text.ts'
import { type Sql, sql } from '../sql/sql.ts'

/** Days of the installation: PARLEY_RETENTION_DAYS and PARLEY_AUDIT_DAYS. */
export type ConfiguredDays = { retention_days: number; audit_days: number }

/**
 * One batch. `project`, `moment` and `cutoff` are SQL: the project, the beginning of the sweep, and the moment `days`
 * before it. All batches of a sweep have the same moment, so that a sweep ends while more records expire.
 */
export type Batch = { project: Sql; moment: Sql; cutoff: Sql; days: number; limit: number }

/** How expired records of a project are found and deleted. */
export type RetentionKind = {
  /** Number of days without a setting of the project; a name for a setting of the installation, null for ever. */
  days: number | keyof ConfiguredDays | null
  meaning: string
} & (
  | {
      /** The table with a day table for each day. All projects are walked together, in the order of the ids. */
      by_day: 'event' | 'delivery'
    }
  | {
      /**
       * One statement that deletes some records of a project, at most `limit`, and returns their number as `count`: 0
       * when none is left. It finds them by an index.
       */
      statement(batch: Batch): Sql
      /** Runs first, in the same transaction. */
      first?: Sql
      by_day?: undefined
    }
)

/** The smallest id of a moment in SQL. `prefix`: such as `msg_`. */
export function idAt(prefix: string, moment: Sql): Sql {
  return sql`${prefix} || lpad(to_hex(greatest(extract(epoch from ${moment})::bigint, 0)), 8, '0')`
}

const counted = (statement: Sql) => sql`with gone as (${statement} returning 1) select count(*)::int as count from gone`

/** Rows that another session holds wait for the next sweep. Otherwise one of them would hold up the rows of all others. */
const UNLOCKED = sql`for update skip locked`

const found = (table: string, where: Sql, limit: number) =>
  sql`delete from ${sql.id(table)} where ctid = any (array(select ctid from ${sql.id(table)} where ${where} limit ${limit} ${UNLOCKED}))`

/** Tickets of one batch, with some of their events and notes. */
const TICKETS = 50
/** Test runs of one batch. */
export const TEST_RUNS = 5

export const retentionKinds = {
  messages: {
    days: null,
    meaning:
      'Messages of both directions, with their words in the search, and scheduled ones that are over; queued messages stay',
    first: sql`select pg_advisory_xact_lock(${MESSAGE_TEXT_LOCK})`,
    statement({ project, cutoff, limit }) {
      const over = sql`project_id = ${project} and status <> 'scheduled' and send_at < ${cutoff} and updated_at < ${cutoff}`
      return sql`
      with gone as (
        ${found('message', sql`project_id = ${project} and id < ${idAt('msg_', cutoff)} and status <> 'queued'`, limit)}
        returning id, project_id, chat_user, message
      ), words as (delete from message_text using gone where message_text.id = gone.id),
      files as (
        insert into media_recipient (media_id, project_id, chat_user)
        select * from (${filesOf(sql`gone`)}) files where chat_user is not null on conflict do nothing),
      scheduled as (${found('scheduled_message', over, limit)} returning 1)
      select ((select count(*) from gone) + (select count(*) from scheduled))::int as count`
    },
  },
  events: {
    days: 'retention_days',
    meaning: 'Events for webhooks; without its event a delivery cannot be sent again',
    by_day: 'event',
  },
  deliveries: { days: 'retention_days', meaning: 'Webhook deliveries with their attempts', by_day: 'delivery' },
  crm_events: {
    days: null,
    meaning: 'Events on the timelines of contacts',
    statement: ({ project, cutoff, limit }) =>
      counted(found('crm_event', sql`project_id = ${project} and _id < ${idAt('', cutoff)}`, limit)),
  },
  notes: {
    days: null,
    meaning: 'Notes about contacts and tickets',
    statement: ({ project, cutoff, limit }) =>
      counted(found('note', sql`project_id = ${project} and _id < ${idAt('', cutoff)}`, limit)),
  },
  closed_tickets: {
    days: null,
    meaning:
      'Tickets with their events, notes, drafts, notifications and the turns of assistants, counted from the day on which they were closed',
    // A ticket may have any number of events: it goes when they are gone.
    statement: ({ project, cutoff, limit }) => sql`
      with expired as materialized (
        select _id from ticket
        where project_id = ${project} and _id < ${idAt('', cutoff)} and is_closed and closed_at < ${cutoff} limit ${TICKETS} ${UNLOCKED}
      ), events as (${found('crm_event', sql`ticket_id in (select _id from expired)`, limit)} returning 1),
      notes as (${found('note', sql`ticket_id in (select _id from expired)`, limit)} returning 1),
      turns as (${found('assistant_turn', sql`ticket_id in (select _id from expired)`, limit)} returning 1),
      gone as (
        delete from ticket using expired where ticket._id = expired._id
          and not exists (select from crm_event where ticket_id = expired._id)
          and not exists (select from note where ticket_id = expired._id)
          and not exists (select from assistant_turn where ticket_id = expired._id)
        returning ticket._id
      ), conversations as (delete from assistant_conversation using gone where ticket_id = gone._id),
      states as (delete from actor_state using gone where address = 'conversation/' || gone._id),
      activity as (delete from ticket_activity using gone where ticket_id = gone._id),
      entries as (delete from inbox_entry using gone where ticket_id = gone._id),
      marks as (delete from ticket_read using gone where ticket_id = gone._id)
      select ((select count(*) from gone) + (select count(*) from events) + (select count(*) from notes)
        + (select count(*) from turns))::int as count`,
  },
  appointments: {
    days: null,
    meaning: 'Appointments, counted from the day on which they ended or were to end',
    statement: ({ project, cutoff, limit }) =>
      counted(
        found('appointment', sql`project_id = ${project} and starts_at < ${cutoff} and ends_at < ${cutoff}`, limit),
      ),
  },
  broadcasts: {
    days: null,
    meaning: 'Bulk sends that are over, with their recipients; their messages count as messages',
    // A bulk send has up to 5000 recipients.
    statement: ({ project, cutoff }) => sql`
      with gone as (
        ${found('broadcast', sql`project_id = ${project} and id < ${idAt('brd_', cutoff)} and completed_at < ${cutoff}`, 1)}
        returning id
      ), slices as (delete from broadcast_slice using gone where broadcast_id = gone.id),
      recipients as (delete from broadcast_recipient using gone where broadcast_id = gone.id)
      select count(*)::int as count from gone`,
  },
  media: {
    days: 30,
    meaning: 'Uploaded files; a file at a provider may end earlier there',
    statement: moveExpiry,
  },
  tool_calls: {
    days: 'retention_days',
    meaning: 'Test calls of the tools of agents',
    statement: ({ project, cutoff, limit }) =>
      counted(found('agent_tool_call', sql`created_at < ${cutoff} and project_id = ${project}`, limit)),
  },
  assistant_test_runs: {
    days: 90,
    meaning: 'Runs of the test sets of assistants, with their results',
    // A run has up to 4,000 results, which go with it.
    statement: ({ project, cutoff }) =>
      counted(
        found(
          'assistant_test_run',
          sql`project_id = ${project} and _id < ${idAt('', cutoff)} and ended_at is not null`,
          TEST_RUNS,
        ),
      ),
  },
  drafts: {
    days: 'retention_days',
    meaning: 'Drafts of agents, counted from their last change',
    statement: ({ project, cutoff, limit }) =>
      counted(found('draft', sql`project_id = ${project} and updated_at < ${cutoff}`, limit)),
  },
  notifications: {
    days: 'retention_days',
    meaning: 'Notifications of agents',
    statement: ({ project, cutoff, limit }) =>
      counted(found('notification', sql`project_id = ${project} and created_at < ${cutoff}`, limit)),
  },
  audit: {
    days: 'audit_days',
    meaning: 'Audit entries of the project',
    first: sql`set local parley.audit_door = 'retention'`,
    statement: ({ project, cutoff, limit }) =>
      counted(found('audit_entry', sql`project_id = ${project} and created_at < ${cutoff}`, limit)),
  },
  deleted_documents: {
    days: 'retention_days',
    meaning: 'Contents of deleted documents of the knowledge; their names stay',
    statement: ({ project, cutoff, limit }) =>
      counted(sql`update knowledge_node set content = null where ctid = any (array(
        select ctid from knowledge_node where project_id = ${project} and not is_active and content is not null
          and updated_at < ${cutoff} limit ${limit} ${UNLOCKED}))`),
  },
} satisfies Record<string, RetentionKind>

export type RetentionName = keyof typeof retentionKinds
export const retentionNames = Object.keys(retentionKinds) as RetentionName[]

/**
 * Moves the expiry of files to that many days after their upload; they are removed when they expire. Files of the last
 * day are left out: the row of a file that is being stored ends early. A file that only a provider has ends no later
 * than there.
 */
function moveExpiry({ project, moment, days, limit }: Batch): Sql {
  const expiry = sql`created_at + ${days} * interval '1 day'`
  return counted(sql`update media set expires_at = ${expiry} where ctid = any (array(
    select ctid from media where project_id = ${project} and created_at < ${moment} - interval '1 day'
      and (case when blob_key is null then expires_at > ${expiry} else expires_at <> ${expiry} end) limit ${limit} ${UNLOCKED}))`)
}
