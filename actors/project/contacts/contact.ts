/** Contacts: creation, look-up for messages, changes. */
import { isDeepStrictEqual } from 'node:util'
import { blank, Contact, composed, MergedRecord, type MovedKind, objectId } from '../../../storage/mod.ts'
import { toContactRecord } from '../../records/mod.ts'
import { emit } from '../turn/events.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { customerOf } from './customer_link.ts'
import { contactKey, formsOf, hasChangedHands, ownAddressOf, type Person } from './identity.ts'
import { contactReads, keepContact, readAs, survivorOf } from './reads.ts'
import { extendedWindows } from './reply_window.ts'

/**
 * The project's contact of this person: that of this channel, else that of the channel type without a channel. It may be
 * merged into another one (`survivorOf`), whose ids are others. The contact of the number may be of somebody who had it before.
 */
export function contactOn(turn: ProjectTurn, channel: ProjectChannel, person: Person): Contact | undefined {
  const holder = holderOf(turn, channel, person.user_id)
  return holder && !isFormer(turn, channel, holder, person.bsuid) ? holder : contactOfId(turn, channel, person.bsuid)
}

/** The contact that is known by this business-scoped id. */
export function contactOfId(
  turn: ProjectTurn,
  { channel_type, id }: ProjectChannel,
  bsuid: string | null | undefined,
): Contact | undefined {
  return bsuid ? readAs(turn.records, channel_type, [id, null], [bsuid]) : undefined
}

/** True when the contact that has the number is of somebody who had it before the person with this id. */
export function isFormer(
  turn: ProjectTurn,
  channel: ProjectChannel,
  holder: Contact,
  bsuid: string | null | undefined,
): boolean {
  if (!bsuid || !hasChangedHands(turn.state, channel, holder, bsuid)) return false
  const of_id = contactOfId(turn, channel, bsuid)
  // Contacts that were merged are one person, whatever their ids.
  return of_id === undefined || survivorOf(turn.records, of_id) !== survivorOf(turn.records, holder)
}

/** The contact that has the number, or the id of another channel type. */
export function holderOf(
  turn: ProjectTurn,
  { channel_type, id }: ProjectChannel,
  user_id: string | null,
): Contact | undefined {
  return user_id ? readAs(turn.records, channel_type, [id, null], formsOf(channel_type, user_id)) : undefined
}

/**
 * Finds or creates the contact. One whose number another contact has is created without it. `windows`: the reply windows that a
 * new one begins with.
 */
export function ensureContact(
  turn: ProjectTurn,
  channel: ProjectChannel,
  person: Person,
  windows: Contact['windows'] = {},
): Contact {
  const known = contactOn(turn, channel, person)
  if (known) return known
  const { channel_type } = channel
  const user_id = holderOf(turn, channel, person.user_id) ? null : person.user_id
  return storeContact(
    turn,
    {
      channel_type,
      user_id: user_id ?? person.bsuid!,
      channel_id: channel.id,
      name: typeof person.name === 'string' ? composed(person.name) : null,
      phone: channel_type === 'whatsapp' && user_id ? `+${user_id}` : (person.phone ?? null),
      avatar: person.avatar ?? null,
      custom_fields: {},
      customer_id: customerOf(turn, { channel_type, user_id, phone: person.phone }),
      bsuid: person.bsuid ?? null,
      browser: person.browser ?? null,
    },
    windows,
  )
}

type NewContact = Pick<Contact, 'channel_type' | 'user_id' | 'custom_fields'> & Partial<Contact>

/**
 * Creates a contact whose identity is free. A unique index undoes the turn if another project takes the identity at the
 * same time.
 */
export function storeContact(turn: ProjectTurn, fields: NewContact, windows: Contact['windows'] = {}): Contact {
  const { company_id, project_id } = turn.state
  const now = turn.now
  const stamps = { first_seen_at: now, last_seen_at: now, created_at: now, updated_at: now }
  const contact = blank(Contact, { _id: objectId(), company_id, project_id, ...fields, windows, ...stamps })
  turn.insert(Contact, contact)
  keepContact(turn.records, contact)
  emit(turn, 'crm.contact.created', toContactRecord(contact, turn.now), contact._id)
  return contact
}

/** Writes the columns that differ, and emits an event. Does nothing when none differs. */
export function changeContact(turn: ProjectTurn, contact: Contact, changes: Partial<Contact>): void {
  const different = differences(contact, changes)
  if (Object.keys(different).length === 0) return
  write(turn, contact, different)
  report(turn, contact)
}

/** A contact that was merged is no record of its own. */
function report(turn: ProjectTurn, contact: Contact): void {
  if (!contact.merged_into) emit(turn, 'crm.contact.updated', toContactRecord(contact, turn.now), contact._id)
}

/** Writes columns without an event, as no subscriber needs one for each message. */
export function noteOfContact(turn: ProjectTurn, contact: Contact, changes: Partial<Contact>): void {
  write(turn, contact, changes)
}

function differences(contact: Contact, changes: Partial<Contact>): Partial<Contact> {
  const present = contact as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(changes).filter(
      ([column, value]) => value !== undefined && !isDeepStrictEqual(present[column] ?? null, value),
    ),
  )
}

