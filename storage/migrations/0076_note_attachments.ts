import { buildIndex, inTransaction, type Migration } from './step.ts'

/** Notes have files. The index finds the notes that keep a file from being erased with a person. */
export const noteAttachments: Migration = {
  name: '0076_note_attachments',
  steps: [
    inTransaction('alter table note add column attachments json'),
    buildIndex('note_with_files', 'note (project_id) where attachments is not null'),
  ],
}
