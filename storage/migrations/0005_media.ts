import { inTransaction, type Migration } from './step.ts'

/** Files uploaded through the API: their metadata, and where their bytes are stored. */
export const media: Migration = {
  name: '0005_media',
  steps: [
    inTransaction(
      `create table media (
      media_id text collate "C" primary key,
      company_id text collate "C" not null,
      project_id text collate "C" not null,
      channel_id text collate "C" references channel on delete cascade,
      provider_media_id text collate "C",
      mime_type text not null,
      file_size integer not null,
      sha256 text collate "C" not null,
      filename text,
      blob_key text collate "C",
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      -- Either the provider of its channel keeps it, or we do.
      constraint media_place_check check ((blob_key is null) = (provider_media_id is not null and channel_id is not null))
    )`,
      `create index media_provider on media (channel_id, provider_media_id) where channel_id is not null`,
      'create index media_project on media (project_id)',
      'create index media_expiry on media (expires_at)',
    ),
  ],
}
