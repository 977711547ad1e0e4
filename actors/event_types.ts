/** The catalogue of events that a webhook subscription can ask for. */
import { assistantEvents } from './event_types/assistants.ts'
import { appointmentEvents, loyaltyEvents } from './event_types/business.ts'
import { crmEvents } from './event_types/crm.ts'
import { messageEvents } from './event_types/messages.ts'
import type { EventType } from './event_types/schema.ts'
import { ticketEvents } from './event_types/tickets.ts'
import { broadcastEvents, whatsappEvents } from './event_types/whatsapp.ts'

export type { EventType } from './event_types/schema.ts'

/** In the order `GET /v1/webhooks/event-types` lists them. */
export const eventTypes: readonly EventType[] = [
  ...messageEvents,
  ...whatsappEvents,
  ...broadcastEvents,
  ...ticketEvents,
  ...crmEvents,
  ...appointmentEvents,
  ...loyaltyEvents,
  ...assistantEvents,
]

/** The names alone. */
export const eventTypeNames: readonly string[] = eventTypes.map(({ type }) => type)
