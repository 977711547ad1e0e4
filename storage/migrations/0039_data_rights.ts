import { inTransaction, type Migration } from './step.ts'

/**
 * Exports and erasures of people's data, and how long each project keeps its records.
 *
 * - `data_erasure` stays as the proof of an erasure. It has ids and numbers, and no data of the person.
 * - `data_erasure_part` has what a running erasure looks for: ids, phones, addresses. It is empty once the erasure ends.
 * - `data_erasure_identity` has keyed hashes of erased identities, which answer "was this number erased?".
 * - A day table of events is still dropped whole. `retention_walk` remembers how far the events and deliveries of
 *   projects that keep them for a shorter time were deleted.
 */
export const dataRights: Migration = {
  name: '0039_data_rights',
  steps: [
    inTransaction(
      `create table data_erasure (
    _id text collate "C" primary key,
    kind text not null constraint data_erasure_kind_check check (kind in ('contact', 'customer', 'project')),
    subject_id text collate "C" not null,
    company_id text collate "C" not null,
    project_id text collate "C",
    requested_by text not null,
    reason text,
    status text not null default 'running'
      constraint data_erasure_status_check check (status in ('running', 'done')),
    phase integer not null default 0,
    cursor text not null default '',
    waits_for jsonb not null default '[]',
    counts jsonb not null default '{}',
    remark text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    ended_at timestamptz(3)
  ) with (fillfactor = 50)`,
      'create index data_erasure_subject on data_erasure (subject_id) where ended_at is null',
      'create index data_erasure_company on data_erasure (company_id, _id desc)',
      'create index data_erasure_project on data_erasure (project_id, _id desc)',

      `create table data_erasure_part (
    erasure_id text collate "C" not null,
    kind text not null,
    value text collate "C" not null,
    project_id text collate "C",
    primary key (erasure_id, kind, value)
  )`,

      `create table data_erasure_identity (
    hash text collate "C" not null,
    erasure_id text collate "C" not null,
    primary key (hash, erasure_id)
  )`,

      `create table data_erasure_pepper (
    id smallint primary key check (id = 1),
    sealed text collate "C" not null,
    created_at timestamptz(3) not null default now()
  )`,

      `create table data_export (
    _id text collate "C" primary key,
    kind text not null constraint data_export_kind_check check (kind in ('contact', 'customer', 'project')),
    subject_id text collate "C" not null,
    company_id text collate "C" not null,
    project_id text collate "C",
    requested_by text not null,
    status text not null default 'running'
      constraint data_export_status_check check (status in ('running', 'done', 'failed', 'expired')),
    attempt integer not null default 0,
    step text,
    counts jsonb not null default '{}',
    file_size bigint,
    sha256 text collate "C",
    blob_key text collate "C",
    error text,
    snapshot_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    ended_at timestamptz(3),
    expires_at timestamptz(3)
  ) with (fillfactor = 50)`,
      'create index data_export_subject on data_export (subject_id) where ended_at is null',
      'create index data_export_company on data_export (company_id, _id desc)',
      'create index data_export_expiry on data_export (expires_at) where blob_key is not null',

      `create table retention (
    project_id text collate "C" not null references project on delete cascade,
    kind text not null,
    days integer constraint retention_days_check check (days between 1 and 36500),
    updated_at timestamptz(3) not null default now(),
    primary key (project_id, kind)
  )`,

      `create table retention_walk (
    kind text not null,
    days integer not null,
    up_to text collate "C" not null default '',
    busy_until timestamptz(3),
    primary key (kind, days)
  )`,
    ),
  ],
}
