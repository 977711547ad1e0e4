export {
  countRunningBulkActions,
  findBulkAction,
  listBulkActions,
  readRunningBulkActions,
} from './bulk_actions.ts'
export { type ContactWithTicket, readPeople } from './people.ts'
export {
  countScheduled,
  type FoundScheduled,
  listScheduledMessages,
  listScheduledOfTicket,
  readCancelledByAnswer,
  readScheduledMessages,
} from './scheduled_messages.ts'
export {
  findTicket,
  listTickets,
  type TicketFilter,
  type TicketView,
} from './ticket_views.ts'
export { type ActiveTicket, readContactsOf, readTickets } from './tickets.ts'
export { listTimeline, type TimelineRow, timelineCursor } from './timeline.ts'
