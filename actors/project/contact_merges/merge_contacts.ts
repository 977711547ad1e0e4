/** `POST /v1/contacts/{id}/merge`. Both contacts may be named by the id of one that was merged into them. */
import {
  blank,
  type Consent,
  type Contact,
  ContactMerge,
  type ContactMergeReason,
  type MergeChanges,
  MergedRecord,
  objectId,
} from '../../../storage/mod.ts'
import { MAX_CUSTOM_FIELDS, toContactMergeRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { changeContact, pointAt } from '../contacts/contact.ts'
import { ownAddressOf } from '../contacts/identity.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { assistantHearsJoin } from '../conversations/heard.ts'
import { conversationReads } from '../conversations/reads.ts'
import { joinedThreads } from '../threads/holder.ts'
import { joinTickets } from '../tickets/join_tickets.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import type { Command } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { auditedMerge } from './audited.ts'
import { goOn, moveRecords } from './move_records.ts'
import { membersOf, mergeReads } from './reads.ts'

export type MergeContacts = { type: 'merge_contacts'; id: string; from_contact_id: string }

/** Days for which a merge can be undone. */
const UNDO_DAYS = 30
/** Contacts that are one person. */
const MAX_MERGED_CONTACTS = 20

const DAY_MS = 86_400_000

/**
 * Begins the merge and returns it.
 * @throws {Refusal} NOT_FOUND, NO_CONTACT, and those of `beginMerge`
 */
export const mergeContacts = {
  audit: auditedMerge,
  reads(reads, { id, from_contact_id }) {
    wantTickets(reads)
    reads.of(conversationReads)
    reads.of(mergeReads).contact_ids.add(id).add(from_contact_id)
  },
  run(turn, { id, from_contact_id }, { user_id }) {
    const survivor = contactNamed(turn.records, id)
    if (!survivor) throw refuse('NOT_FOUND')
    const former = contactNamed(turn.records, from_contact_id)
    if (!former) throw refuse('NO_CONTACT', { from_contact_id })
    const merge = beginMerge(turn, survivor, former, { reason: 'request', created_by: user_id || null })
    return { body: toContactMergeRecord(merge, former) }
  },
} satisfies Command<MergeContacts>

/**
 * Makes `former` a part of `survivor`, and begins to move its records.
 * @throws {Refusal} CONTACTS_ALREADY_MERGED, RECORD_ERASED, CONTACT_MERGE_RUNNING, CONTACTS_OF_DIFFERENT_CHANNELS,
 * CONTACTS_OF_DIFFERENT_CUSTOMERS, CONTACT_MERGE_TOO_LARGE
 */
export function beginMerge(
  turn: ProjectTurn,
  survivor: Contact,
  former: Contact,
  by: { reason: ContactMergeReason; created_by: string | null },
): ContactMerge {
  const { records, now, state } = turn
  const { moving, last, changed, merges } = records.of(mergeReads)
  const custom_fields = mustBeMergeable(turn, survivor, former)
  const parts = membersOf(records, former)
  const opened = ticketsOf(turn).open.get(former._id)
  const { company_id, project_id } = state
  const merge = blank(ContactMerge, {
    _id: objectId(),
    company_id,
    project_id,
    contact_id: survivor._id,
    from_contact_id: former._id,
    status: 'merging',
    ...by,
    changes: {
      ...fill(turn, survivor, former, custom_fields),
      customer_id: former.customer_id ?? null,
      closed: joinTickets(turn, former, survivor),
    },
    created_at: now,
    undo_until: new Date(now.getTime() + UNDO_DAYS * DAY_MS),
    updated_at: now,
  })
  assistantHearsJoin(turn, survivor, merge.changes.closed?.ticket_id ?? null)
  turn.insert(ContactMerge, merge)
  merges.set(merge._id, merge)
  for (const part of parts) pointAt(turn, part, survivor._id)
  const [mine, theirs] = [last.get(survivor._id), last.get(former._id)]
  if (theirs && !(mine && mine.created_at >= theirs.created_at)) {
    const send_to = former.send_to ?? { contact_id: former._id, to: ownAddressOf(former), windows: former.windows }
    changeContact(turn, survivor, { send_to })
  }
  const page = moving.get(former._id) ?? []
  // One that was opened in this turn was not read.
  if (opened?.chat_user === survivor._id && !page.some(({ record_id }) => record_id === opened._id)) {
    turn.upsert(MergedRecord, { kind: 'ticket', record_id: opened._id, project_id, contact_id: former._id })
  }
  moveRecords(turn, { from: former, to: survivor }, page, ({ identity }) => (identity === null ? 'note' : 'keep'))
  goOn(turn, merge, undefined)
  for (const { _id } of [survivor, ...parts]) changed.add(_id)
  turn.dropLive(turn.key)
  return merge
}

/** The custom fields of both. */
function mustBeMergeable(turn: ProjectTurn, survivor: Contact, former: Contact): Contact['custom_fields'] {
  if (survivor === former) throw refuse('CONTACTS_ALREADY_MERGED', { contact_id: survivor._id })
  mustBeAtRest(turn, survivor, former)
  if (!isSameKind(survivor, former)) throw refuse('CONTACTS_OF_DIFFERENT_CHANNELS')
  const customers = [survivor.customer_id, former.customer_id]
  if (customers[0] && customers[1] && customers[0] !== customers[1]) {
    throw refuse('CONTACTS_OF_DIFFERENT_CUSTOMERS', { customer_ids: customers })
  }
  const count = membersOf(turn.records, survivor).length + membersOf(turn.records, former).length
  if (count > MAX_MERGED_CONTACTS) throw refuse('CONTACT_MERGE_TOO_LARGE', { most: MAX_MERGED_CONTACTS })
  const custom_fields = { ...former.custom_fields, ...survivor.custom_fields }
  if (JSON.stringify(custom_fields).length > MAX_CUSTOM_FIELDS) {
    const message = `The custom fields of both contacts have more than ${MAX_CUSTOM_FIELDS} characters as JSON; shorten them first.`
    throw refuse('CONTACT_MERGE_TOO_LARGE', undefined, message)
  }
  return custom_fields
}

/** @throws {Refusal} RECORD_ERASED, and CONTACT_MERGE_RUNNING while records of one of these contacts are moved */
export function mustBeAtRest(turn: ProjectTurn, ...contacts: readonly Contact[]): void {
  const { merges, changed, erased } = turn.records.of(mergeReads)
  const ids = new Set(contacts.flatMap((one) => membersOf(turn.records, one).map(({ _id }) => _id)))
  // The erasure has noted whose records it erases.
  if ([...ids].some((id) => erased.has(id))) throw refuse('RECORD_ERASED')
  const running = [...merges.values()].find(
    ({ status, contact_id, from_contact_id }) =>
      (status === 'merging' || status === 'undoing') && (ids.has(contact_id) || ids.has(from_contact_id)),
  )
  if (running || contacts.some(({ _id }) => changed.has(_id))) {
    throw refuse('CONTACT_MERGE_RUNNING', running && { merge_id: running._id })
  }
}

/** Channel types whose ids mean the same person on every channel. */
const UNIVERSAL: readonly string[] = ['whatsapp', 'email', 'phone']

/** Contacts of different channel types are one customer, not one contact: a contact is reached by one channel type. */
function isSameKind(one: Contact, other: Contact): boolean {
  if (one.channel_type !== other.channel_type) return false
  return (
    UNIVERSAL.includes(one.channel_type) || one.channel_id === other.channel_id || !one.channel_id || !other.channel_id
  )
}

/** Gives the survivor what it lacks. Of two wishes about marketing the stricter one stays. */
function fill(
  turn: ProjectTurn,
  survivor: Contact,
  former: Contact,
  custom_fields: Contact['custom_fields'],
): Pick<MergeChanges, 'filled' | 'custom_fields' | 'consent'> {
  const filled: MergeChanges['filled'] = {}
  for (const column of ['name', 'phone', 'email', 'avatar', 'customer_id'] as const) {
    const value = former[column]
    if (!survivor[column] && value) filled[column] = value
  }
  const added = Object.entries(custom_fields).filter(([field]) => !Object.hasOwn(survivor.custom_fields, field))
  const before = survivor.consent ?? null
  const after = stricter(before, former.consent ?? null)
  const threads = joinedThreads(survivor, former)
  changeContact(turn, survivor, { ...filled, custom_fields, consent: after, threads })
  return { filled, custom_fields: Object.fromEntries(added), consent: { before, after } }
}

const STRICTNESS = ['unknown', 'granted', 'stopped']

/** The stricter of two wishes about marketing; the first where they are equal. */
export function stricter(one: Consent | null, other: Consent | null): Consent | null {
  const rank = (consent: Consent | null) => STRICTNESS.indexOf(consent?.marketing ?? 'unknown')
  return rank(other) > rank(one) ? other : one
}

/** The contact with this id, as its row is. */
export function partNamed(turn: ProjectTurn, id: string): Contact | undefined {
  return turn.records.of(contactReads).by_id.get(id)
}
