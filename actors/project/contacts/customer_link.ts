/**
 * A contact is one way to reach a person; a customer is the person. A contact that is made, or whose phone becomes known,
 * belongs to the customer of the company with that phone or, on e-mail, with that address. Later changes of a customer move
 * no contact: who belongs to whom is then said by hand.
 */
import { customersAt } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { contactKey } from './identity.ts'
import { contactReads } from './reads.ts'

type Reached = { channel_type: string; user_id: string | null; phone?: string | null | undefined }

/** Phones and addresses by which the customer of a contact is found: to be wanted before the turn, the best one first. */
export function contactPointsOf({ channel_type, user_id, phone }: Reached): string[] {
  const contact_points = phone ? [phone] : []
  if (user_id && channel_type === 'whatsapp') contact_points.push(`+${user_id}`)
  if (user_id?.includes('@') && channel_type === 'email') contact_points.push(user_id.toLowerCase())
  return contact_points
}

/** The customer whom the contact belongs to, as far as `contactPointsOf` it were wanted. */
export function customerOf(turn: ProjectTurn, contact: Reached): string | null {
  const { customers_at } = turn.records.of(customerLinkReads)
  for (const contact_point of contactPointsOf(contact)) {
    const found = customers_at.get(contact_point)
    if (found) return found
  }
  return null
}

type Wanted = {
  /** Phones (E.164) and e-mail addresses of contacts that are about to be made (`contactPointsOf`): whose they are. */
  contact_points: Set<string>
  /** People who may become contacts, and of which channel. */
  newcomers: { channel_type: string; channel_id: string; user_id: string }[]
}

/** Ids of customers by phone and by e-mail address. */
export const customerLinkReads: ReadKind<Wanted, { customers_at: Map<string, string> }> = {
  wanted: () => ({ contact_points: new Set(), newcomers: [] }),
  found: () => ({ customers_at: new Map() }),
  read: () => undefined,
  /** Only those who are no contact of their channel yet need a customer. */
  finish(found, { contact_points, newcomers }, { database, state, records }) {
    const { by_identity } = records.of(contactReads)
    for (const { channel_type, channel_id, user_id } of newcomers) {
      const known = [channel_id, null].some((id) => by_identity.has(contactKey(channel_type, id, user_id)))
      if (!known)
        for (const contact_point of contactPointsOf({ channel_type, user_id })) contact_points.add(contact_point)
    }
    if (contact_points.size === 0) return undefined
    return customersAt(database, state.company_id, contact_points).then((customers_at) => {
      found.customers_at = customers_at
    })
  },
}
