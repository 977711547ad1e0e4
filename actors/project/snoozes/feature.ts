/** Agents put tickets aside. `tickets/snooze.ts` has the rules. */
import type { Feature } from '../turn/feature.ts'
import { snoozeDue } from './snooze_due.ts'
import { endSnoozeOfTicket, snoozeTicket } from './snooze_ticket.ts'

export const snoozes = {
  commands: { snooze_ticket: snoozeTicket, end_snooze: endSnoozeOfTicket },
  receivers: { snooze_due: snoozeDue },
} satisfies Feature
