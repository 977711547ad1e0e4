import { buildIndex, inTransaction, type Migration } from './step.ts'

/** The columns of a ticket by which the inbox filters. */
const FILTERS = ['is_closed', 'assigned_to', 'handled_by', 'stage_id', 'priority', 'tag_ids']

/** The handler that is shown. */
const HANDLED_BY = `coalesce(handled_by, case when assigned_to is null then 'nobody' else 'person' end)`

const NEWEST = 'last_activity_at desc, ticket_id desc'

/**
 * The inbox is filtered by whose turn a ticket is. The indexes have the value that is shown, because a ticket whose own is null
 * is handled by a person where it is assigned, and by nobody otherwise.
 */
export const inboxHandlers: Migration = {
  name: '0095_inbox_handlers',
  steps: [
    inTransaction('alter table inbox_entry add column handled_by text'),
    inTransaction(
      `create or replace function ticket_in_inbox() returns trigger language plpgsql as $$
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
    ),
    // The other trigger fires with the version, which not every change of this column raises.
    inTransaction(
      `create trigger ticket_handler_in_inbox after update of handled_by on ticket for each row
        when (new.handled_by is distinct from old.handled_by and new.version = old.version)
        execute function ticket_in_inbox()`,
    ),
    buildIndex('inbox_entry_handled', `inbox_entry (project_id, ${HANDLED_BY}, ${NEWEST}) where not is_closed`),
    buildIndex('ticket_handled', `ticket (project_id, ${HANDLED_BY}, _id desc)`),
  ],
}
