/** The merge of two contacts as the API shows it. */
import * as v from 'valibot'
import type { Contact, ContactMerge } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'
import { exampleIds as ids } from '../example_ids.ts'
import { contactColumns } from './contact.ts'

const { name, channel_type, channel_id, user_id, phone, bsuid } = contactColumns.entries

/** Columns of the contact that was merged. */
const fromContact = v.object({ name, channel_type, channel_id, user_id, phone, bsuid })

/** Columns that the record shows as they are stored. */
const mergeColumns = v.object({
  _id: recordId,
  contact_id: v.pipe(recordId, v.description('The contact that stayed')),
  from_contact_id: v.pipe(recordId, v.description('The contact that became part of it; its id finds the other one')),
  status: v.pipe(
    v.picklist(['merging', 'merged', 'undoing', 'undone']),
    v.description('`merging` and `undoing`: the rest of the records is being moved'),
  ),
  reason: v.pipe(
    v.picklist(['request', 'proof']),
    v.description('`proof`: a call of the provider had the ids of both contacts'),
  ),
  created_by: v.pipe(v.nullable(recordId), v.description('The user; null for a proof')),
  created_at: timestamp,
  undo_until: timestamp,
  undone_at: v.nullable(timestamp),
})

export const contactMergeRecord = named(
  'ContactMerge',
  v.object({
    ...mergeColumns.entries,
    from_contact: v.pipe(fromContact, v.description('The contact that became part of the other one, by its own ids')),
  }),
)

type ContactMergeRecord = InMemory<v.InferOutput<typeof contactMergeRecord>>

/** `former`: the contact that was merged. */
export function toContactMergeRecord(merge: ContactMerge, former: Contact): ContactMergeRecord {
  return { ...valuesOf(mergeColumns, merge), from_contact: valuesOf(fromContact, former) }
}

/** The body of a merge. */
export const newContactMerge = named('NewContactMerge', v.strictObject({ from_contact_id: recordId }))

export const contactMergeExample: v.InferOutput<typeof contactMergeRecord> = {
  _id: ids.merge,
  contact_id: ids.contact,
  from_contact_id: ids.merged_contact,
  status: 'merged',
  reason: 'request',
  created_by: ids.user,
  created_at: '2026-09-21T14:13:20.000Z',
  undo_until: '2026-10-21T14:13:20.000Z',
  undone_at: null,
  from_contact: {
    name: 'Ana',
    channel_type: 'whatsapp',
    channel_id: ids.channel,
    user_id: 'US.13491208655302741918',
    phone: null,
    bsuid: 'US.13491208655302741918',
  },
}
