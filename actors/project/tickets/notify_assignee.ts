import type { ActiveTicket } from '../../../storage/mod.ts'
import { notify } from '../notifications/notify.ts'
import type { CommandContext } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Notifies the new assignee of a ticket, unless it is the agent who has changed it. */
export function notifyAssignee(
  turn: ProjectTurn,
  before: string | null | undefined,
  ticket: ActiveTicket,
  { token_id, user_id, is_bulk }: Pick<CommandContext, 'token_id' | 'user_id' | 'is_bulk'>,
): void {
  const { assigned_to } = ticket
  if (!assigned_to || assigned_to === before || is_bulk) return
  const created_by = token_id === '' && user_id !== '' ? user_id : null
  if (created_by === assigned_to) return
  notify(turn, assigned_to, { type: 'assignment', ticket, created_by, data: {} })
}
