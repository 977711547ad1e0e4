/**
 * Values of an event that belong to its ticket or contact are written there: the last write wins, `null` clears. The event
 * keeps what was sent.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ActiveTicket, Contact } from '../../storage/mod.ts'
import { changeContact } from '../project/contacts.ts'
import type { ProjectTurn } from '../project/events.ts'
import { changeTicket, type TicketPatch } from './change_ticket.ts'
import type { EventPlan } from './event_plan.ts'

type Data = Record<string, unknown>

/** One change of each record, however many fields; none where nothing is different. */
export function writeThrough(
  turn: ProjectTurn,
  { written }: EventPlan,
  data: Data,
  ticket: ActiveTicket,
  contact: Contact | undefined,
): void {
  const patches: { ticket: Data | undefined; contact: Data | undefined } = { ticket: undefined, contact: undefined }
  for (const { key, target } of written) {
    if (!Object.hasOwn(data, key)) continue
    const { owner, field, type } = target
    const record = owner === 'ticket' ? ticket : contact
    if (!record) continue
    patches[owner] ??= {}
    const patch = patches[owner]
    if (type !== undefined) patch[field] = data[key]
    else {
      patch.custom_fields ??= { ...record.custom_fields }
      const custom = patch.custom_fields as Data
      if (data[key] === null) delete custom[field]
      else custom[field] = data[key]
    }
  }
  // First the contact: a ticket shows its name.
  if (patches.contact) {
    const different = differences(contact!, patches.contact)
    if (different) changeContact(turn, contact!, different)
  }
  if (patches.ticket) changeTicket(turn, ticket, patches.ticket as TicketPatch)
}

function differences(contact: Contact, patch: Data): Partial<Contact> | undefined {
  let found: Data | undefined
  for (const [column, value] of Object.entries(patch)) {
    if (isDeepStrictEqual(contact[column as keyof Contact] ?? null, value)) continue
    found ??= {}
    found[column] = value
  }
  return found
}
