/**
 * A person changed the number, and WhatsApp tells the new ids. The contact goes on under them, and its old number, which somebody
 * else may get, finds it no more. Numbers are given out again, so another contact may have the new one:
 *
 *  N1 The other contact has the new business-scoped id: it is the same person, who wrote before the news came. They are joined.
 *  N2 The other contact has another business-scoped id: it is of somebody who had the number before. It keeps that id alone, and
 *     the number goes over.
 *  N3 One of the ids is unknown: nothing tells whose the other contact is. Both stay, and the number stays with the other one.
 *  N4 A message may come from the new owner of a number before any news. Its business-scoped id tells, and the number goes over as
 *     in N2, unless the message is older than the last one of the contact that has the number.
 *
 * N1 to N4 are decided in turns of their own, each of which reads what it needs and makes one step, so that a crash between them
 * loses nothing.
 */
import type { Contact } from '../../../storage/mod.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeContact, contactOfId, contactOn, ensureContact, holderOf, isFormer, isFree } from './contact.ts'
import { customerLinkReads, customerOf } from './customer_link.ts'
import { formsOf, type Person } from './identity.ts'
import { join } from './proof.ts'
import { contactReads, forgetIdentities, readAs, readContacts, survivorOf } from './reads.ts'
import { extendedWindows, wroteAfter } from './reply_window.ts'

type Ids = { user_id: string | null; bsuid: string | null }

/**
 * The durable timer of a change that concerns another contact. `was`: the ids of the person until then. `former_customer_id`: the
 * customer of who had the number before, whose phone it may still be.
 */
type ChangeNumber = {
  contact_id: string
  channel_id: string
  was: Ids
  becomes: Ids
  former_customer_id?: string | null
}

/**
 * The contact that the news are about, with the ids of the person in them, and the contact's changes. A person of whom nothing
 * is known yet is known by the new ids alone. Who wrote from the old number after the news, and has no id that tells otherwise,
 * is whoever got it.
 */
export function changedNumber(
  turn: ProjectTurn,
  channel: ProjectChannel,
  person: Person,
  { becomes, at, window_hours }: { becomes: Ids; at: Date; window_hours: number },
): { identity: Contact; person: Person; changes: Partial<Contact> } {
  const contact = contactOn(turn, channel, person)
  if (!contact || (!isOf(contact, person) && wroteAfter(contact, channel.id, at, window_hours))) {
    const present = { ...person, ...becomes }
    return { identity: ensureContact(turn, channel, present), person: present, changes: {} }
  }
  const { holder, same } = othersOf(turn, channel, contact, becomes)
  if (!holder && !same) return { identity: contact, person, changes: moved(turn, contact, becomes) }
  goOn(turn, { contact_id: contact._id, channel_id: channel.id, was: idsOf(person), becomes })
  return { identity: contact, person, changes: {} }
}

/** The person of this contact wrote from a number at this time (N4). */
export function wroteFrom(
  turn: ProjectTurn,
  channel: ProjectChannel,
  contact: Contact,
  { person: { user_id, bsuid }, at, window_hours }: { person: Person; at: Date; window_hours: number },
): void {
  const holder = holderOf(turn, channel, user_id)
  if (!user_id || !bsuid || !holder || holder._id === contact._id || !isFormer(turn, channel, holder, bsuid)) return
  if (!extendedWindows(holder, channel.id, at, window_hours)) return
  goOn(turn, { contact_id: contact._id, channel_id: channel.id, was: idsOf(contact), becomes: { user_id, bsuid } })
}

const isOf = ({ bsuid }: Contact, person: Person): boolean => Boolean(bsuid) && bsuid === person.bsuid

const idsOf = ({ user_id, bsuid = null }: Pick<Person, 'user_id' | 'bsuid'>): Ids => ({ user_id, bsuid })

/** True when the contact is still known by one of these ids. It may have learnt the other one meanwhile. */
function isKnownBy({ channel_type, ...contact }: Contact, { user_id, bsuid }: Ids): boolean {
  const ids = [...(user_id === null ? [] : formsOf(channel_type, user_id)), ...(bsuid === null ? [] : [bsuid])]
  return ids.includes(contact.user_id) || (contact.bsuid != null && ids.includes(contact.bsuid))
}

function goOn(turn: ProjectTurn, change: ChangeNumber): void {
  turn.timer(`change_number/${change.contact_id}`, turn.now, { type: 'change_number', ...change, cause: turn.cause })
}

