import { inTransaction, type Migration } from './step.ts'

/**
 * - A running erasure knows for each contact its identities, and the moment until which they stand for the contact.
 * - `media_recipient` tells to whom a file went whose messages were deleted by retention, so that an erasure of the
 *   person still finds the file, and keeps it when it went to others too.
 */
export const erasure: Migration = {
  name: '0040_erasure',
  steps: [
    inTransaction(
      'alter table data_erasure_part add column identities json, add column forgotten_at timestamptz(3)',
      `create table media_recipient (
    media_id text collate "C" not null references media on delete cascade,
    chat_user text collate "C" not null,
    project_id text collate "C" not null,
    primary key (media_id, chat_user)
  )`,
      'create index media_recipient_chat_user on media_recipient (chat_user)',
      'create index media_recipient_project on media_recipient (project_id)',
    ),
  ],
}
