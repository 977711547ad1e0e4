/**
 * A tool of an assistant asks the project to change something. It is done once for each call, however often the call is repeated,
 * and only while the assistant holds the conversation. It reaches the ticket and the contact of the conversation alone, whatever
 * the command names.
 */
import { createHash } from 'node:crypto'
import { Refusal, Unavailable } from '../../../runtime/mod.ts'
import type { CommandEnd, ToolCommand } from '../../assistants/mod.ts'
import { errorCatalogue, isErrorCode } from '../../error_catalogue.ts'
import { isHeld } from '../conversations/hold.ts'
import { conversationReads } from '../conversations/reads.ts'
import { wantAnswer } from '../requests/answers.ts'
import { runOnce } from '../requests/run_once.ts'
import { createAppointment } from '../scheduling/create_appointment.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { updateTicket } from '../tickets/update_ticket.ts'
import type { CommandResult } from '../turn/command_result.ts'
import type { Command, Receiver } from '../turn/feature.ts'

/** `key`: of the call. `segment`: as the model saw the conversation. */
export type AssistantAsks = { ticket_id: string; segment: number; key: string; command: ToolCommand }

const commands: { [Type in ToolCommand['type']]: Command<Extract<ToolCommand, { type: Type }>> } = {
  update_ticket: updateTicket,
  create_appointment: createAppointment,
}

const ROUTE = 'assistant tool'
const TAKEN_OVER = {
  code: 'CONVERSATION_TAKEN_OVER',
  message: 'People have the conversation now; nothing was changed.',
}

export const assistantAsks: Receiver<AssistantAsks, CommandEnd> = {
  reads(reads, { ticket_id, key, command }) {
    wantTickets(reads, ticket_id)
    reads.of(conversationReads).add(ticket_id)
    wantAnswer(reads, { route: ROUTE, key })
    partOf(command).reads?.(reads, command, '')
  },
  receive(turn, { ticket_id, segment, key, command }, context) {
    const ticket = ticketsOf(turn).by_id.get(ticket_id)
    const row = turn.records.of(conversationReads).get(ticket_id)
    if (!ticket || !row || !isHeld(ticket) || row.segment !== segment) return { refused: TAKEN_OVER }
    const is_own =
      command.type === 'update_ticket' ? command.id === ticket_id : command.fields.chat_user === ticket.chat_user
    if (!is_own) return { refused: { code: 'NOT_FOUND', message: 'The conversation has no such record.' } }
    const body_hash = createHash('sha256').update(JSON.stringify(command)).digest('hex')
    const run = (): CommandResult => {
      try {
        return partOf(command).run(turn, command, { ...context, token_id: '', user_id: '' })
      } catch (error) {
        if (error instanceof Unavailable) return { error: { code: 'SERVICE_UNAVAILABLE', message: error.message } }
        if (!(error instanceof Refusal) || !isErrorCode(error.code)) throw error
        return { error: { code: error.code, message: error.text, details: error.details } }
      }
    }
    return endOf(runOnce(turn, { route: ROUTE, key, body_hash }, false, context.database, run))
  },
}

function partOf(command: ToolCommand): Command<ToolCommand> {
  return commands[command.type] as Command<ToolCommand>
}

function endOf(result: CommandResult): CommandEnd {
  if ('error' in result) {
    const { code, message } = result.error
    return { refused: { code, message: message ?? errorCatalogue[code].message } }
  }
  return { body: result.json === undefined ? (result.body ?? null) : JSON.parse(result.json) }
}
