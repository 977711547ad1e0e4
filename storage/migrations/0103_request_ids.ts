import { buildIndex, inTransaction, type Migration } from './step.ts'

const columns = 'add column request_id text collate "C", add column traceparent text collate "C"'

/**
 * The request from which a row came, where one is known, and its trace where traces are on.
 *
 * Ids of requests are looked for among messages and events only: deliveries are found by their event. The table of events
 * makes its index for new days alone, and for the coming ones that are empty. Days that have rows have none of a request.
 */
export const requestIds: Migration = {
  name: '0103_request_ids',
  steps: [
    inTransaction(`alter table message ${columns}`),
    inTransaction(`alter table dispatch ${columns}`),
    inTransaction(`alter table event ${columns}`),
    inTransaction(`alter table delivery ${columns}`),
    inTransaction(`alter table scheduled_message ${columns}`),
    inTransaction(`alter table broadcast ${columns}`),
    inTransaction(`alter table bulk_action ${columns}`),
    buildIndex('message_request', 'message (request_id, id) where request_id is not null'),
    buildIndex('audit_entry_request', 'audit_entry (request_id, _id) where request_id is not null'),
    inTransaction('create index event_request on only event (request_id, id) where request_id is not null'),
    inTransaction(`do $$
    declare
      day text; has_rows boolean;
    begin
      for day in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'event'::regclass order by c.relname
      loop
        execute format('select exists (select from %I)', day) into has_rows;
        continue when has_rows;
        execute format('create index %I on %I (request_id, id) where request_id is not null', day || '_request', day);
      end loop;
    end $$`),
  ],
}
