import { inTransaction, type Migration } from './step.ts'

/**
 * Polled subscriptions share one delivery of each event. What they have fetched is a position; that of subscriptions
 * whose deliveries were rows of their own is the last of these rows, or the one before the first that waits.
 */
export const pollGroups: Migration = {
  name: '0057_poll_groups',
  steps: [
    inTransaction(
      `create table poll_group (
        id text collate "C" primary key,
        project_id text collate "C" not null,
        subscription_ids text[] collate "C" not null,
        used_at timestamptz(3) not null
      )`,
      'create index poll_group_project on poll_group (project_id, used_at)',
      'create index poll_group_subscription on poll_group using gin (subscription_ids)',
      `create table poll_acknowledgement (
        subscription_id text collate "C" not null,
        up_to text collate "C" not null,
        status text not null constraint poll_acknowledgement_status_known check (status in ('success', 'dead')),
        acknowledged_at timestamptz(3) not null,
        primary key (subscription_id, up_to)
      )`,
      `insert into poll_acknowledgement (subscription_id, up_to, status, acknowledged_at)
        select s.id, d.id, 'success', coalesce(s.last_delivery_at, s.updated_at)
        from subscription s cross join lateral (
          select max(id) as id from delivery where subscription_id = s.id and status in ('success', 'dead')
        ) d where s.mode = 'poll' and d.id is not null`,
    ),
  ],
}
