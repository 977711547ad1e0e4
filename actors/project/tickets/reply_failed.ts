/**
 * A reply that fails is no answer: the person waits again since the message that it would have answered, unless another
 * reply counts. The agent who wrote the reply is notified.
 */
import { type ActiveTicket, InboxEntry, type Message, TicketActivity } from '../../../storage/mod.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { notify } from '../notifications/notify.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { ticketsOf, wantTickets } from './reads.ts'

/** The durable timer of a failed reply. Times in Unix milliseconds. `agent_id`: from the message, so it may be any text. */
export type ReplyFailed = {
  message_id: string
  chat_user: string
  created_at: number
  agent_id: string | null
  error: { code: string; message: string }
}

/** The same of an answer of an assistant, which `assistant_answers` takes up. */
export type AnswerFailed = Pick<ReplyFailed, 'chat_user' | 'created_at' | 'error'> & { assistant_id: string }

const UNKNOWN = { code: 'UNKNOWN', message: 'The provider gave no reason.' }

/** Call this for a message that has failed. Messages of broadcasts, and automatic ones, answer nobody. */
export function failReply(turn: ProjectTurn, row: Message): void {
  if (row.direction !== 'outbound' || row.broadcast_id || !row.chat_user) return
  if (row.message.auto_submitted !== undefined && !row.assistant_id) return
  const agent_id = (row.meta_data as { agent_id?: unknown } | null)?.agent_id
  const failed: ReplyFailed = {
    message_id: row.id,
    chat_user: row.chat_user,
    created_at: row.created_at.getTime(),
    agent_id: typeof agent_id === 'string' ? agent_id : null,
    error: (row.error as ReplyFailed['error'] | null) ?? UNKNOWN,
  }
  turn.timer(`failed/${row.id}`, turn.now, { type: 'reply_failed', ...failed, cause: turn.cause })
  if (!row.assistant_id) return
  const { chat_user, created_at, error } = failed
  const answer: AnswerFailed = { chat_user, created_at, error, assistant_id: row.assistant_id }
  turn.timer(`answer_failed/${row.id}`, turn.now, { type: 'answer_failed', ...answer, cause: turn.cause })
}

/** From the timer. A contact that is gone is being erased: nothing may outlive it. */
export const replyFailed: Receiver<ReplyFailed> = {
  reads(reads, { chat_user }) {
    wantTickets(reads)
    reads.of(contactReads).ids.add(chat_user)
  },
  receive(turn, { message_id, chat_user, created_at, agent_id, error }) {
    const contact = contactNamed(turn.records, chat_user)
    if (!contact) return
    const ticket = ticketsOf(turn).open.get(contact._id)
    const of_ticket = ticket && created_at >= ticket.created_at.getTime() ? ticket : undefined
    if (of_ticket) unanswer(turn, of_ticket, created_at)
    if (agent_id === null) return
    const data = { message_id, code: error.code, message: error.message }
    notify(turn, agent_id, {
      type: 'message_failed',
      ticket: of_ticket,
      contact_id: contact._id,
      created_by: null,
      data,
    })
  },
}

/** A message that was sent at `created_at`, in Unix milliseconds, was no answer. */
function unanswer(turn: ProjectTurn, ticket: ActiveTicket, created_at: number): void {
  const { _id: ticket_id, answered_since } = ticket
  ticket.failed_at = turn.now
  // Replies to what the person wrote before do not count any more.
  if (answered_since && created_at >= answered_since.getTime() && ticket.answer_count > 0) {
    ticket.answer_count -= 1
    if (ticket.answer_count === 0) ticket.waiting_since = answered_since
  }
  const { failed_at, waiting_since, answer_count, last_activity_at, inbound_count } = ticket
  turn.update(InboxEntry, { ticket_id }, { failed_at, waiting_since, answer_count })
  turn.upsert(TicketActivity, { ticket_id, last_activity_at, inbound_count, waiting_since })
  turn.live(turn.key, () => ({
    type: 'inbox.failed',
    data: { ticket_id, chat_user: ticket.chat_user, failed_at, waiting_since },
  }))
}
