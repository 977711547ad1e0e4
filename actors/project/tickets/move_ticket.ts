/** `POST /v1/crm/tickets/{id}/stage`: the only way into a stage, and the only one that runs its rules. */
import { refuse } from '../../refuse.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { agentOf, type Command } from '../turn/feature.ts'
import { auditedTicket } from './audited.ts'
import { changeTicket, recordOf } from './change_ticket.ts'
import { notifyAssignee } from './notify_assignee.ts'
import { ticketsOf, wantTickets } from './reads.ts'
import { enterStage, type StageTexts } from './stage_rules.ts'
import { mustHaveVersion } from './version.ts'

export type MoveTicket = {
  type: 'move_ticket'
  id: string
  /** Accepted versions of the ticket; undefined for any. */
  if_match?: string[] | undefined
  stage_id: string
  texts: StageTexts
}

/**
 * A ticket already in the stage stays there: its texts may change, but the rules do not run.
 * @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED, STAGE_NOT_FOUND, TICKET_CLOSED, STAGE_REQUIREMENTS_NOT_MET
 */
export const moveTicket = {
  audit: auditedTicket,
  reads(reads, { id }) {
    wantTickets(reads, id)
  },
  run(turn, { id, if_match, stage_id, texts }, context) {
    const ticket = ticketsOf(turn).by_id.get(id)
    if (!ticket) throw refuse('NOT_FOUND')
    mustHaveVersion(ticket, if_match)
    const stage = definitionsOf(turn).stages.get(stage_id)
    if (!stage) throw refuse('STAGE_NOT_FOUND', { stage_id })
    if (ticket.is_closed) throw refuse('TICKET_CLOSED')
    const previous_stage_id = ticket.stage_id ?? null
    const patch = previous_stage_id === stage_id ? texts : enterStage(turn, ticket, stage, texts)
    const { assigned_to } = ticket
    changeTicket(turn, ticket, patch, { user_id: agentOf(context) })
    notifyAssignee(turn, assigned_to, ticket, context)
    return { body: { ticket: recordOf(turn, ticket), previous_stage_id } }
  },
} satisfies Command<MoveTicket>
