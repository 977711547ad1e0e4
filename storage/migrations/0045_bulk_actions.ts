import { inTransaction, type Migration } from './step.ts'

/**
 * Changes of all tickets that match a filter. The tickets are chosen once, and stored in slices before the action itself
 * is: slices without an action are dropped after a day.
 */
export const bulkActions: Migration = {
  name: '0045_bulk_actions',
  steps: [
    inTransaction(
      `create table bulk_action (
    id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    user_id text collate "C" not null,
    status text not null default 'running'
      constraint bulk_action_status_check check (status in ('running', 'completed', 'cancelled')),
    filter json not null,
    action json not null,
    total integer not null,
    done_count integer not null default 0,
    changed_count integer not null default 0,
    unchanged_count integer not null default 0,
    refused_count integer not null default 0,
    refused_by_code json not null default '{}',
    refusals json not null default '[]',
    created_at timestamptz(3) not null default now(),
    completed_at timestamptz(3),
    updated_at timestamptz(3) not null default now(),
    constraint bulk_action_counts_check
      check (changed_count + unchanged_count + refused_count = done_count and done_count <= total),
    constraint bulk_action_completed_check check (status <> 'completed' or done_count = total)
  ) with (fillfactor = 50)`,
      'create index bulk_action_project on bulk_action (project_id, id desc)',
      `create index bulk_action_running on bulk_action (project_id) where status = 'running'`,
      `create table bulk_action_slice (
    bulk_action_id text collate "C" not null,
    first integer not null,
    ticket_ids text[] not null,
    primary key (bulk_action_id, first)
  )`,
    ),
  ],
}
