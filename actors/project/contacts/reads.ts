import {
  type ActiveTicket,
  type Contact,
  type ContactWithTicket,
  readPeople,
  type Where,
} from '../../../storage/mod.ts'
import type { ReadContext, ReadKind, Records } from '../turn/records.ts'
import { contactKey } from './identity.ts'

/** The wanted contacts, each with its open ticket. */
type Keys = {
  /** Ids within the channel, by channel type. */
  users: Map<string, Set<string>>
  bsuids: Set<string>
  ids: Set<string>
  /** E.164. */
  phones: Set<string>
  customer_ids: Set<string>
}

type Found = {
  /** Keyed by `contactKey`. */
  by_identity: Map<string, Contact>
  /** As the rows are: `contactNamed` follows merges. */
  by_id: Map<string, Contact>
  /** Identities (`contactKey`) that other projects of the company use: neither this project's nor free. */
  taken: Set<string>
  /** Open tickets by contact, as before the turn. `openTicketOf` has the current ones. */
  open_tickets: Map<string, ActiveTicket>
}

/** Contacts of the project, by any of their ids. */
export const contactReads: ReadKind<Keys, Found> = {
  keys: () => ({
    users: new Map(),
    bsuids: new Set(),
    ids: new Set(),
    phones: new Set(),
    customer_ids: new Set(),
  }),
  found: () => ({ by_identity: new Map(), by_id: new Map(), taken: new Set(), open_tickets: new Map() }),
  read(_found, keys, context) {
    return Promise.all(wheresOf(keys, context.state).map((where) => readContacts(context, where)))
  },
}

/**
 * Adds contacts to the records of a turn, each with its open ticket, and with the contact that it was merged into or
 * under whose ids it is answered: for other kinds, whose rows name contacts.
 */
export async function readContacts(
  { database, state, records }: Pick<ReadContext, 'database' | 'state' | 'records'>,
  where: Where<Contact>[],
): Promise<void> {
  const { project_id } = state
  const found = records.of(contactReads)
  for (const one of await readPeople(database, project_id, ...where)) keepPerson(records, found, one, project_id)
  const others = [...found.by_id.values()].flatMap(({ merged_into, send_to }) => [
    ...(merged_into ? [merged_into] : []),
    ...(send_to ? [send_to.contact_id] : []),
  ])
  const unread = [...new Set(others)].filter((_id) => !found.by_id.has(_id))
  if (unread.length === 0) return
  await readContacts({ database, state, records }, [{ project_id, _id: unread }])
}

/** One condition for each way to name contacts; `readPeople` combines them in one query. */
function wheresOf(
  { users, bsuids, ids, phones, customer_ids }: Keys,
  { project_id, company_id, channels }: { project_id: string; company_id: string; channels: Map<string, unknown> },
): Where<Contact>[][] {
  const wheres: Where<Contact>[][] = []
  for (const [channel_type, user_ids] of users) {
    const people = { company_id, channel_type, user_id: [...user_ids] }
    wheres.push([null, ...channels.keys()].map((channel_id) => ({ ...people, channel_id })))
  }
  const named: Where<Contact>[] = []
  if (ids.size > 0) named.push({ project_id, _id: [...ids] })
  if (phones.size > 0) named.push({ project_id, phone: [...phones] })
  if (customer_ids.size > 0) named.push({ project_id, customer_id: [...customer_ids] })
  if (named.length > 0) wheres.push(named)
  if (bsuids.size > 0) {
    const bsuid = [...bsuids]
    const known = { company_id, channel_type: 'whatsapp', user_id: bsuid }
    wheres.push([{ project_id, bsuid }, ...[null, ...channels.keys()].map((channel_id) => ({ ...known, channel_id }))])
  }
  return wheres
}

function keepPerson(
  records: Records,
  { taken, open_tickets }: Found,
  { contact, open_ticket }: ContactWithTicket,
  project_id: string,
): void {
  if (contact.project_id !== project_id) {
    taken.add(contactKey(contact.channel_type, contact.channel_id, contact.user_id))
    return
  }
  keepContact(records, contact)
  if (open_ticket) open_tickets.set(contact._id, open_ticket)
}

/** The contact that the turn has read under the first of these ids, of the first of these channels. Null: of the type as a whole. */
export function readAs(
  records: Records,
  channel_type: string,
  channel_ids: readonly (string | null)[],
  ids: readonly string[],
): Contact | undefined {
  const { by_identity } = records.of(contactReads)
  for (const id of ids) {
    for (const channel_id of channel_ids) {
      const found = by_identity.get(contactKey(channel_type, channel_id, id))
      if (found) return found
    }
  }
  return undefined
}

/** The contact with this id, or the one that it was merged into. */
export function contactNamed(records: Records, id: string | null | undefined): Contact | undefined {
  const found = id == null ? undefined : records.of(contactReads).by_id.get(id)
  return found && survivorOf(records, found)
}

/** The contact itself, or the one that it was merged into. */
export function survivorOf(records: Records, contact: Contact): Contact {
  return records.of(contactReads).by_id.get(contact.merged_into ?? contact._id) ?? contact
}

/**
 * Registers the contact in the turn under its identities and its id. Two contacts that are proven to be one person may both
 * have a business-scoped id: it is that of the one that has no other.
 */
export function keepContact(records: Records, row: Contact): void {
  const { by_identity, by_id } = records.of(contactReads)
  by_identity.set(contactKey(row.channel_type, row.channel_id, row.user_id), row)
  if (row.bsuid) {
    const key = contactKey(row.channel_type, row.channel_id, row.bsuid)
    if (by_identity.get(key)?.user_id !== row.bsuid || row.user_id === row.bsuid) by_identity.set(key, row)
  }
  by_id.set(row._id, row)
}

/** The contact is about to get other ids. */
export function forgetIdentities(records: Records, { channel_type, channel_id, user_id, bsuid, _id }: Contact): void {
  const { by_identity } = records.of(contactReads)
  for (const id of [user_id, bsuid]) {
    const key = id && contactKey(channel_type, channel_id, id)
    if (key && by_identity.get(key)?._id === _id) by_identity.delete(key)
  }
}

/** Removes an erased contact from the turn. */
export function forgetContact(records: Records, contact: Contact): void {
  const { by_id, open_tickets } = records.of(contactReads)
  const { _id } = contact
  forgetIdentities(records, contact)
  by_id.delete(_id)
  open_tickets.delete(_id)
}
