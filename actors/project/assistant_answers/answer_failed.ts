/** An answer of an assistant failed after it was accepted. The assistant has nothing left to say, so people go on, and hear of it. */
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import type { AnswerFailed } from '../tickets/reply_failed.ts'
import type { Receiver } from '../turn/feature.ts'
import { handOver } from './hand_over.ts'
import { assistantReads } from './reads.ts'

/** From the timer. A contact that is gone is being erased: nothing may outlive it. */
export const answerFailed: Receiver<AnswerFailed> = {
  reads(reads, { chat_user, assistant_id }) {
    wantTickets(reads)
    reads.of(assistantReads).add(assistant_id)
    reads.of(contactReads).ids.add(chat_user)
  },
  receive(turn, { chat_user, created_at, error, assistant_id }) {
    const contact = contactNamed(turn.records, chat_user)
    const ticket = contact && ticketsOf(turn).open.get(contact._id)
    if (ticket?.handled_by !== 'assistant' || created_at < ticket.created_at.getTime()) return
    const assistant = turn.records.of(assistantReads).get(assistant_id)
    const note = error.message
    handOver(turn, ticket, assistant, { reason: 'not_sent', note, fields: null, turn_id: null, assistant_id })
  },
}
