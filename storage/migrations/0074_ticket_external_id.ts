import { buildIndex, inTransaction, type Migration } from './step.ts'

/** A ticket has the id of the client's own system. */
export const ticketExternalId: Migration = {
  name: '0074_ticket_external_id',
  steps: [
    inTransaction('alter table ticket add column external_id text'),
    buildIndex('ticket_external_id', 'ticket (project_id, external_id) where external_id is not null', {
      is_unique: true,
    }),
  ],
}
