import type { ActiveTicket, Assistant } from '../../../storage/mod.ts'
import type { Conclusion } from '../../conversation/mod.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { notify } from '../notifications/notify.ts'
import { changeTicket } from '../tickets/change_ticket.ts'
import { recordEvent } from '../tickets/timeline.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Agents who hear of a ticket that is given to nobody in particular. */
const MAX_NOTIFIED = 100

type HandedOver = Pick<Extract<Conclusion, { kind: 'hand_over' }>, 'reason' | 'note' | 'fields'> & {
  /** Null where a message of an earlier turn failed. */
  turn_id: string | null
  assistant_id: string
}

/**
 * Leaves a ticket to people: `handled_by`, the assignee, stage and tags that the assistant's `hand_over` names, the summary and the
 * texts of the stage, the timeline, and a notification of the assignee, or of all agents.
 */
export function handOver(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  assistant: Assistant | undefined,
  { reason, note, fields, turn_id, assistant_id }: HandedOver,
): void {
  const { users, stages, tags } = definitionsOf(turn)
  const { assigned_to, stage_id, tag_ids = [] } = assistant?.hand_over ?? {}
  const known_tags = tag_ids.filter((id) => tags.has(id) && !ticket.tag_ids.includes(id))
  const texts = fields?.stage_texts
  changeTicket(turn, ticket, {
    handled_by: 'person',
    ...(assigned_to && !ticket.assigned_to && users.get(assigned_to)?.is_active && { assigned_to }),
    ...(stage_id && stages.has(stage_id) && { stage_id }),
    ...(known_tags.length > 0 && { tag_ids: [...ticket.tag_ids, ...known_tags] }),
    ...(fields && { conversation_summary: { ...fields.summary, is_final: false } }),
    ...(texts?.prioridad != null && { prioridad: texts.prioridad }),
    ...(texts?.contexto != null && { contexto: texts.contexto }),
    ...(texts?.problema != null && { problema: texts.problema }),
    ...(texts?.recomendaciones != null && { recomendaciones: texts.recomendaciones }),
  })
  recordEvent(turn, ticket, 'assistant.handed_over', { assistant_id, turn_id, reason, note })
  const data = { assistant_id, reason, note }
  for (const user_id of notified(ticket, users)) {
    notify(turn, user_id, { type: 'assistant_handed_over', ticket, created_by: null, data })
  }
}

function notified({ assigned_to }: ActiveTicket, users: ReturnType<typeof definitionsOf>['users']): Iterable<string> {
  if (assigned_to && users.get(assigned_to)?.is_agent) return [assigned_to]
  return [...users.values()]
    .filter(({ is_agent }) => is_agent)
    .slice(0, MAX_NOTIFIED)
    .map(({ _id }) => _id)
}
