/** Moves the next page of a merge or an undo, until nothing is left. */

import { Refusal } from '../../../runtime/mod.ts'
import { ContactMerge } from '../../../storage/mod.ts'
import { toContactMergeRecord } from '../../records/mod.ts'
import { type JoinContacts, joinLater } from '../contacts/proof.ts'
import { contactNamed } from '../contacts/reads.ts'
import { separateTickets } from '../tickets/join_tickets.ts'
import { ticketReads, wantTickets } from '../tickets/reads.ts'
import { emit } from '../turn/events.ts'
import type { Receiver } from '../turn/feature.ts'
import { beginMerge, partNamed } from './merge_contacts.ts'
import { type ContinueMerge, goOn, moveRecords } from './move_records.ts'
import { mergeReads } from './reads.ts'
import { giveBack } from './undo_merge.ts'

/** From the timer. A contact that was erased meanwhile has nothing to move. */
export const continueMerge: Receiver<ContinueMerge> = {
  reads(reads, { merge_id, after }) {
    wantTickets(reads)
    reads.of(mergeReads).merges.set(merge_id, { after })
    reads.after(mergeReads, ({ merges }) => {
      const closed = merges.get(merge_id)?.changes.closed
      if (closed) reads.of(ticketReads).add(closed.ticket_id).add(closed.into)
    })
  },
  receive(turn, { merge_id, after }) {
    const { merges, moving } = turn.records.of(mergeReads)
    const merge = merges.get(merge_id)
    const former = merge && partNamed(turn, merge.from_contact_id)
    const survivor = merge && contactNamed(turn.records, merge.contact_id)
    if (!former || !survivor || (merge.status !== 'merging' && merge.status !== 'undoing')) return
    const is_undo = merge.status === 'undoing'
    const page = moving.get(merge_id) ?? []
    if (page.length > 0) {
      if (is_undo) giveBack(turn, { survivor, former }, page)
      else
        moveRecords(turn, { from: former, to: survivor }, page, ({ identity }) => (identity === null ? 'note' : 'keep'))
      return goOn(turn, merge, is_undo ? page.at(-1) : undefined)
    }
    // A record that was stored in the turn of the undo itself may lie before the place that the pages have come to.
    if (is_undo && after) return goOn(turn, merge, undefined)
    const patch = { status: is_undo ? ('undone' as const) : ('merged' as const), updated_at: turn.now }
    Object.assign(merge, patch)
    turn.update(ContactMerge, { _id: merge_id }, patch)
    if (is_undo && merge.changes.closed) separateTickets(turn, merge.changes.closed)
    turn.dropLive(turn.key)
    const type = is_undo ? 'crm.contact.unmerged' : 'crm.contact.merged'
    emit(turn, type, toContactMergeRecord(merge, former), survivor._id)
  },
}

/** Milliseconds until a join is tried again that another merge of these contacts was in the way of. */
const AGAIN_MS = 1000

/** From the timer. Merges contacts that are one person for certain, where they can be merged and nobody has separated them. */
export const joinContacts: Receiver<JoinContacts> = {
  reads(reads, { contact_id, from_contact_id }) {
    wantTickets(reads)
    const { contact_ids, pairs } = reads.of(mergeReads)
    contact_ids.add(contact_id).add(from_contact_id)
    pairs.push([contact_id, from_contact_id])
  },
  receive(turn, join) {
    const { contact_id, from_contact_id } = join
    const survivor = contactNamed(turn.records, contact_id)
    const former = contactNamed(turn.records, from_contact_id)
    const { separated } = turn.records.of(mergeReads)
    if (!survivor || !former || separated.has(`${contact_id} ${from_contact_id}`)) return
    try {
      beginMerge(turn, survivor, former, { reason: 'proof', created_by: null })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // Others stay as they are, such as two contacts of different customers.
      if (error.code === 'CONTACT_MERGE_RUNNING') joinLater(turn, join, AGAIN_MS)
    }
  },
}
