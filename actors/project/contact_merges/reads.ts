import {
  type Contact,
  type ContactMerge,
  findMerge,
  listErasedIds,
  listToMerge,
  listToSeparate,
  type Message,
  type MovedUpTo,
  type MovingRecord,
  readLastReceived,
  readMergesOf,
  wereSeparated,
} from '../../../storage/mod.ts'
import { contactNamed, contactReads, readContacts } from '../contacts/reads.ts'
import type { ReadKind, Records } from '../turn/records.ts'

/** Records that a turn moves. */
const PAGE = 500

type Keys = {
  /** Contacts that a request names. */
  contact_ids: Set<string>
  /** Merges that a request or an earlier turn names, each with where its records are to be read from. */
  merges: Map<string, { after: MovedUpTo | null }>
  /** Contacts of which is asked whether they were separated. */
  pairs: [string, string][]
}

type Found = {
  /** All merges of the contacts' groups that were not undone, and the named ones. */
  merges: Map<string, ContactMerge>
  /** Records to move, by merge. For a merge that is to begin, by the contact that becomes part of another. */
  moving: Map<string, MovingRecord[]>
  /** The last message of each contact. */
  last: Map<string, Message>
  /** Contacts that this turn has merged or separated: what was read of them holds no more. */
  changed: Set<string>
  /** The pairs between whom a merge was undone, as two ids with a space. */
  separated: Set<string>
  /** Contacts that are being erased. */
  erased: Set<string>
}

/** Merges, with all contacts that they are about, and a page of the records that they move. */
export const mergeReads: ReadKind<Keys, Found> = {
  keys: () => ({ contact_ids: new Set(), merges: new Map(), pairs: [] }),
  found: () => ({
    merges: new Map(),
    moving: new Map(),
    last: new Map(),
    changed: new Set(),
    separated: new Set(),
    erased: new Set(),
  }),
  async read(found, { contact_ids, merges, pairs }, context) {
    const { database, state, records } = context
    const { project_id } = state
    const ids = new Set(contact_ids)
    for (const id of merges.keys()) {
      const merge = await findMerge(database, project_id, id)
      if (!merge) continue
      found.merges.set(id, merge)
      ids.add(merge.contact_id).add(merge.from_contact_id)
    }
    if (ids.size === 0) return
    await readContacts(context, [{ project_id, _id: [...ids] }])
    const survivors = [...new Set([...ids].flatMap((id) => contactNamed(records, id)?._id ?? []))]
    if (survivors.length === 0) return
    for (const id of await listErasedIds(database, [...ids, ...survivors])) found.erased.add(id)
    await readContacts(context, [{ project_id, merged_into: survivors }])
    for (const merge of await readMergesOf(database, project_id, survivors)) {
      if (!found.merges.has(merge._id)) found.merges.set(merge._id, merge)
    }
    for (const row of await readLastReceived(database, project_id, survivors)) found.last.set(row.chat_user!, row)
    for (const id of contact_ids) {
      const survivor = contactNamed(records, id)
      if (survivor) found.moving.set(survivor._id, await listToMerge(database, survivor._id, PAGE))
    }
    for (const [one, other] of pairs) {
      if (await wereSeparated(database, project_id, one, other)) found.separated.add(`${one} ${other}`)
    }
    for (const [id, { after }] of merges) {
      const merge = found.merges.get(id)
      const survivor = merge && contactNamed(records, merge.contact_id)
      if (!survivor) continue
      if (merge.status === 'merging') found.moving.set(id, await listToMerge(database, merge.from_contact_id, PAGE))
      else {
        const identities = identitiesOf(found.merges.values(), merge.from_contact_id)
        found.moving.set(id, await listToSeparate(database, survivor._id, identities, after, PAGE))
      }
    }
  },
}

/** The contact and those that were merged into it before it was merged itself. */
export function identitiesOf(merges: Iterable<ContactMerge>, contact_id: string): string[] {
  const ids = [contact_id]
  const stand = [...merges].filter(({ status }) => status === 'merged' || status === 'merging')
  // The list grows while it is walked: what was merged into a part is a part.
  for (const id of ids) {
    for (const { contact_id: into, from_contact_id } of stand) {
      if (into === id && !ids.includes(from_contact_id)) ids.push(from_contact_id)
    }
  }
  return ids
}

/** All contacts of the turn that are one person with this one, which is never merged itself. */
export function membersOf(records: Records, survivor: Contact): Contact[] {
  return [...records.of(contactReads).by_id.values()].filter(
    ({ _id, merged_into }) => _id === survivor._id || merged_into === survivor._id,
  )
}
