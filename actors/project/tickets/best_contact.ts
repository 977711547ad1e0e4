import { type Contact, phoneForms } from '../../../storage/mod.ts'
import { contactReads, survivorOf } from '../contacts/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { type TicketRecords, ticketsOf } from './reads.ts'

/**
 * The best of a person's contacts that the turn has read: one with an open ticket, else the one seen last. Undefined
 * when there is none.
 */
export function bestContact(turn: ProjectTurn, of: { customer_id: string } | { phone: string }): Contact | undefined {
  const { open } = ticketsOf(turn)
  let best: Contact | undefined
  const phones = 'phone' in of ? phoneForms(of.phone) : []
  for (const found of turn.records.of(contactReads).by_id.values()) {
    const isNamed = 'phone' in of ? phones.includes(found.phone ?? '') : found.customer_id === of.customer_id
    if (!isNamed) continue
    const contact = survivorOf(turn.records, found)
    if (best === undefined || isBetter(contact, best, open)) best = contact
  }
  return best
}

function isBetter(contact: Contact, best: Contact, open: TicketRecords['open']): boolean {
  const works = open.has(contact._id)
  if (works !== open.has(best._id)) return works
  const later = contact.last_seen_at.getTime() - best.last_seen_at.getTime()
  return later === 0 ? contact._id > best._id : later > 0
}
