/**
 * Links contacts to customers. A contact is one way to reach a person; a customer is the person. A new contact, and a
 * contact whose phone becomes known, is linked to the customer of the company with that phone or, on e-mail, with that
 * address. Later changes of a customer move no contact: from then on links are set by hand.
 */
import { customersAt, phoneForms } from '../../../storage/mod.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { formsOf } from './identity.ts'
import { readAs } from './reads.ts'

type Reached = { channel_type: string; user_id: string | null; phone?: string | null | undefined }

/**
 * Phones and addresses that identify the customer of a contact, the best one first. Add them to the reads before the
 * turn.
 */
export function contactPointsOf({ channel_type, user_id, phone }: Reached): string[] {
  const phones = phone ? [phone] : []
  if (user_id && channel_type === 'whatsapp') phones.push(`+${user_id}`)
  const contact_points = phones.flatMap(phoneForms)
  if (user_id?.includes('@') && channel_type === 'email') contact_points.push(user_id.toLowerCase())
  return contact_points
}

/** The customer of the contact, if the turn has read its `contactPointsOf`. */
export function customerOf(turn: ProjectTurn, contact: Reached): string | null {
  const { customers_at } = turn.records.of(customerLinkReads)
  for (const contact_point of contactPointsOf(contact)) {
    const found = customers_at.get(contact_point)
    if (found) return found
  }
  return null
}

type Keys = {
  /** Phones (E.164) and e-mail addresses of new contacts (`contactPointsOf`). */
  contact_points: Set<string>
  /** People who may become contacts, each with the channel, and with the phone that the contact may get. */
  newcomers: { channel_type: string; channel_id: string; user_id: string; phone?: string | null | undefined }[]
}

/** Ids of customers by phone and by e-mail address. */
export const customerLinkReads: ReadKind<Keys, { customers_at: Map<string, string> }> = {
  keys: () => ({ contact_points: new Set(), newcomers: [] }),
  found: () => ({ customers_at: new Map() }),
  read: () => undefined,
  /** Reads customers only for people who are not yet contacts of their channel, or whose contact gets a phone. */
  finish(found, { contact_points, newcomers }, { database, state, records }) {
    for (const { channel_type, channel_id, user_id, phone } of newcomers) {
      const known = readAs(records, channel_type, [channel_id, null], formsOf(channel_type, user_id))
      if (known && (!phone || known.phone || known.customer_id)) continue
      for (const contact_point of contactPointsOf({ channel_type, user_id, phone })) contact_points.add(contact_point)
    }
    if (contact_points.size === 0) return undefined
    return customersAt(database, state.company_id, contact_points).then((customers_at) => {
      found.customers_at = customers_at
    })
  },
}
