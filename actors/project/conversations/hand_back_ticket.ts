/** `POST /v1/crm/tickets/{id}/hand-back`: an assistant answers again, in a new segment. */
import { Assistant, readRows } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { auditedTicket } from '../tickets/audited.ts'
import { recordOf } from '../tickets/change_ticket.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { mustHaveVersion } from '../tickets/version.ts'
import { agentOf, type Command } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { holdConversation, tellAssistant } from './hold.ts'
import { conversationReads } from './reads.ts'

/** `assistant_id`: by default the one that held the conversation before. */
export type HandBackTicket = {
  type: 'hand_back_ticket'
  id: string
  assistant_id?: string | undefined
  if_match?: string[] | undefined
}

/** Those of these assistants that are active. */
const assistantReads: ReadKind<Set<string>, Set<string>> = {
  keys: () => new Set(),
  found: () => new Set(),
  async read(found, ids, { database, state: { project_id } }) {
    const rows = await readRows(database, Assistant, { project_id, _id: [...ids] })
    for (const { _id, is_active } of rows) if (is_active) found.add(_id)
  },
}

/** @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED, TICKET_CLOSED, ASSISTANT_NOT_FOUND */
export const handBackTicket = {
  audit: auditedTicket,
  reads(reads, { id, assistant_id }) {
    wantTickets(reads, id)
    reads.of(conversationReads).add(id)
    if (assistant_id) reads.of(assistantReads).add(assistant_id)
  },
  run(turn, { id, assistant_id, if_match }, context) {
    const ticket = ticketsOf(turn).by_id.get(id)
    if (!ticket) throw refuse('NOT_FOUND')
    mustHaveVersion(ticket, if_match)
    if (ticket.is_closed) throw refuse('TICKET_CLOSED')
    const known = turn.records.of(conversationReads).get(id)
    const chosen = assistant_id ?? known?.assistant_id
    if (!chosen || (assistant_id && !turn.records.of(assistantReads).has(assistant_id))) {
      throw refuse('ASSISTANT_NOT_FOUND', { assistant_id: chosen ?? null })
    }
    if (ticket.handled_by === 'assistant' && known?.assistant_id === chosen) {
      return { body: { ticket: recordOf(turn, ticket) } }
    }
    holdConversation(turn, ticket, chosen, { user_id: agentOf(context) })
    // The person may still wait.
    tellAssistant(turn, ticket, { is_question: ticket.waiting_since !== null })
    return { body: { ticket: recordOf(turn, ticket) } }
  },
} satisfies Command<HandBackTicket>
