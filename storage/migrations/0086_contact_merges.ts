import { buildIndex, inTransaction, type Migration } from './step.ts'

/** Contacts are merged, and their merges undone. */
export const contactMerges: Migration = {
  name: '0086_contact_merges',
  steps: [
    inTransaction('alter table contact add column merged_into text, add column send_to jsonb'),
    buildIndex('contact_merged_into', 'contact (merged_into) where merged_into is not null'),
    inTransaction(
      `create table contact_merge (
        _id text primary key,
        company_id text not null,
        project_id text not null,
        contact_id text not null,
        from_contact_id text not null,
        status text not null check (status in ('merging', 'merged', 'undoing', 'undone')),
        reason text not null check (reason in ('request', 'proof')),
        changes jsonb not null,
        created_by text,
        created_at timestamptz(3) not null,
        undo_until timestamptz(3) not null,
        undone_at timestamptz(3),
        updated_at timestamptz(3) not null
      )`,
      'create index contact_merge_contact on contact_merge (contact_id)',
      'create index contact_merge_from on contact_merge (from_contact_id)',
      'create index contact_merge_project on contact_merge (project_id)',
      `create table merged_record (
        kind text not null,
        record_id text not null,
        project_id text not null,
        contact_id text not null,
        primary key (kind, record_id)
      )`,
      'create index merged_record_contact on merged_record (contact_id, kind, record_id)',
      'create index merged_record_project on merged_record (project_id)',
    ),
  ],
}
