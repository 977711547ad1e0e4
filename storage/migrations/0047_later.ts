import { buildIndex, inTransaction, type Migration } from './step.ts'

/**
 * Messages that are sent again, and messages that are sent later.
 *
 * - A failed message is sent again once: the index allows one message that repeats it.
 * - `scheduled_message` has the messages that agents send at a later time, with what became of them. The entry of a ticket
 *   in the inbox says whether a message of the person cancels some, so that such a message reads nothing for it.
 */
export const later: Migration = {
  name: '0047_later',
  steps: [
    inTransaction(`alter table message add column retry_of text collate "C", add column retried_as text collate "C"`),
    buildIndex('message_retry', 'message (retry_of) where retry_of is not null', { is_unique: true }),
    inTransaction(
      `create table scheduled_message (
        id text collate "C" primary key,
        company_id text collate "C" not null,
        project_id text collate "C" not null,
        ticket_id text collate "C" not null,
        chat_user text collate "C" not null,
        status text not null default 'scheduled'
          constraint scheduled_message_status_check check (status in ('scheduled', 'sent', 'failed', 'cancelled')),
        channel text not null,
        channel_id text collate "C",
        message json not null,
        context json,
        meta_data json,
        send_at timestamptz(3) not null,
        cancel_if_answered boolean not null default false,
        cancelled_by text,
        message_id text collate "C",
        error json,
        created_by text collate "C" not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint scheduled_message_sent_check check ((status = 'sent') = (message_id is not null))
      ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
      `create index scheduled_message_ticket on scheduled_message (ticket_id, send_at, id)
        where status in ('scheduled', 'failed')`,
      `create index scheduled_message_open on scheduled_message (project_id, send_at, id)
        where status in ('scheduled', 'failed')`,
      `create index scheduled_message_status on scheduled_message (project_id, status, send_at, id)`,
      `create index scheduled_message_contact on scheduled_message (chat_user)`,
    ),
    inTransaction(`alter table inbox_entry add column cancels_on_answer boolean not null default false`),
  ],
}
