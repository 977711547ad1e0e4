/** What recording an event needs to read: nothing, where its type writes nothing through and its ticket is known to be open. */
import type { Definitions } from './definitions.ts'
import { planOf } from './event_plan.ts'
import type { RecordEvent } from './ingest.ts'
import type { OpenTickets } from './open_tickets.ts'
import type { CrmWants } from './records.ts'

/** `definitions`: those that the turn will go by, where they are in memory. */
export function wantEvent(
  wants: CrmWants,
  { event_type, of, idempotency_key }: RecordEvent,
  definitions: Definitions | undefined,
  known: OpenTickets,
): void {
  if (idempotency_key !== undefined) wants.event_keys.add(idempotency_key)
  if (definitions) {
    const type = definitions.event_types.get(event_type)
    const reads = type !== undefined && planOf(type, definitions).written.length > 0
    if (!reads && 'ticket_id' in of && known.withId(of.ticket_id)) return
    if (!reads && 'chat_user_id' in of && known.of(of.chat_user_id)) return
  }
  if ('ticket_id' in of) wants.tickets.add(of.ticket_id)
  else if ('chat_user_id' in of) wants.contacts.add(of.chat_user_id)
  else if ('customer_id' in of) wants.people_of.add(of.customer_id)
  else wants.phones.add(of.phone)
}
