import { inTransaction, type Migration } from './step.ts'

/**
 * Amounts of tickets as they were sent, with all their decimals. Taking the precision off a `numeric` rewrites no row. A
 * node of an earlier version goes on with its own: it takes amounts of up to four decimals and reads any.
 */
export const ticketAmount: Migration = {
  name: '0016_ticket_amount',
  steps: [inTransaction('alter table ticket alter column amount type numeric')],
}
