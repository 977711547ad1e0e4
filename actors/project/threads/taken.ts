/** A message of ours was accepted while another app held the conversation: Parley holds it from then on. */
import type { Message } from '../../../storage/mod.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { wantTickets } from '../tickets/reads.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { handedOver } from './holder.ts'

/** The durable timer of such a message. `at`: Unix milliseconds. */
export type ThreadTaken = { chat_user: string; channel_id: string; at: number }

/** Call this when the provider has accepted the message. The turn has read no contact. */
export function takeByMessage(turn: ProjectTurn, { id, chat_user, channel_id, sent_at }: Message): void {
  if (!chat_user) return
  const taken: ThreadTaken = { chat_user, channel_id, at: (sent_at ?? turn.now).getTime() }
  turn.timer(`thread/${id}`, turn.now, { type: 'thread_taken', ...taken, cause: turn.cause })
}

/** From the timer. A contact that is gone is being erased. */
export const threadTaken: Receiver<ThreadTaken> = {
  reads(reads, { chat_user }) {
    wantTickets(reads)
    reads.of(contactReads).ids.add(chat_user)
  },
  receive(turn, { chat_user, channel_id, at }) {
    const contact = contactNamed(turn.records, chat_user)
    if (contact?.threads?.[channel_id])
      handedOver(turn, contact, channel_id, { holder: 'parley', at: new Date(at) }, 'handover')
  },
}
