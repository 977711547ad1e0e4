/**
 * `POST /v1/contacts`. A contact is one of a channel, or of a channel type as a whole when no channel is named: these are
 * two identities, and each exists once in the company, whichever of its projects made it. Messages of a channel look for
 * the channel's own contact first, and only among those of the project (`find` in actors/project/contacts.ts).
 */
import { type Contact, toContactRecord } from '../../storage/mod.ts'
import type { ChannelType } from '../message_types.ts'
import { storeContact } from '../project/contacts.ts'
import type { ProjectTurn } from '../project/events.ts'
import { contactKey } from '../project/records.ts'
import type { CommandResult } from '../project/request.ts'
import { personOf } from '../project/wants.ts'
import { refuse } from '../refuse.ts'
import { crmOf } from './change_ticket.ts'
import { checkCustomFields } from './custom_fields.ts'
import { customerOf } from './customer_link.ts'

export type CreateContact = {
  type: 'create_contact'
  channel_type: ChannelType
  /** On `whatsapp` the digits of the phone number, without `+`. */
  user_id: string
  channel_id?: string | undefined
  name?: string | undefined
  phone?: string | undefined
  avatar?: string | undefined
  custom_fields?: Record<string, unknown> | undefined
}

export function createContact(turn: ProjectTurn, command: CreateContact): CommandResult {
  const { channel_type, channel_id = null, name = null, avatar = null, custom_fields = {} } = command
  if (channel_id !== null && turn.state.channels.get(channel_id)?.channel_type !== channel_type) {
    throw refuse('CHANNEL_NOT_FOUND', { channel_id })
  }
  checkCustomFields('contact', custom_fields, crmOf(turn).definitions)
  const user_id = personOf(channel_type, command.user_id).user_id!
  const identity = contactKey(channel_type, channel_id, user_id)
  const known = turn.records.contacts.get(identity)
  if (known) throw refuse('CONTACT_ALREADY_EXISTS', { contact_id: known._id })
  if (turn.records.taken.has(identity)) throw refuse('CONTACT_ALREADY_EXISTS')
  const phone = command.phone ?? phoneOf(channel_type, user_id)
  const customer_id = customerOf(turn, { channel_type, user_id, phone })
  const fields = { channel_type, user_id, channel_id, name, phone, avatar, custom_fields, customer_id, bsuid: null }
  return { body: toContactRecord(storeContact(turn, fields), turn.now) }
}

/** On `whatsapp` the id is the number; on `phone` it is where it looks like one. */
function phoneOf(channel_type: ChannelType, user_id: string): Contact['phone'] {
  if (channel_type === 'whatsapp') return `+${user_id}`
  return channel_type === 'phone' && /^\+[1-9]\d{6,14}$/.test(user_id) ? user_id : null
}
