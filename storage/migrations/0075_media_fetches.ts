import { buildIndex, dropIndex, inTransaction, type Migration } from './step.ts'

/**
 * Files that people send are fetched. Until its bytes are here, a file has no row in `media`; the file of a message is found
 * by the contact, too. No release before this one writes rows.
 */
export const mediaFetches: Migration = {
  name: '0075_media_fetches',
  steps: [
    inTransaction(
      'alter table media_fetch drop constraint if exists media_fetch_media_id_fkey',
      'alter table media_fetch add column message_id text',
      'alter table media_fetch add column chat_user text',
    ),
    buildIndex('media_fetch_due', 'media_fetch (channel_id, next_at) where failed_at is null'),
    buildIndex('media_fetch_chat_user', 'media_fetch (chat_user)'),
    buildIndex('media_fetch_failed', 'media_fetch (failed_at) where failed_at is not null'),
    dropIndex('media_fetch_next'),
  ],
}
