/** Tickets: the work for a contact, with at most one open ticket per contact. */
import type { Feature } from '../turn/feature.ts'
import { moveTicket } from './move_ticket.ts'
import { replyFailed } from './reply_failed.ts'
import { updateTicket } from './update_ticket.ts'

export const tickets = {
  commands: { move_ticket: moveTicket, update_ticket: updateTicket },
  receivers: { reply_failed: replyFailed },
} satisfies Feature
