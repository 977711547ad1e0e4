import { inTransaction, type Migration } from './step.ts'

/** Drafts of an agent in a project. */
const DRAFTS = 200
/** Notifications of an agent in a project. */
const NOTIFICATIONS = 500

/** A trigger that deletes an agent's oldest rows beyond `most`. Rows that others delete at the moment are passed over. */
function bounded(table: string, order: readonly string[], most: number): string[] {
  const columns = order.join(', ')
  const newest = order.map((column) => `${column} desc`).join(', ')
  const own = 'project_id = new.project_id and user_id = new.user_id'
  return [
    `create function ${table}_bounded() returns trigger language plpgsql as $$
    declare
      last record;
    begin
      select ${columns} into last from ${table} where ${own} order by ${newest} offset ${most} limit 1;
      if found then
        delete from ${table} where ctid = any (array(
          select ctid from ${table} where ${own}
            and (${columns}) <= (${order.map((column) => `last.${column}`).join(', ')}) for update skip locked));
      end if;
      return null;
    end $$`,
    `create trigger ${table}_bounded after insert on ${table} for each row execute function ${table}_bounded()`,
  ]
}

/**
 * Records that agents keep beside tickets.
 *
 * - `draft` keeps the version of a deleted draft, with an empty text: a save that arrives later does not bring it back.
 *   No index on its times: agents save every second, and have few drafts.
 * - `canned_response` and `saved_view` of nobody (`owner_id` is null) are shared in the project.
 * - `notification` may be stored in one commit with the ticket or contact that it names, so its references are deferred.
 */
export const agentRecords: Migration = {
  name: '0048_agent_records',
  steps: [
    inTransaction(
      `create table draft (
        ticket_id text collate "C" not null references ticket on delete cascade,
        user_id text collate "C" not null references "user" on delete cascade,
        kind text collate "C" not null constraint draft_kind_check check (kind in ('reply', 'note')),
        project_id text collate "C" not null,
        version integer not null,
        content text not null,
        attachments json not null default '[]',
        context json,
        updated_at timestamptz(3) not null,
        primary key (ticket_id, user_id, kind)
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
      'create index draft_agent on draft (user_id, project_id)',
      'create index draft_project on draft (project_id)',
      ...bounded('draft', ['updated_at', 'ticket_id', 'kind'], DRAFTS),

      `create table canned_response (
        _id text collate "C" primary key,
        company_id text collate "C" not null,
        project_id text collate "C" not null references project on delete cascade,
        owner_id text collate "C" references "user" on delete cascade,
        shortcut text collate "C" not null,
        title text,
        content text not null,
        created_by text collate "C" references "user" on delete set null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      )`,
      'create unique index canned_response_shared on canned_response (project_id, shortcut) where owner_id is null',
      `create unique index canned_response_own on canned_response (project_id, owner_id, shortcut)
        where owner_id is not null`,
      'create index canned_response_owner on canned_response (owner_id)',
      'create index canned_response_author on canned_response (created_by)',

      `create table saved_view (
        _id text collate "C" primary key,
        company_id text collate "C" not null,
        project_id text collate "C" not null references project on delete cascade,
        owner_id text collate "C" references "user" on delete cascade,
        name text not null,
        filter json not null,
        position integer not null,
        created_by text collate "C" references "user" on delete set null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null
      )`,
      'create index saved_view_project on saved_view (project_id)',
      'create index saved_view_owner on saved_view (owner_id)',
      'create index saved_view_author on saved_view (created_by)',

      `create table notification (
        _id text collate "C" primary key,
        company_id text collate "C" not null,
        project_id text collate "C" not null references project on delete cascade,
        user_id text collate "C" not null references "user" on delete cascade,
        type text collate "C" not null,
        ticket_id text collate "C" references ticket on delete cascade deferrable initially deferred,
        chat_user text collate "C" references contact on delete cascade deferrable initially deferred,
        created_by text collate "C",
        data json not null,
        created_at timestamptz(3) not null,
        read_at timestamptz(3)
      ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
      'create index notification_agent on notification (project_id, user_id, _id desc)',
      'create index notification_unread on notification (project_id, user_id) where read_at is null',
      'create index notification_user on notification (user_id)',
      'create index notification_ticket on notification (ticket_id)',
      'create index notification_contact on notification (chat_user)',
      'create index notification_age on notification (created_at)',
      ...bounded('notification', ['_id'], NOTIFICATIONS),
    ),
    inTransaction(`alter table note add column mentions text[] not null default '{}'`),
  ],
}
