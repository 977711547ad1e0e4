/** Identities of people on channels. */
import type { Contact, VisitorBrowser } from '../../../storage/mod.ts'
import type { ChannelType } from '../../message_types.ts'

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

/**
 * WhatsApp's business-scoped user ids begin with a country code. People with a username may have no visible number
 * (since 2026).
 */
const BSUID = /^[A-Z]{2}\.[A-Za-z0-9]+$/

/** The recipient of a message: on WhatsApp the digits of the phone number, or the business-scoped id. */
export function personOf(channel: string, to: string): { user_id: string | null; bsuid: string | null } {
  // Mailboxes do not differ by case.
  if (channel === 'email') return { user_id: to.toLowerCase(), bsuid: null }
  if (channel !== 'whatsapp') return { user_id: to, bsuid: null }
  return BSUID.test(to) ? { user_id: null, bsuid: to } : { user_id: to.replace(/^\+/, ''), bsuid: null }
}

/** Where a contact is reached: its channel type, and `to` of a send. */
export function addressOf({ channel_type, user_id, bsuid }: Pick<Contact, 'channel_type' | 'user_id' | 'bsuid'>) {
  const is_phone = channel_type === 'whatsapp' && user_id !== bsuid
  return { channel: channel_type as ChannelType, to: is_phone ? `+${user_id}` : user_id }
}
