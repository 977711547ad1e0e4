import { inBatches, inTransaction, type Migration } from './step.ts'

/** The columns of a ticket by which the inbox filters. */
const FILTERS = ['is_closed', 'assigned_to', 'stage_id', 'priority', 'tag_ids']

const NEWEST = 'last_activity_at desc, ticket_id desc'

/**
 * The inbox of agents.
 *
 * - `inbox_entry` has one row per ticket, with all that the list filters and sorts by. It is apart from
 *   `ticket_activity`, because the events of programs change that one ten thousand times a second, in place: an index
 *   on its times would make each of these writes several times as expensive. Only messages, notes and appointments move
 *   an entry.
 * - A trigger of `ticket` copies the filters, for every writer. Nodes of the release before do not know the entries:
 *   the trigger of `ticket_activity` copies their messages. It fires for no write of this release.
 * - `ticket_read` has the place up to which an agent has read a ticket, as a number of the person's messages. The unread
 *   ones are those that came since, so counting them reads no message.
 */
export const inbox: Migration = {
  name: '0044_inbox',
  steps: [
    inTransaction(
      `create table inbox_entry (
        ticket_id text collate "C" primary key,
        project_id text collate "C" not null,
        is_closed boolean not null default false,
        assigned_to text collate "C",
        stage_id text collate "C",
        priority text,
        tag_ids text[] not null default '{}',
        channel_type text collate "C",
        channel_id text collate "C",
        inbound_count integer not null default 0,
        waiting_since timestamptz(3),
        last_activity_at timestamptz(3) not null,
        snoozed_at timestamptz(3),
        snoozed_until timestamptz(3)
      ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
      // One for each filter, in the order of the list: the cost of a page does not depend on how many tickets match.
      `create index inbox_entry_newest on inbox_entry (project_id, ${NEWEST}) where not is_closed`,
      `create index inbox_entry_assigned on inbox_entry (project_id, assigned_to, ${NEWEST}) where not is_closed`,
      `create index inbox_entry_stage on inbox_entry (project_id, stage_id, ${NEWEST}) where not is_closed`,
      `create index inbox_entry_channel_type on inbox_entry (project_id, channel_type, ${NEWEST}) where not is_closed`,
      `create index inbox_entry_channel on inbox_entry (project_id, channel_id, ${NEWEST}) where not is_closed`,
      `create index inbox_entry_priority on inbox_entry (project_id, priority, ${NEWEST})
        where not is_closed and priority is not null`,
      `create index inbox_entry_snoozed on inbox_entry (project_id, ${NEWEST}) where not is_closed and snoozed_at is not null`,
      `create index inbox_entry_tags on inbox_entry using gin (tag_ids) where not is_closed and tag_ids <> '{}'`,
      `create index inbox_entry_waiting on inbox_entry (project_id, waiting_since, ticket_id)
        where not is_closed and waiting_since is not null`,
      `create index inbox_entry_closed on inbox_entry (project_id, ${NEWEST}) where is_closed`,
      `create table ticket_read (
        user_id text collate "C" not null,
        ticket_id text collate "C" not null,
        project_id text collate "C" not null,
        read_count integer not null,
        read_at timestamptz(3) not null,
        primary key (ticket_id, user_id)
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
    ),
    inTransaction(
      `alter table ticket_activity
        add column inbound_count integer not null default 0,
        add column waiting_since timestamptz(3)`,
    ),
    inTransaction(
      `create function ticket_in_inbox() returns trigger language plpgsql as $$
      begin
        insert into inbox_entry (ticket_id, project_id, ${FILTERS.join(', ')}, channel_type, channel_id,
          inbound_count, waiting_since, last_activity_at)
        select new._id, new.project_id, ${FILTERS.map((column) => `new.${column}`).join(', ')}, c.channel_type,
          c.channel_id, coalesce(a.inbound_count, 0), a.waiting_since, coalesce(a.last_activity_at, new.created_at)
        from (values (1)) one left join contact c on c._id = new.chat_user
          left join ticket_activity a on a.ticket_id = new._id
        on conflict (ticket_id) do update set ${FILTERS.map((column) => `${column} = excluded.${column}`).join(', ')},
          snoozed_at = case when excluded.is_closed then null else inbox_entry.snoozed_at end,
          snoozed_until = case when excluded.is_closed then null else inbox_entry.snoozed_until end;
        return null;
      end $$`,
      `create trigger ticket_in_inbox after insert or update of version, ${FILTERS.join(', ')} on ticket
        for each row execute function ticket_in_inbox()`,
    ),
    inTransaction(
      `create function activity_of_older_node() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          new.inbound_count := new.unread_count;
          new.waiting_since := new.last_activity_at;
          update ticket_activity set inbound_count = new.inbound_count, waiting_since = new.waiting_since
          where ticket_id = new.ticket_id;
        else
          new.inbound_count := old.inbound_count + new.unread_count - old.unread_count;
          new.waiting_since := coalesce(new.waiting_since, new.last_activity_at);
        end if;
        update inbox_entry set inbound_count = new.inbound_count, waiting_since = new.waiting_since,
          last_activity_at = new.last_activity_at, snoozed_at = null, snoozed_until = null
        where ticket_id = new.ticket_id;
        return new;
      end $$`,
      // After, because rows that exist are proposed as new ones, too.
      `create trigger activity_begun_by_older_node after insert on ticket_activity for each row
        when (new.unread_count > new.inbound_count) execute function activity_of_older_node()`,
      `create trigger activity_of_older_node before update of unread_count on ticket_activity for each row
        when (new.unread_count > old.unread_count and new.inbound_count = old.inbound_count)
        execute function activity_of_older_node()`,
    ),
    inBatches({
      table: 'ticket_activity',
      key: 'ticket_id',
      set: 'inbound_count = unread_count, waiting_since = case when unread_count > 0 then last_activity_at end',
      where: 'inbound_count < unread_count',
    }),
    // Fires the trigger.
    inBatches({
      table: 'ticket',
      key: '_id',
      set: 'version = version',
      where: 'not exists (select from inbox_entry where ticket_id = ticket._id)',
    }),
  ],
}