/** From the timer. Nothing is left to do of a contact that was erased, or has got other ids meanwhile. */
export const changeNumber: Receiver<ChangeNumber> = {
  reads(reads, change) {
    const { channel_id, becomes } = change
    const { user_id } = becomes
    reads.of(neighbourReads).push(change)
    if (user_id) reads.of(customerLinkReads).newcomers.push({ channel_type: 'whatsapp', channel_id, user_id })
  },
  receive(turn, change) {
    const { contact_id, channel_id, becomes } = change
    const channel = turn.state.channels.get(channel_id)
    const contact = turn.records.of(contactReads).by_id.get(contact_id)
    if (!channel || !contact || !isKnownBy(contact, change.was)) return
    const { holder, same } = othersOf(turn, channel, contact, becomes)
    const { bsuid } = becomes
    if (!holder && (becomes.user_id || !same)) {
      changeContact(turn, contact, moved(turn, contact, becomes, change.former_customer_id))
      if (same && contact.user_id === becomes.user_id) join(turn, contact, same)
    } else if (holder && isFormer(turn, channel, holder, bsuid) && leavesNumber(turn, holder, [])) {
      goOn(turn, { ...change, former_customer_id: survivorOf(turn.records, holder).customer_id ?? null })
    } else {
      const proven = holder ? bsuid !== null && holder.bsuid === bsuid && holder : same
      leavesNumber(turn, contact, proven && bsuid ? [bsuid] : [])
      if (proven) join(turn, proven, contact)
    }
  },
}

/** Other contacts with the new ids: `holder` of the number, `same` of the business-scoped id. */
function othersOf(turn: ProjectTurn, channel: ProjectChannel, contact: Contact, { user_id, bsuid }: Ids) {
  const other = (found: Contact | undefined) => (found?._id === contact._id ? undefined : found)
  return { holder: other(holderOf(turn, channel, user_id)), same: other(contactOfId(turn, channel, bsuid)) }
}

/** The changes of a contact that goes on under the new ids; none where another project of the company has them. */
function moved(
  turn: ProjectTurn,
  contact: Contact,
  { user_id, bsuid }: Ids,
  former_customer_id: string | null = null,
): Partial<Contact> {
  const id = user_id ?? bsuid
  if (id === null || !isFree(turn, contact, id)) return {}
  const { channel_type, merged_into } = contact
  forgetIdentities(turn.records, contact)
  const linked = merged_into ? null : customerOf(turn, { channel_type, user_id })
  return {
    user_id: id,
    bsuid,
    phone: user_id === null ? null : `+${user_id}`,
    customer_id: contact.customer_id ?? (linked === former_customer_id ? null : linked),
  }
}

/** Leaves the contact a business-scoped id alone: the first of these that is free, else its own. False when there is none. */
function leavesNumber(turn: ProjectTurn, contact: Contact, ids: readonly string[]): boolean {
  const { channel_type } = contact
  const own = contact.bsuid ? [contact.bsuid] : []
  const id = [...ids, ...own].find((one) => {
    const known = readAs(turn.records, channel_type, [contact.channel_id ?? null], [one])
    return isFree(turn, contact, one) && (known?.user_id !== one || known._id === contact._id)
  })
  if (!id) return false
  forgetIdentities(turn.records, contact)
  changeContact(turn, contact, { user_id: id, bsuid: id, phone: null })
  return true
}

/** The contact, those with its new ids, and those with the business-scoped ids of all these. */
const neighbourReads: ReadKind<ChangeNumber[], true> = {
  keys: () => [],
  found: () => true,
  async read(_found, changes, context) {
    const { project_id, company_id } = context.state
    for (const { contact_id, channel_id, becomes } of changes) {
      const named = (ids: (string | null | undefined)[]) => {
        const known = ids.filter((id) => id != null)
        const people = { company_id, channel_type: 'whatsapp' as const, user_id: known }
        const places = [channel_id, null].map((id) => ({ ...people, channel_id: id }))
        return known.length > 0 ? [{ project_id, bsuid: known }, ...places] : []
      }
      const { user_id, bsuid } = becomes
      const forms = user_id === null ? [] : formsOf('whatsapp', user_id)
      await readContacts(context, [{ project_id, _id: [contact_id] }, ...named([...forms, bsuid])])
      const { by_id } = context.records.of(contactReads)
      const own = [...by_id.values()].map((contact) => contact.bsuid)
      if (own.some(Boolean)) await readContacts(context, named(own))
    }
  },
}
