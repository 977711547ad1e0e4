/** Events on the timeline of a ticket. Existing events never change. */
import { type ActiveTicket, CrmEvent, objectId } from '../../../storage/mod.ts'
import { toCrmEventRecord } from '../../records/mod.ts'
import { emit } from '../turn/events.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Adds an event to the timeline of a ticket and emits an event for subscribers. */
export function recordEvent(
  turn: ProjectTurn,
  ticket: Pick<ActiveTicket, '_id' | 'chat_user'>,
  event_type: string,
  data: Record<string, unknown>,
  idempotency_key: string | null = null,
): CrmEvent {
  const { company_id, project_id } = turn.state
  const { _id: ticket_id, chat_user } = ticket
  const about = { ticket_id, chat_user, idempotency_key, created_at: turn.now }
  const event: CrmEvent = { _id: objectId(), company_id, project_id, event_type, data, ...about }
  turn.insert(CrmEvent, event)
  emit(turn, 'crm.event.recorded', toCrmEventRecord(event), chat_user)
  return event
}
