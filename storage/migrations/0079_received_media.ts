import { buildIndex, inTransaction, type Migration } from './step.ts'

/** A file that a person sent is found by the id of its provider, too. */
export const receivedMedia: Migration = {
  name: '0079_received_media',
  steps: [
    inTransaction('alter table media add column received_media_id text collate "C"'),
    buildIndex('media_received', 'media (project_id, received_media_id) where received_media_id is not null'),
  ],
}
