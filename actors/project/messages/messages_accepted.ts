import type { Message } from '../../../storage/mod.ts'
import { contactOn, renameContact } from '../contacts/contact.ts'
import { wantPerson, wantUser } from '../contacts/person_reads.ts'
import { learnIds } from '../contacts/proof.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { advance } from './advance.ts'
import { applyEarly, earlyStatusReads } from './early_statuses.ts'
import type { AcceptedMessage } from './outcomes.ts'
import { messageReads } from './reads.ts'
import { applyWatermarks } from './watermarks.ts'

/** From the channel: the provider accepted these messages. */
export const messagesAccepted: Receiver<{ items: AcceptedMessage[] }> = {
  reads(reads, { items }) {
    const { ids } = reads.of(messageReads)
    for (const { message_id, provider_message_id, early_statuses, person, proven } of items) {
      ids.add(message_id)
      if (person) for (const id of [person.user_id, person.becomes]) wantUser(reads, 'whatsapp', id, [])
      if (proven) for (const id of [proven.user_id, proven.bsuid]) wantPerson(reads, 'whatsapp', id)
      if (early_statuses !== false && provider_message_id !== '') reads.of(earlyStatusReads).add(provider_message_id)
    }
  },
  early: true,
  receive(turn, { items }) {
    const { rows } = turn.records.of(messageReads)
    for (const { message_id, provider_message_id, at, taken_after, confirmed, person, proven, cause } of items) {
      turn.cause = cause
      const row = rows.get(message_id)
      if (!row) continue
      advance(turn, row, { to: 'sent', at: new Date(at), provider_message_id, taken_after, confirmed })
      applyWatermarks(turn, row)
      applyEarly(turn, row)
      if (person) rename(turn, row, person)
      const channel = proven && turn.state.channels.get(row.channel_id!)
      if (channel) learnIds(turn, channel, row, proven)
    }
  },
}

/** Gives the contact of the message the id by which the provider knows it, unless it has another one meanwhile. */
function rename(turn: ProjectTurn, { chat_user, channel_id }: Message, person: NonNullable<AcceptedMessage['person']>) {
  const channel = turn.state.channels.get(channel_id!)
  const contact = channel && contactOn(turn, channel, { user_id: person.user_id })
  if (contact?.user_id !== person.user_id) return
  const is_recipient = [contact._id, contact.merged_into].includes(chat_user)
  if (is_recipient) renameContact(turn, channel!, contact, person.becomes)
}
