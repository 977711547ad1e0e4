/** What the CRM messages of a turn need from the database: wanted one by one, read for all of them at once. */
import {
  type ActiveTicket,
  Contact,
  CrmEvent,
  Customer,
  type Database,
  literal,
  readRows,
  readTickets,
  together,
  toRows,
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
  /** Customers, their contacts in this project, and the open tickets of these. */
  readonly customers = new Set<string>()
  /** As `customers`, without the customers themselves. */
  readonly people_of = new Set<string>()
  readonly event_keys = new Set<string>()
  /** What each of them needs depends on what is in memory. */
  readonly recorded: RecordEvent[] = []
  /** Phones (E.164) and e-mail addresses of contacts that are about to be made (`reachesOf`): whose they are. */
  readonly reaches = new Set<string>()
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
  const { tickets: ids, contacts, phones, customers, people_of, event_keys } = wants
  const owners = new Set([...customers, ...people_of])
  const [definitions, tickets, people, rows, events] = await Promise.all([
    cached && !wants.fresh ? cached : loadDefinitions(database, { project_id, company_id }),
    readTickets(database, project_id, { ids, contacts, phones, customers: owners }),
    readPeople(database, project_id, wants),
    customers.size > 0 ? readRows(database, Customer, { company_id, _id: [...customers] }) : [],
    event_keys.size > 0 ? readEvents(database, { company_id, keys: event_keys }) : [],
  ])
  for (const contact of people) keep(contact)
  const records: CrmRecords = {
    definitions,
    tickets: new Map(),
    open: new Map(),
    customers: new Map(rows.map((row) => [row._id, row])),
    events: new Map(events.map((event) => [event.idempotency_key!, event])),
    known,
  }
  for (const ticket of tickets) keepTicket(records, ticket)
  return records
}

/** Events by idempotency key. */
const readEvents = together(async (database, wants: { company_id: string; keys: Set<string> }[]) => {
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

/** Contacts of the project that are named, and those of the named tickets. */
async function readPeople(database: Database, project_id: string, wants: CrmWants): Promise<Contact[]> {
  const { tickets, contacts, phones, customers, people_of } = wants
  const mine = `select * from contact where project_id = ${literal(project_id)} and`
  const parts: string[] = []
  const want = (values: Set<string>, condition: (list: string) => string) => {
    if (values.size > 0) parts.push(`${mine} ${condition([...values].map(literal).join())}`)
  }
  want(contacts, (list) => `_id in (${list})`)
  want(phones, (list) => `phone in (${list})`)
  want(new Set([...customers, ...people_of]), (list) => `customer_id in (${list})`)
  if (tickets.size > 0) {
    const list = [...tickets].map(literal).join()
    const theirs = `select chat_user from ticket where project_id = ${literal(project_id)} and _id in (${list})`
    // The contact of a ticket may have been made in another project of the company.
    parts.push(`select c.* from contact c where _id in (${theirs})`)
  }
  if (parts.length === 0) return []
  return toRows(database, Contact, await database.execute(parts.join(' union all ')))
}
