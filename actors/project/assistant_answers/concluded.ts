/**
 * A turn of an assistant concluded something. This turn decides: an answer is stored only if the conversation is still as the model
 * saw it.
 *
 *  A1 Nothing newer: the ticket is open and held, in the same segment, and nothing was said since. A person who writes on and on
 *     is answered all the same (`is_steady`); what came meanwhile is answered next.
 *  A2 A hand-over is stored even if something newer was said, because people see that, too.
 *  A3 An answer that cannot be sent is a hand-over: nobody waits for a message that never leaves.
 *  A4 What a turn concludes again counts only where nothing of it was stored.
 *  A5 The words to the person, the ticket with its summary, the timeline, events and notifications are one transaction.
 */
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import { type ActiveTicket, AssistantConversation, AssistantTurn, type TurnOutcome } from '../../../storage/mod.ts'
import type { AssistantConcluded, Conclusion } from '../../conversation/mod.ts'
import { wantPerson } from '../contacts/person_reads.ts'
import { isHeld } from '../conversations/hold.ts'
import { conversationReads } from '../conversations/reads.ts'
import { wantLastMail } from '../messages/answered_mail.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { emit } from '../turn/events.ts'
import type { ProjectContext, Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { handOver } from './hand_over.ts'
import { answerReads, assistantReads, endedReads } from './reads.ts'
import { sendAnswer } from './send_answer.ts'

/** Answers that a person gets in an hour, before the conversation is left to people: two machines may be writing to each other. */
const MAX_HOURLY_ANSWERS = 30

type HandOver = Extract<Conclusion, { kind: 'hand_over' }>

export const assistantConcluded: Receiver<AssistantConcluded> = {
  reads(reads, { ticket_id, turn_id, chat_user, assistant_id, place, is_again }) {
    wantTickets(reads, ticket_id)
    reads.of(conversationReads).add(ticket_id)
    reads.of(assistantReads).add(assistant_id)
    reads.of(answerReads).add(chat_user)
    if (is_again) reads.of(endedReads).add(turn_id)
    if (!place) return
    wantPerson(reads, place.channel_type, place.address, place.channel_id)
    if (place.channel_type === 'email') wantLastMail(reads, place.address)
  },
  receive(turn, said, context) {
    const ticket = ticketsOf(turn).by_id.get(said.ticket_id)
    const row = turn.records.of(conversationReads).get(said.ticket_id)
    if (said.is_again && turn.records.of(endedReads).has(said.turn_id)) {
      report(turn, said, 'stored', ticket !== undefined && isHeld(ticket))
      return
    }
    if (!ticket || !row || !isHeld(ticket) || row.segment !== said.segment) {
      outdated(turn, said, ticket, row, context)
      return
    }
    const { conclusion } = said
    if (conclusion.kind === 'hand_over') {
      leave(turn, said, ticket, conclusion, context)
      return
    }
    if (row.version !== said.version && !said.is_steady) {
      outdated(turn, said, ticket, row, context)
      return
    }
    answer(turn, said, ticket, row, conclusion, context)
  },
}

function outdated(
  turn: ProjectTurn,
  said: AssistantConcluded,
  ticket: ActiveTicket | undefined,
  row: AssistantConversation | undefined,
  context: ProjectContext,
): void {
  const is_held = ticket !== undefined && isHeld(ticket)
  // It was erased, before the actor of the conversation wrote this turn.
  if (!ticket) {
    turn.remove(AssistantTurn, { _id: said.turn_id })
    report(turn, said, 'outdated', false)
    return
  }
  const reason = is_held && row?.segment === said.segment ? 'newer' : 'taken_over'
  endTurn(turn, said, context, { outcome: 'discarded', reason })
  report(turn, said, 'outdated', is_held)
}

function answer(
  turn: ProjectTurn,
  said: AssistantConcluded,
  ticket: ActiveTicket,
  row: AssistantConversation,
  { text, parts, sources }: Extract<Conclusion, { kind: 'answer' }>,
  context: ProjectContext,
): void {
  const { place, assistant_id, turn_id, chat_user } = said
  const assistant = turn.records.of(assistantReads).get(assistant_id)
  const answers = turn.records.of(answerReads)
  const count = answers.get(chat_user) ?? 0
  const instead = (reason: string, note: string | null) =>
    leave(turn, said, ticket, { ...silent, reason, note }, context)
  if (!assistant?.is_active) {
    instead('switched_off', null)
    return
  }
  if (count >= MAX_HOURLY_ANSWERS) {
    instead('too_many_answers', null)
    return
  }
  if (!place) {
    instead('not_sent', null)
    return
  }
  let message_id: string | null
  try {
    message_id = sendAnswer(turn, context, place, assistant_id, parts, sources).at(-1)?.id ?? null
  } catch (error) {
    if (error instanceof Unavailable || error instanceof Refusal) {
      instead('not_sent', error.message)
      return
    }
    throw error
  }
  answers.set(chat_user, count + 1)
  // Messages that came since the model saw the conversation are still unanswered.
  const is_answered = row.version === said.version
  const patch = {
    last_answer: text,
    ...(is_answered && { unanswered_count: 0, unanswered_since: null }),
    updated_at: turn.now,
  }
  Object.assign(row, patch)
  turn.update(AssistantConversation, { ticket_id: row.ticket_id }, patch)
  endTurn(turn, said, context, { outcome: 'answered', reason: null, answer: text, message_id, sources })
  const data = { ticket_id: ticket._id, chat_user: ticket.chat_user, assistant_id, turn_id, message_id, text, sources }
  emit(turn, 'assistant.reply.sent', data, ticket.chat_user)
  report(turn, said, 'stored', true)
}

const silent = { kind: 'hand_over', words: null, fields: null, has_failed: false } as const

/** The conversation goes to people, with words to the person where they can be sent. */
function leave(
  turn: ProjectTurn,
  said: AssistantConcluded,
  ticket: ActiveTicket,
  conclusion: HandOver,
  context: ProjectContext,
): void {
  const { place, assistant_id, turn_id } = said
  const { reason, note, fields, words, has_failed } = conclusion
  let message_id: string | null = null
  if (words !== null && place) {
    try {
      message_id = sendAnswer(turn, context, place, assistant_id, [words])[0]?.id ?? null
    } catch (error) {
      // People hear of the ticket all the same.
      if (!(error instanceof Unavailable || error instanceof Refusal)) throw error
    }
  }
  // The words are no answer: the person goes on waiting.
  const assistant = turn.records.of(assistantReads).get(assistant_id)
  handOver(turn, ticket, assistant, { reason, note, fields, turn_id, assistant_id })
  const outcome = has_failed ? 'failed' : 'handed_over'
  endTurn(turn, said, context, { outcome, reason, answer: message_id === null ? null : words, message_id })
  const { _id: ticket_id, chat_user } = ticket
  const data = { ticket_id, chat_user, assistant_id, turn_id, message_id, reason, note }
  if (has_failed) emit(turn, 'assistant.failed', data, chat_user)
  emit(turn, 'assistant.handed_over', data, chat_user)
  report(turn, said, 'stored', false)
}

function endTurn(
  turn: ProjectTurn,
  { turn_id }: AssistantConcluded,
  { assistantTurnEnded }: ProjectContext,
  end: Partial<AssistantTurn> & { outcome: TurnOutcome },
): void {
  turn.records.of(endedReads).add(turn_id)
  turn.update(AssistantTurn, { _id: turn_id }, { ...end, ended_at: turn.now })
  turn.after(() => assistantTurnEnded(end.outcome))
}

function report(
  turn: ProjectTurn,
  { ticket_id, turn_id }: AssistantConcluded,
  outcome: 'stored' | 'outdated',
  is_held: boolean,
): void {
  turn.tell(`conversation/${ticket_id}`, { type: 'decided', turn_id, outcome, is_held })
}
