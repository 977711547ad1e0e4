import type { InboundItem } from '../turn/feature.ts'
import { changeContact, contactOn } from './contact.ts'
import { wantIds } from './person_reads.ts'
import { survivorOf } from './reads.ts'
import { watchUnread } from './unread_timer.ts'

/** A person left an e-mail address. Where the contact is gone, there is nothing to keep it with. */
export const profileReported: InboundItem<'profile'> = {
  reads(reads, { channel, item }) {
    wantIds(reads, channel, item)
  },
  receive(turn, { channel, item: { user_id, bsuid = null, email } }) {
    const known = contactOn(turn, channel, { user_id, bsuid })
    if (!known) return
    const contact = survivorOf(turn.records, known)
    changeContact(turn, contact, { email })
    watchUnread(turn, contact)
  },
}
