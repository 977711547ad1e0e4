import { inTransaction, type Migration } from './step.ts'

/** Bulk sends, their recipients, and the messages made for them. */
export const broadcasts: Migration = {
  name: '0009_broadcasts',
  steps: [
    inTransaction(
      `create table broadcast (
    id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    channel_id text collate "C" not null,
    template_name text not null,
    language text not null,
    campaign_name text,
    status text not null default 'queued'
      constraint broadcast_status_check check (status in ('queued', 'sending', 'completed', 'failed', 'cancelled')),
    total integer not null,
    pending_count integer not null,
    sent_count integer not null default 0,
    delivered_count integer not null default 0,
    read_count integer not null default 0,
    failed_count integer not null default 0,
    taken_up integer not null default 0,
    handed_on integer not null default 0,
    created_at timestamptz(3) not null default now(),
    started_at timestamptz(3),
    completed_at timestamptz(3),
    updated_at timestamptz(3) not null default now(),
    constraint broadcast_total_check
      check (pending_count + sent_count + delivered_count + read_count + failed_count = total),
    constraint broadcast_counts_check
      check (least(pending_count, sent_count, delivered_count, read_count, failed_count) >= 0),
    constraint broadcast_progress_check check (handed_on <= taken_up and taken_up <= total)
  ) with (fillfactor = 50)`,
      // Columns that change are in no index: the one row that each turn of a broadcast rewrites stays on its page.
      `create index broadcast_project on broadcast (project_id, id desc)`,

      `create table broadcast_slice (
    broadcast_id text collate "C" not null,
    first integer not null,
    size integer not null,
    recipients json not null,
    primary key (broadcast_id, first)
  )`,

      `create table broadcast_recipient (
    broadcast_id text collate "C" not null,
    index integer not null,
    phone text not null,
    status text not null default 'pending'
      constraint broadcast_recipient_status_check check (status in ('pending', 'sent', 'delivered', 'read', 'failed')),
    message_id text collate "C",
    error json,
    updated_at timestamptz(3) not null default now(),
    primary key (broadcast_id, index)
  ) with (fillfactor = 70)`,

      `alter table message add column broadcast_id text collate "C", add column broadcast_index integer`,
    ),
  ],
}
