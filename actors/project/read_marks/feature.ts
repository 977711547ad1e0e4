/** How far each agent has read each ticket. A mark only moves forward. */
import type { Feature } from '../turn/feature.ts'
import { markTicketRead, markTicketUnread } from './mark_ticket_read.ts'

export const readMarks = {
  commands: { mark_ticket_read: markTicketRead, mark_ticket_unread: markTicketUnread },
} satisfies Feature
