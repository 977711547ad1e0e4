import { inTransaction, type Migration } from './step.ts'

/**
 * Lets inbound messages be read, and stores statuses of outbound ones that arrive before the provider's answer.
 *
 * The new condition on `message` admits every row that the old one did, so existing rows need no scan (`not valid`);
 * the table is locked for a moment, however large it is.
 */
export const earlyNews: Migration = {
  name: '0018_early_news',
  steps: [
    inTransaction(
      `alter table message
      add column taken_after timestamptz(3),
      add column watermarks json,
      drop constraint message_status_check,
      add constraint message_status_check check (case direction
        when 'inbound' then status in ('received', 'read')
        else status in ('queued', 'sent', 'delivered', 'read', 'failed') end) not valid`,
      `create table early_status (
      channel_id text collate "C" not null,
      provider_message_id text not null,
      status text not null
        constraint early_status_status_check check (status in ('sent', 'delivered', 'read', 'failed')),
      at timestamptz(3) not null,
      error json,
      raw json,
      created_at timestamptz(3) not null default now(),
      primary key (channel_id, provider_message_id, status)
    )`,
      'create index early_status_created on early_status (created_at)',
    ),
  ],
}
