import { inTransaction, type Migration } from './step.ts'

/** A message says where the business wrote it, if not through Parley. */
export const messageOrigin: Migration = {
  name: '0077_message_origin',
  steps: [inTransaction('alter table message add column origin text')],
}
