/** The public shape of each record, described once: answers, events, patches and types come from it. */
export { isCurrency } from './currency.ts'
export { customFields, MAX_CUSTOM_FIELDS } from './custom_fields.ts'
export {
  changedCustomer,
  customerColumns,
  customerRecord,
  newCustomer,
  type OperatorCustomer,
  operatorCustomer,
} from './customer.ts'
export { exampleIds } from './example_ids.ts'
export { externalId } from './external_id.ts'
export {
  contactOfTicket,
  type TicketRecord,
  ticketColumns,
  ticketExample,
  ticketPriorities,
  ticketRecord,
  ticketStage,
  writableColumns,
} from './ticket.ts'
export { MAX_TICKET_TAGS, type TicketPatch, ticketPatch } from './ticket_patch.ts'
