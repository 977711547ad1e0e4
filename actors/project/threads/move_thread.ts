/** The provider has given the conversation to Parley, or taken it back, as a client or an agent asked. */
import type { Thread } from '../../../storage/mod.ts'
import { toContactRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { auditedContact } from '../contacts/audited.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { wantTickets } from '../tickets/reads.ts'
import type { Change } from '../turn/feature.ts'
import { handedOver } from './holder.ts'

/** `identity_id`: the contact under whose ids the conversation is; missing from nodes of an earlier version. */
export type MoveThread = {
  type: 'move_thread'
  id: string
  identity_id?: string
  channel_id: string
  holder: Thread['holder']
}

/** @throws {Refusal} NOT_FOUND when the contact was erased meanwhile */
export const moveThread: Change<MoveThread> = {
  audit: auditedContact,
  reads(reads, { id }) {
    wantTickets(reads)
    reads.of(contactReads).ids.add(id)
  },
  apply(turn, { id, identity_id, channel_id, holder }, origin) {
    const contact = contactNamed(turn.records, id)
    if (!contact) throw refuse('NOT_FOUND')
    // Providers tell whole seconds: the next message may be of this one.
    const at = new Date(Math.floor(turn.now.getTime() / 1000) * 1000)
    const user_id = origin?.actor_kind === 'user' ? origin.actor_id : null
    handedOver(turn, contact, channel_id, { holder, at, user_id }, 'own', identity_id)
    return toContactRecord(contact, turn.now)
  },
}
