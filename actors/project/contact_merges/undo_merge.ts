/** `POST /v1/contacts/{id}/merges/{merge_id}/undo`. */
import { isDeepStrictEqual } from 'node:util'
import { type Consent, type Contact, ContactMerge } from '../../../storage/mod.ts'
import { toContactMergeRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { changeContact, pointAt } from '../contacts/contact.ts'
import { customerReads } from '../contacts/customers.ts'
import { contactNamed } from '../contacts/reads.ts'
import { separateThreads } from '../threads/holder.ts'
import { wantTickets } from '../tickets/reads.ts'
import type { Command } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { auditedMerge } from './audited.ts'
import { mustBeAtRest, partNamed } from './merge_contacts.ts'
import { goOn, moveRecords } from './move_records.ts'
import { identitiesOf, mergeReads } from './reads.ts'
import { takeBack } from './take_back.ts'

export type UndoMerge = { type: 'undo_contact_merge'; id: string; merge_id: string }

/**
 * Makes the contact that was merged a contact of its own again, and begins to give its records back. A repeat changes
 * nothing.
 *
 * @throws {Refusal} NOT_FOUND, RECORD_ERASED, CONTACT_MERGE_RUNNING, CONTACT_MERGE_FINAL
 */
export const undoMerge = {
  audit: auditedMerge,
  reads(reads, { merge_id }) {
    wantTickets(reads)
    reads.of(mergeReads).merges.set(merge_id, { after: null })
    reads.after(mergeReads, ({ merges }) => {
      const customer_id = merges.get(merge_id)?.changes.customer_id
      if (customer_id) reads.of(customerReads).add(customer_id)
    })
  },
  run(turn, { id, merge_id }) {
    const { records, now } = turn
    const { merges, moving, changed } = records.of(mergeReads)
    const merge = merges.get(merge_id)
    const former = merge && partNamed(turn, merge.from_contact_id)
    const survivor = merge && contactNamed(records, merge.contact_id)
    if (!former || !survivor) throw refuse('NOT_FOUND')
    if (![merge.contact_id, merge.from_contact_id, survivor._id].includes(id)) throw refuse('NOT_FOUND')
    if (merge.status === 'undone' || merge.status === 'undoing') return { body: toContactMergeRecord(merge, former) }
    mustBeAtRest(turn, survivor)
    if (merge.undo_until <= now) throw refuse('CONTACT_MERGE_FINAL', { undo_until: merge.undo_until.toISOString() })
    const parts = identitiesOf(merges.values(), former._id)
    Object.assign(merge, { status: 'undoing', undone_at: now, updated_at: now })
    turn.update(ContactMerge, { _id: merge_id }, { status: 'undoing', undone_at: now, updated_at: now })
    separate(turn, merge, { survivor, former, parts })
    const page = moving.get(merge_id) ?? []
    giveBack(turn, { survivor, former }, page)
    goOn(turn, merge, page.at(-1))
    for (const part of [survivor._id, ...parts]) changed.add(part)
    turn.dropLive(turn.key)
    return { body: toContactMergeRecord(merge, former) }
  },
} satisfies Command<UndoMerge>

/** Gives these records back. Those of contacts that stay merged into `former` keep the note of their identity. */
export function giveBack(
  turn: ProjectTurn,
  { survivor, former }: { survivor: Contact; former: Contact },
  page: Parameters<typeof moveRecords>[2],
): void {
  moveRecords(turn, { from: survivor, to: former }, page, ({ identity }) =>
    identity === former._id ? 'forget' : 'keep',
  )
}

function separate(
  turn: ProjectTurn,
  merge: ContactMerge,
  { survivor, former, parts }: { survivor: Contact; former: Contact; parts: string[] },
): void {
  const { customer_id } = merge.changes
  const { send_to } = survivor
  const is_theirs = send_to != null && parts.includes(send_to.contact_id)
  const has_customer = customer_id !== null && turn.records.of(customerReads).has(customer_id)
  for (const id of parts) {
    const part = partNamed(turn, id)
    if (part && part !== former) pointAt(turn, part, former._id)
  }
  // A wish that the person has uttered meanwhile counts for both: nobody gets what he refused.
  const said = survivor.consent ?? null
  const is_new = said?.marketing === 'stopped' && !isKnown(turn, survivor, said)
  const { theirs, kept } = separateThreads(survivor, former, parts)
  pointAt(turn, former, null, {
    ...(theirs && { threads: { ...former.threads, ...theirs } }),
    ...(has_customer && { customer_id }),
    ...(is_theirs && { send_to: send_to.contact_id === former._id ? null : send_to }),
    ...(is_new && { consent: said }),
  })
  takeBack(turn, merge)
  changeContact(turn, survivor, { ...(is_theirs && { send_to: null }), ...(theirs && { threads: kept }) })
}

/** True for a consent that the last merge left behind. */
function isKnown(turn: ProjectTurn, survivor: Contact, consent: Consent): boolean {
  const merges = [...turn.records.of(mergeReads).merges.values()]
  const last = merges
    .filter(({ contact_id }) => contact_id === survivor._id)
    .toSorted((one, other) => (one._id < other._id ? -1 : 1))
  return isDeepStrictEqual(last.at(-1)?.changes.consent.after, consent)
}
