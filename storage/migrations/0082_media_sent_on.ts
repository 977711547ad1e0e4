import { inTransaction, type Migration } from './step.ts'

/** A file that was sent to somebody stays when the message that brought it is withdrawn. */
export const mediaSentOn: Migration = {
  name: '0082_media_sent_on',
  steps: [inTransaction('alter table media add column is_sent_on boolean')],
}
