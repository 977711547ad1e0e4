/** Requests that change the CRM: what each does, in the file of its noun. */
import type { ProjectTurn } from '../project/events.ts'
import type { CommandResult } from '../project/request.ts'
import { type CreateContact, createContact } from './create_contact.ts'
import { type CreateNote, createNote } from './create_note.ts'
import { ingestEvent, type RecordEvent } from './ingest.ts'
import { type MoveTicket, moveTicket } from './move_ticket.ts'
import { type UpdateContact, updateContact } from './update_contact.ts'
import { type UpdateTicket, updateTicket } from './update_ticket.ts'

export type CrmCommand = MoveTicket | UpdateTicket | RecordEvent | CreateContact | UpdateContact | CreateNote

type Run<Command> = (turn: ProjectTurn, command: Command, token_id: string) => CommandResult

const table: { [Type in CrmCommand['type']]: Run<Extract<CrmCommand, { type: Type }>> } = {
  record_event: ingestEvent,
  move_ticket: moveTicket,
  update_ticket: updateTicket,
  create_contact: createContact,
  update_contact: updateContact,
  create_note: createNote,
}

/** Throws `Refusal` before it has changed anything. */
export function runCrmCommand(turn: ProjectTurn, command: CrmCommand, token_id: string): CommandResult {
  return (table[command.type] as Run<CrmCommand>)(turn, command, token_id)
}
