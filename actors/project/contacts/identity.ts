/** Identities of people on channels. */
import { type Contact, phoneForms, type VisitorBrowser } from '../../../storage/mod.ts'
import { ownAddressOf } from '../../records/mod.ts'
import { BSUID } from '../../values/phone.ts'
import type { ProjectChannel, ProjectState } from '../turn/state.ts'

export { ownAddressOf }

export type Person = {
  /** The id within the channel; may be absent for WhatsApp people who hide their number. */
  user_id: string | null
  bsuid?: string | null
  name?: string | null
  avatar?: string | null
  phone?: string | null
  browser?: VisitorBrowser | null
}

/** The identity of a contact, of one channel or (`null`) of the channel type as a whole. */
export function contactKey(channel_type: string, channel_id: string | null | undefined, user_id: string): string {
  return `${channel_type} ${channel_id ?? ''} ${user_id}`
}

/** The ids under which a contact with this id may be stored: on WhatsApp all forms of the number. The given one first. */
export function formsOf(channel_type: string, user_id: string): string[] {
  return channel_type === 'whatsapp' ? phoneForms(user_id) : [user_id]
}

/** True when the contact is known by another business-scoped id of the same kind: of a business, or of its parent (`US.ENT.…`). */
function hasOtherId({ bsuid }: Pick<Contact, 'bsuid'>, other: string): boolean {
  if (!bsuid || bsuid === other || !BSUID.test(bsuid) || !BSUID.test(other)) return false
  return bsuid.includes('.ENT.') === other.includes('.ENT.')
}

/**
 * True when the number of the contact is of another person now. A person has one id at a business, and another one at each
 * other business, so ids of two businesses tell nothing.
 */
export function hasChangedHands(
  { channels }: Pick<ProjectState, 'channels'>,
  channel: ProjectChannel,
  contact: Pick<Contact, 'bsuid' | 'channel_id'>,
  bsuid: string,
): boolean {
  if (!hasOtherId(contact, bsuid)) return false
  return contact.channel_id === channel.id || isOfOneBusiness(channels.values(), channel)
}

/** True when all channels of the type have the account of this one: a contact of the type may have its id from any of them. */
function isOfOneBusiness(channels: Iterable<ProjectChannel>, { channel_type, credentials }: ProjectChannel): boolean {
  for (const other of channels) {
    if (other.channel_type !== channel_type) continue
    if (other.credentials.business_account_id !== credentials.business_account_id) return false
  }
  return credentials.business_account_id !== undefined
}

/** The recipient of a message: on WhatsApp the digits of the phone number, or the business-scoped id. */
export function personOf(channel: string, to: string): { user_id: string | null; bsuid: string | null } {
  // Mailboxes do not differ by case.
  if (channel === 'email') return { user_id: to.toLowerCase(), bsuid: null }
  if (channel !== 'whatsapp') return { user_id: to, bsuid: null }
  return BSUID.test(to) ? { user_id: null, bsuid: to } : { user_id: to.replace(/^\+/, ''), bsuid: null }
}

/** The address of a contact: its channel type, and `to` of a send. It is the one from which the person wrote last. */
export function addressOf(contact: Identified & Partial<Pick<Contact, 'send_to'>>) {
  return { channel: contact.channel_type, to: contact.send_to?.to ?? ownAddressOf(contact) }
}

type Identified = Pick<Contact, 'channel_type' | 'user_id' | 'bsuid'>
