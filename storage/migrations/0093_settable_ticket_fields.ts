import { inTransaction, type Migration } from './step.ts'

/** Fields of tickets that an assistant may set by itself. */
export const settableTicketFields: Migration = {
  name: '0093_settable_ticket_fields',
  steps: [inTransaction(`alter table assistant add column settable_ticket_fields text[] not null default '{}'`)],
}
