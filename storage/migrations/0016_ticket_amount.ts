import { inTransaction, type Migration } from './step.ts'

/**
 * Stores amounts of tickets as sent, with all their decimals. Removing the precision of a `numeric` rewrites no row. A
 * node of an earlier version keeps its own rule: it takes amounts of up to four decimals and reads any.
 */
export const ticketAmount: Migration = {
  name: '0016_ticket_amount',
  steps: [inTransaction('alter table ticket alter column amount type numeric')],
}
