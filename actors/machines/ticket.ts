import { createMachine } from 'xstate'
import { tableOf } from './table.ts'

export type TicketState = 'open' | 'closed'
export type TicketEvent = 'close' | 'reopen'

/** The life of a ticket. A closed one can be opened again, while its contact has no other open ticket. */
export const ticketMachine = createMachine({
  id: 'ticket',
  initial: 'open',
  states: {
    open: { on: { close: 'closed' } },
    closed: { on: { reopen: 'open' } },
  },
})

const table = tableOf<TicketState, TicketEvent>(ticketMachine, ['close', 'reopen'])

/** True when the ticket is closed after the event; unchanged when the event does not apply. */
export function nextTicketClosed(is_closed: boolean, event: TicketEvent): boolean {
  return table[is_closed ? 'closed' : 'open'][event] === 'closed'
}
