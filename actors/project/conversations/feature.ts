/** Conversations that assistants hold. `hold.ts` has the rules. */
import type { Feature } from '../turn/feature.ts'
import { handBackTicket } from './hand_back_ticket.ts'
import { ticketUnanswered } from './heard.ts'
import { takeOverTicket } from './take_over_ticket.ts'

export const conversations = {
  commands: { take_over_ticket: takeOverTicket, hand_back_ticket: handBackTicket },
  receivers: { ticket_unanswered: ticketUnanswered },
} satisfies Feature
