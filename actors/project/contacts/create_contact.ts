/**
 * `POST /v1/contacts`. A contact belongs to a channel, or to a channel type as a whole when no channel is named. These
 * are two identities, and each exists once in the company, whichever project created it. Messages of a channel look for
 * the channel's own contact first, and only among those of the project (`find` in `contact.ts`).
 */
import type { Contact } from '../../../storage/mod.ts'
import type { ChannelType } from '../../message_types.ts'
import { type NewContact, toContactRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { checkCustomFields } from '../definitions/custom_fields.ts'
import { definitionsOf, wantDefinitions } from '../definitions/reads.ts'
import type { Command } from '../turn/feature.ts'
import { auditedContact } from './audited.ts'
import { storeContact } from './contact.ts'
import { contactPointsOf, customerLinkReads, customerOf } from './customer_link.ts'
import { contactKey, formsOf, personOf } from './identity.ts'
import { wantUser } from './person_reads.ts'
import { contactReads, readAs } from './reads.ts'

export type CreateContact = { type: 'create_contact' } & NewContact

/** @throws {Refusal} CHANNEL_NOT_FOUND, VALIDATION_ERROR, CONTACT_ALREADY_EXISTS */
export const createContact = {
  audit: auditedContact,
  reads(reads, command) {
    wantDefinitions(reads)
    wantUser(reads, command.channel_type, personOf(command.channel_type, command.user_id).user_id!, [])
    const { contact_points } = reads.of(customerLinkReads)
    for (const contact_point of contactPointsOf(command)) contact_points.add(contact_point)
  },
  run(turn, command) {
    const { channel_type, channel_id = null, name = null, avatar = null, custom_fields = {} } = command
    if (channel_id !== null && turn.state.channels.get(channel_id)?.channel_type !== channel_type) {
      throw refuse('CHANNEL_NOT_FOUND', { channel_id })
    }
    checkCustomFields('contact', custom_fields, definitionsOf(turn))
    const user_id = personOf(channel_type, command.user_id).user_id!
    const identity = contactKey(channel_type, channel_id, user_id)
    const { taken } = turn.records.of(contactReads)
    const known = readAs(turn.records, channel_type, [channel_id], formsOf(channel_type, user_id))
    if (known) throw refuse('CONTACT_ALREADY_EXISTS', { contact_id: known.merged_into ?? known._id })
    if (taken.has(identity)) throw refuse('CONTACT_ALREADY_EXISTS')
    const phone = command.phone ?? phoneOf(channel_type, user_id)
    const customer_id = customerOf(turn, { channel_type, user_id, phone })
    const fields = { channel_type, user_id, channel_id, name, phone, avatar, custom_fields, customer_id }
    const contact = storeContact(turn, fields)
    return { body: toContactRecord(contact, turn.now) }
  },
} satisfies Command<CreateContact>

/** On `whatsapp` the id is the number. On `phone` it is the number if it looks like one. */
function phoneOf(channel_type: ChannelType, user_id: string): Contact['phone'] {
  if (channel_type === 'whatsapp') return `+${user_id}`
  return channel_type === 'phone' && /^\+[1-9]\d{6,14}$/.test(user_id) ? user_id : null
}
