/** Requests that change the CRM: what each needs and what it does, in the file of its noun. */
import type { ProjectTurn } from '../project/events.ts'
import type { CommandResult } from '../project/request.ts'
import { type CreateContact, createContact, wantNewContact } from './create_contact.ts'
import { type CreateNote, createNote, wantNote } from './create_note.ts'
import { ingestEvent, type RecordEvent } from './ingest.ts'
import { type MoveTicket, moveTicket } from './move_ticket.ts'
import type { CrmWants } from './records.ts'
import { type UpdateContact, updateContact } from './update_contact.ts'
import { type UpdateTicket, updateTicket } from './update_ticket.ts'

export type CrmCommand = MoveTicket | UpdateTicket | RecordEvent | CreateContact | UpdateContact | CreateNote

export function isCrmCommand(command: { type: string }): command is CrmCommand {
  return Object.hasOwn(handlers, command.type)
}

type Handler<Command> = {
  want: (wants: CrmWants, command: Command) => void
  run: (turn: ProjectTurn, command: Command, token_id: string) => CommandResult
}

const handlers: { [Type in CrmCommand['type']]: Handler<Extract<CrmCommand, { type: Type }>> } = {
  record_event: { want: (wants, command) => wants.recorded.push(command), run: ingestEvent },
  move_ticket: { want: (wants, { id }) => wants.tickets.add(id), run: moveTicket },
  update_ticket: { want: (wants, { id }) => wants.tickets.add(id), run: updateTicket },
  create_contact: { want: wantNewContact, run: createContact },
  update_contact: {
    want(wants, { id, patch }) {
      wants.contacts.add(id)
      if (patch.customer_id) wants.customers.add(patch.customer_id)
    },
    run: updateContact,
  },
  create_note: { want: wantNote, run: createNote },
}

export function wantCrmCommand(wants: CrmWants, command: CrmCommand): void {
  wants.any = true
  ;(handlers[command.type] as Handler<CrmCommand>).want(wants, command)
}

/** Throws `Refusal` before it has changed anything. */
export function runCrmCommand(turn: ProjectTurn, command: CrmCommand, token_id: string): CommandResult {
  return (handlers[command.type] as Handler<CrmCommand>).run(turn, command, token_id)
}
