/**
 * A contact is one way to reach a person; a customer is the person. A contact that is made, or whose phone becomes known,
 * belongs to the customer of the company with that phone or, on e-mail, with that address. Later changes of a customer move
 * no contact: who belongs to whom is then said by hand.
 */
import type { ProjectTurn } from '../project/events.ts'

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
  for (const contact_point of contactPointsOf(contact)) {
    const found = turn.records.customersAt.get(contact_point)
    if (found) return found
  }
  return null
}
