import type { Audited } from '../turn/audit.ts'
import { recordOf } from './change_ticket.ts'
import { ticketsOf } from './reads.ts'

/** The audit entries of agents' changes. Those of tokens leave none: the timeline of the ticket has them. */
export const auditedTicket: Audited<{ type: string }> = {
  target: 'ticket',
  record(turn, id) {
    const ticket = ticketsOf(turn).by_id.get(id)
    return ticket && withoutActivity(recordOf(turn, ticket))
  },
}

function withoutActivity(record: ReturnType<typeof recordOf>) {
  const { last_activity_at, unread_count, version, ...rest } = record
  return rest
}
