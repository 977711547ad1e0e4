import { inTransaction, type Migration } from './step.ts'

/**
 * Sessions and known visitors of the web chat, photos of users, and files of messages that are still to be fetched.
 *
 * - `visitor_session` has a row for each session in which something was said. `hash` is the SHA-256 (hex) of its token. An
 *   ended session keeps its row until its token would be invalid without one.
 * - `visitor_identity` is a person whom the site of a channel names: `external_id` is the site's id. Two devices at once
 *   get one row, and a visitor is one person.
 * - `user_photo` has the picture as base64, because it is small and belongs to the company. The column of the user names it.
 * - `media_fetch` is the queue of files that are still at their provider. `next_at` of a row that a node works on is in
 *   the future.
 */
export const webChat: Migration = {
  name: '0046_web_chat',
  steps: [
    inTransaction(
      `create table visitor_session (
        hash text collate "C" primary key,
        company_id text collate "C" not null,
        project_id text collate "C" not null references project on delete cascade,
        channel_id text collate "C" not null references channel on delete cascade,
        user_id text collate "C" not null,
        is_identified boolean not null default false,
        created_at timestamptz(3) not null default now(),
        used_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null,
        ended_at timestamptz(3)
      )`,
      'create index visitor_session_user on visitor_session (project_id, user_id)',
      'create index visitor_session_channel on visitor_session (channel_id)',
      'create index visitor_session_expiry on visitor_session (expires_at)',

      `create table visitor_identity (
        channel_id text collate "C" not null references channel on delete cascade,
        external_id text collate "C" not null,
        company_id text collate "C" not null,
        project_id text collate "C" not null references project on delete cascade,
        user_id text collate "C" not null,
        name text,
        email text,
        phone text,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        primary key (channel_id, external_id)
      )`,
      'create unique index visitor_identity_user on visitor_identity (channel_id, user_id)',
      'create index visitor_identity_project on visitor_identity (project_id, user_id)',

      'alter table "user" add column photo_sha256 text',
      `create table user_photo (
        user_id text collate "C" primary key references "user" on delete cascade,
        mime_type text collate "C" not null,
        sha256 text collate "C" not null,
        content text collate "C" not null,
        created_at timestamptz(3) not null default now()
      )`,
      'create index user_photo_sha256 on user_photo (sha256)',

      `create table media_fetch (
        media_id text collate "C" primary key references media on delete cascade,
        project_id text collate "C" not null references project on delete cascade,
        channel_id text collate "C" not null references channel on delete cascade,
        reference json not null,
        attempts integer not null default 0,
        next_at timestamptz(3) not null default now(),
        error text,
        failed_at timestamptz(3),
        created_at timestamptz(3) not null default now()
      )`,
      'create index media_fetch_next on media_fetch (next_at) where failed_at is null',
      'create index media_fetch_project on media_fetch (project_id)',
      'create index media_fetch_channel on media_fetch (channel_id)',
    ),
  ],
}
