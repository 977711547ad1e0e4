import { inTransaction, type Migration } from './step.ts'

/**
 * - `blob_removal` has the keys of files that nothing refers to any more and that may still be arriving.
 * - `day_tables_drop` spares the days that a project keeps, also when a node of the version before calls it: such a node
 *   knows the days of the installation alone.
 * - Autovacuum visits the tables from which retention and erasure delete after 2 % of their rows have died instead of
 *   20 %: a large table would otherwise collect millions of dead rows first.
 */
export const exportRetention: Migration = {
  name: '0041_export_retention',
  steps: [
    inTransaction(
      `create table blob_removal (
    key text collate "C" primary key,
    until timestamptz(3) not null
  )`,
    ),
    inTransaction(`
  create or replace function day_tables_drop(before date) returns setof text language plpgsql as $$
  declare
    child text; longest integer; is_endless boolean;
  begin
    select max(days), coalesce(bool_or(days is null), false) into longest, is_endless
      from retention where kind in ('events', 'deliveries');
    if is_endless then
      return;
    end if;
    before := least(before, (now() at time zone 'utc')::date - coalesce(longest, 0));
    for child in
      select c.relname from pg_inherits i
        join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relname in ('event', 'delivery', 'attempt') and p.relnamespace = current_schema()::regnamespace
          and to_date(right(c.relname, 8), 'YYYYMMDD') < before
        order by c.relname
    loop
      execute format('drop table %I', child);
      return next child;
    end loop;
  end $$`),
    ...[
      'message',
      'message_text',
      'crm_event',
      'note',
      'ticket',
      'ticket_activity',
      'appointment',
      'broadcast_recipient',
      'broadcast_slice',
      'media',
      'agent_tool_call',
      'audit_entry',
      'idempotency',
    ].map((table) =>
      inTransaction(
        `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
      ),
    ),
  ],
}
