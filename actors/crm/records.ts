/** What the CRM messages of a turn need from the database: wanted one by one, read for all of them at once. */
import {
  type ActiveTicket,
  batched,
  type Contact,
  type ContactWithTicket,
  CrmEvent,
  Customer,
  type Database,
  readContactsOf,
  readPeople,
  readRows,
  readTickets,
  type Where,
} from '../../storage/mod.ts'
import type { Definitions } from './definitions.ts'
import { loadDefinitions } from './definitions.ts'
import type { RecordEvent } from './ingest.ts'
import type { OpenTickets } from './open_tickets.ts'
import { wantEvent } from './want_event.ts'

export type CrmRecords = {
  definitions: Definitions
  /** By id. */
  tickets: Map<string, ActiveTicket>
  /** The open one of a contact, by the contact's id. */
  open: Map<string, ActiveTicket>
  customers: Map<string, Customer>
  /** By idempotency key. */
  events: Map<string, CrmEvent>
  /** Beyond those of this turn. */
  known: OpenTickets
}

/** Sets, because messages of a turn often want the same. */
export class CrmWants {
  /** Anything of the CRM: the definitions are needed then. */
  any = false
  /** Those in memory are not to be trusted any more. */
  fresh = false
  readonly tickets = new Set<string>()
  /** Contacts by id, each with its open ticket. */
  readonly contacts = new Set<string>()
  /** Contacts by phone (E.164), each with its open ticket. */
  readonly phones = new Set<string>()
  /** Customers themselves. */
  readonly customers = new Set<string>()
  /** Contacts by their customer, each with its open ticket. */
  readonly people_of = new Set<string>()
  readonly event_keys = new Set<string>()
  /** What each of them needs depends on what is in memory. */
  readonly recorded: RecordEvent[] = []
  /** Phones (E.164) and e-mail addresses of contacts that are about to be made (`contactPointsOf`): whose they are. */
  readonly contact_points = new Set<string>()
}

type Owner = { project_id: string; company_id: string }

/** Reads what is wanted. `keep` takes each contact. */
export async function readCrm(
  database: Database,
  wants: CrmWants,
  { project_id, company_id }: Owner,
  { crm: cached, open_tickets: known }: { crm: Definitions | undefined; open_tickets: OpenTickets },
  keep: (contact: Contact) => void,
): Promise<CrmRecords> {
  for (const event of wants.recorded) wantEvent(wants, event, wants.fresh ? undefined : cached, known)
  const { tickets: ids, customers, event_keys } = wants
  const [definitions, tickets, theirs, people, rows, events] = await Promise.all([
    cached && !wants.fresh ? cached : loadDefinitions(database, { project_id, company_id }),
    ids.size > 0 ? readTickets(database, project_id, ids) : [],
    ids.size > 0 ? readContactsOf(database, project_id, ids) : [],
    readNamed(database, { project_id, company_id }, wants),
    customers.size > 0 ? readRows(database, Customer, { company_id, _id: [...customers] }) : [],
    event_keys.size > 0 ? readEvents(database, { company_id, keys: event_keys }) : [],
  ])
  for (const contact of theirs) keep(contact)
  for (const { contact } of people) keep(contact)
  const records: CrmRecords = {
    definitions,
    tickets: new Map(),
    open: new Map(),
    customers: new Map(rows.map((row) => [row._id, row])),
    events: new Map(events.map((event) => [event.idempotency_key!, event])),
    known,
  }
  for (const ticket of tickets) keepTicket(records, ticket)
  for (const { open_ticket } of people) if (open_ticket) keepTicket(records, open_ticket)
  return records
}

/** Events by idempotency key. */
const readEvents = batched(async (database, wants: { company_id: string; keys: Set<string> }[]) => {
  const where = wants.map(({ company_id, keys }) => ({ company_id, idempotency_key: [...keys] }))
  const rows = Map.groupBy(await readRows(database, CrmEvent, ...where), ({ company_id }) => company_id)
  return wants.map(
    ({ company_id, keys }) => rows.get(company_id)?.filter((row) => keys.has(row.idempotency_key!)) ?? [],
  )
})

/** Once per ticket: whoever finds it twice has the same one. */
export function keepTicket(records: CrmRecords, row: ActiveTicket): void {
  const ticket = records.tickets.get(row._id) ?? row
  records.tickets.set(ticket._id, ticket)
  if (!ticket.is_closed) {
    records.open.set(ticket.chat_user, ticket)
    records.known.keep(ticket)
  } else {
    if (records.open.get(ticket.chat_user) === ticket) records.open.delete(ticket.chat_user)
    records.known.drop(ticket)
  }
}

/** Contacts of the project that are named, each with its open ticket. */
function readNamed(
  database: Database,
  { project_id }: Owner,
  wants: CrmWants,
): Promise<ContactWithTicket[]> | ContactWithTicket[] {
  const { contacts, phones, people_of } = wants
  const where: Where<Contact>[] = []
  if (contacts.size > 0) where.push({ project_id, _id: [...contacts] })
  if (phones.size > 0) where.push({ project_id, phone: [...phones] })
  if (people_of.size > 0) where.push({ project_id, customer_id: [...people_of] })
  return where.length > 0 ? readPeople(database, project_id, ...where) : []
}
