/**
 * Contacts that turn out to be one person become one contact, and may be separated again.
 *
 *  M1 The contact that was merged stays as a row that knows its ids, with `merged_into`. Whoever looks a person up by an id
 *     of the channel, or a contact by its own id, goes on with the survivor. `merged_into` always names the last one.
 *  M2 The turn of the merge sets `merged_into` and moves the open ticket. From then on nothing new gets the former id. The
 *     older records follow in pages, each in a turn of its own; the merge is `merged` once a page is empty.
 *  M3 `merged_record` says under whose ids a record came: of each that was moved, and of each that comes later under the ids
 *     of a merged contact. An undo gives back exactly these, in pages too.
 *  M4 A contact with a merge under way is merged and separated no further until it ends.
 *  M5 What a merge changes in the survivor is noted with it, and an undo takes it back where nobody has changed it since.
 */
import type { Feature } from '../turn/feature.ts'
import { continueMerge, joinContacts } from './continue_merge.ts'
import { mergeContacts } from './merge_contacts.ts'
import { undoMerge } from './undo_merge.ts'

export const contactMerges = {
  commands: { merge_contacts: mergeContacts, undo_contact_merge: undoMerge },
  receivers: { continue_contact_merge: continueMerge, join_contacts: joinContacts },
} satisfies Feature
