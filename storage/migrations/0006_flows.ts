import { inTransaction, type Migration } from './step.ts'

/** Flows registered with a provider. */
export const flows: Migration = {
  name: '0006_flows',
  steps: [
    inTransaction(
      `create table flow (
    id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    channel_id text collate "C" not null references channel on delete cascade,
    provider_flow_id text collate "C" not null,
    name text not null,
    status text not null default 'draft'
      constraint flow_status_check check (status in ('draft', 'published', 'deprecated', 'throttled', 'blocked')),
    categories text[] not null,
    validation_errors json not null default '[]',
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create index flow_channel on flow (channel_id, id desc)`,
      // Numbers of one account share its Flows; each is registered once in a project.
      `create unique index flow_provider on flow (project_id, provider_flow_id)`,
    ),
  ],
}