function write(turn: ProjectTurn, contact: Contact, changes: Partial<Contact>): void {
  const patch = { ...changes, updated_at: turn.now }
  Object.assign(contact, patch)
  keepContact(turn.records, contact)
  turn.update(Contact, { _id: contact._id }, patch)
}

/**
 * A person wrote: restarts the window of the channel, and stores new facts about the person. Only new facts emit an
 * event, one for all of them: no subscriber needs an event for each message. `more`: further changes of the contact.
 */
export function touchContact(
  turn: ProjectTurn,
  contact: Contact,
  {
    person,
    at,
    channel,
    window_hours,
    more,
  }: { person: Person; at: Date; channel: ProjectChannel; window_hours: number | null; more?: Partial<Contact> },
): void {
  const learnt = learntOf(turn, contact, channel, person)
  const changes = differences(contact, { ...learnt, ...more })
  const seen: Partial<Contact> = { last_seen_at: turn.now }
  const windows = window_hours === null ? undefined : extendedWindows(contact, channel.id, at, window_hours)
  if (windows) seen.windows = windows
  write(turn, contact, { ...changes, ...seen })
  if (Object.keys(changes).length > 0) report(turn, contact)
  touchSurvivor(turn, contact, person)
}

/** The contact that this one was merged into is answered from now on where the person wrote. */
function touchSurvivor(turn: ProjectTurn, contact: Contact, { name, avatar }: Person): void {
  const survivor = survivorOf(turn.records, contact)
  if (survivor === contact) {
    if (contact.send_to) changeContact(turn, contact, { send_to: null })
    return
  }
  const send_to = { contact_id: contact._id, to: ownAddressOf(contact), windows: contact.windows }
  const moves = survivor.send_to?.to !== send_to.to
  const learnt = {
    ...(!survivor.name && name && { name: composed(name) }),
    ...(!survivor.avatar && avatar && { avatar }),
  }
  write(turn, survivor, { ...learnt, send_to, last_seen_at: turn.now })
  if (moves || Object.keys(learnt).length > 0) report(turn, survivor)
}

/** The contact is a part of another one, or of none. Customers are linked to contacts that stay. */
export function pointAt(
  turn: ProjectTurn,
  part: Contact,
  merged_into: string | null,
  more: Partial<Contact> = {},
): void {
  const patch = { merged_into, ...(merged_into !== null && { customer_id: null }), ...more, updated_at: turn.now }
  Object.assign(part, patch)
  keepContact(turn.records, part)
  turn.update(Contact, { _id: part._id }, patch)
}

/** Notes under whose ids a record of a contact came, for the undo of the merge. */
export function noteIdentity(turn: ProjectTurn, identity: Contact, kind: MovedKind, record_id: string): void {
  if (!identity.merged_into) return
  turn.upsert(MergedRecord, { kind, record_id, project_id: turn.state.project_id, contact_id: identity._id })
}

/** The facts of a message that the contact lacks. */
export function learntOf(
  turn: ProjectTurn,
  contact: Contact,
  channel: ProjectChannel,
  person: Person,
): Partial<Contact> {
  const learnt: Partial<Contact> = {}
  const is_named = contact.name && contact.name !== contact.address_book_name
  if (!is_named && person.name) learnt.name = composed(person.name)
  if (!contact.avatar && person.avatar) learnt.avatar = person.avatar
  if (!contact.phone && person.phone) learnt.phone = person.phone
  if (!contact.bsuid && person.bsuid) learnt.bsuid = person.bsuid
  const bsuid = learnt.bsuid ?? contact.bsuid
  // An id that came in the field of the number was taken for one.
  if (contact.user_id === bsuid && contact.phone === `+${bsuid}`) learnt.phone = null
  // The page is the present one, unlike the other facts.
  if (person.browser) learnt.browser = person.browser
  const number = person.user_id
  const holder = holderOf(turn, channel, number)
  const is_held = holder !== undefined && holder._id !== contact._id
  if (number && !is_held && isFree(turn, contact, number)) {
    // Known only by the business-scoped id until now.
    if (contact.user_id === bsuid) {
      learnt.user_id = number
      if (channel.channel_type === 'whatsapp') learnt.phone = `+${number}`
    }
    if (isOtherForm(channel.channel_type, contact.user_id, number)) learnt.user_id = number
  }
  if (learnt.phone && !contact.customer_id && !contact.merged_into)
    learnt.customer_id = customerOf(turn, { ...contact, ...learnt })
  return learnt
}

function isOtherForm(channel_type: string, user_id: string, other: string): boolean {
  return user_id !== other && formsOf(channel_type, user_id).includes(other)
}

/**
 * The provider knows the recipient by another form of the number, in which the person will write. The phone stays as it
 * was dialled. When another contact has that id, both stay as they are.
 */
export function renameContact(turn: ProjectTurn, channel: ProjectChannel, contact: Contact, user_id: string): void {
  if (readAs(turn.records, channel.channel_type, [channel.id, null], [user_id]) || !isFree(turn, contact, user_id))
    return
  changeContact(turn, contact, { user_id })
}

/**
 * False when another project of the company has a contact of the same channel, or of the same type without a channel,
 * with this id.
 */
export function isFree(turn: ProjectTurn, { channel_type, channel_id }: Contact, user_id: string): boolean {
  return !turn.records.of(contactReads).taken.has(contactKey(channel_type, channel_id, user_id))
}
