/**
 * Conversations that assistants hold. The ticket's `handled_by` says whose turn it is, and the row of the conversation which state
 * of it an answer belongs to.
 *
 *  H1 `segment` rises whenever an assistant gets the conversation, `version` with all that the model should have seen. An answer
 *     is stored only by a turn that finds both as the model saw them, and the ticket open and held.
 *  H2 A person who answers, is given the ticket or takes it over ends the segment at once, because the ticket says so.
 *  H3 The actor of the conversation is told of each message, in the turn that stores the message.
 */
import { type ActiveTicket, AssistantConversation, type Message } from '../../../storage/mod.ts'
import { changeTicket } from '../tickets/change_ticket.ts'
import { ticketsOf } from '../tickets/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { conversationReads } from './reads.ts'

/** The person's address, where an answer goes. */
export type Place = Pick<AssistantConversation, 'channel_id' | 'channel_type' | 'address'>

/** True while the assistant may answer. */
export function isHeld(ticket: Pick<ActiveTicket, 'is_closed' | 'handled_by'>): boolean {
  return !ticket.is_closed && ticket.handled_by === 'assistant'
}

/** The assistant gets the conversation, with a new segment. `user_id`: the agent who gave it. */
export function holdConversation(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  assistant_id: string,
  { user_id = null }: { user_id?: string | null } = {},
): AssistantConversation {
  const found = turn.records.of(conversationReads)
  const known = found.get(ticket._id)
  const { company_id, project_id } = turn.state
  const row: AssistantConversation = {
    ticket_id: ticket._id,
    company_id,
    project_id,
    channel_id: null,
    channel_type: null,
    address: null,
    last_answer: null,
    created_at: turn.now,
    ...known,
    chat_user: ticket.chat_user,
    assistant_id,
    segment: (known?.segment ?? 0) + 1,
    version: (known?.version ?? 0) + 1,
    unanswered_count: 0,
    unanswered_since: null,
    updated_at: turn.now,
  }
  turn.upsert(AssistantConversation, row)
  found.set(row.ticket_id, row)
  changeTicket(turn, ticket, { handled_by: 'assistant' }, { user_id })
  return row
}

/** The person said something that the assistant should answer, or should have seen. */
export function tellAssistant(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  { place, is_question }: { place?: Place; is_question: boolean },
): void {
  const row = turn.records.of(conversationReads).get(ticket._id)
  if (!row || !isHeld(ticket)) return
  const patch = {
    ...place,
    chat_user: ticket.chat_user,
    version: row.version + 1,
    ...(is_question && {
      unanswered_count: row.unanswered_count + 1,
      unanswered_since: row.unanswered_since ?? turn.now,
    }),
    updated_at: turn.now,
  }
  Object.assign(row, patch)
  turn.update(AssistantConversation, { ticket_id: row.ticket_id }, patch)
  const { assistant_id, segment, version, unanswered_count, channel_id, channel_type, address } = row
  turn.tell(`conversation/${row.ticket_id}`, {
    type: 'changed',
    company_id: row.company_id,
    project_id: row.project_id,
    chat_user: row.chat_user,
    assistant_id,
    segment,
    version,
    place: channel_id && channel_type && address ? { channel_id, channel_type, address } : null,
    is_question: is_question || unanswered_count > 0,
    at: turn.now.getTime(),
  })
}

/** A person answered, here or elsewhere: the conversation is people's from now on. */
export function personAnswered(turn: ProjectTurn, { chat_user }: Pick<Message, 'chat_user'>, user_id: string | null) {
  const ticket = chat_user ? ticketsOf(turn).open.get(chat_user) : undefined
  if (ticket?.handled_by === 'assistant') changeTicket(turn, ticket, { handled_by: 'person' }, { user_id })
}
