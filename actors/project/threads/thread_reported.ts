/** The provider tells that a conversation went from one app to another, or that an app asks for it. */
import { contactOn, ensureContact } from '../contacts/contact.ts'
import { wantIds } from '../contacts/person_reads.ts'
import { survivorOf } from '../contacts/reads.ts'
import { wantTickets } from '../tickets/reads.ts'
import { threadRequested } from '../tickets/system_events.ts'
import type { InboundItem } from '../turn/feature.ts'
import { handedOver } from './holder.ts'

/** Maximum characters of what an app says of a conversation. */
const MAX_NOTE = 2000

/** A person who is unknown becomes a contact. */
export const threadReported: InboundItem<'thread'> = {
  reads(reads, { channel, item }) {
    wantTickets(reads)
    wantIds(reads, channel, item)
  },
  receive(turn, { channel, item }) {
    const { user_id, bsuid = null, name, at } = item
    const person = { user_id, bsuid, name }
    const note = item.note === null ? null : [...item.note.slice(0, 2 * MAX_NOTE)].slice(0, MAX_NOTE).join('')
    if (item.event === 'requested') {
      const contact = contactOn(turn, channel, person)
      if (contact) threadRequested(turn, contact, { channel_id: channel.id, note })
      return
    }
    const { holder } = item
    const news = { holder, at, note, is_passed: holder === 'parley' }
    const identity = ensureContact(turn, channel, person)
    handedOver(turn, survivorOf(turn.records, identity), channel.id, news, 'handover', identity._id)
  },
}
