/** What each request that changes the CRM needs to read. What it does is in `commands.ts`. */
import type { CrmCommand } from './commands.ts'
import type { CreateContact } from './create_contact.ts'
import type { CreateNote } from './create_note.ts'
import { contactPointsOf } from './customer_link.ts'
import type { CrmWants } from './records.ts'
import type { UpdateContact } from './update_contact.ts'

type Want<Command> = (wants: CrmWants, command: Command) => void

const table: { [Type in CrmCommand['type']]: Want<Extract<CrmCommand, { type: Type }>> } = {
  record_event: (wants, command) => wants.recorded.push(command),
  move_ticket: (wants, { id }) => wants.tickets.add(id),
  update_ticket: (wants, { id }) => wants.tickets.add(id),
  create_contact: wantNewContact,
  update_contact: wantChangedContact,
  create_note: wantNote,
}

export function isCrmCommand(command: { type: string }): command is CrmCommand {
  return Object.hasOwn(table, command.type)
}

export function wantCrmCommand(wants: CrmWants, command: CrmCommand): void {
  wants.any = true
  ;(table[command.type] as Want<CrmCommand>)(wants, command)
}

/** The contact it may be already is read with the people of messages (`wantsOf`). */
function wantNewContact({ contact_points }: CrmWants, command: CreateContact): void {
  for (const contact_point of contactPointsOf(command)) contact_points.add(contact_point)
}

function wantChangedContact({ contacts, customers }: CrmWants, { id, patch }: UpdateContact): void {
  contacts.add(id)
  if (patch.customer_id) customers.add(patch.customer_id)
}

function wantNote({ tickets }: CrmWants, { ticket_id }: CreateNote): void {
  if (ticket_id) tickets.add(ticket_id)
}
