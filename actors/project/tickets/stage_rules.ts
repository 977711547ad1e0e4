/**
 * Applies the rules of a stage to a ticket that is moved into it: require, set, assign, tag, close, in this order. The
 * move and the effects of its rules are one change of the ticket.
 */
import { type ActiveTicket, PipelineStage } from '../../../storage/mod.ts'
import { MAX_TICKET_TAGS } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { isCustom, type stageTexts } from '../definitions/rule_fields.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import type { ColumnChange } from './change_ticket.ts'

/** Texts that a move sets. A missing one stays as it is. */
export type StageTexts = { [Name in (typeof stageTexts)[number]]?: string | null }

/**
 * The change of the ticket for the move.
 * @throws {Refusal} STAGE_REQUIREMENTS_NOT_MET; `details.fields` names the missing fields
 */
export function enterStage(
  turn: ProjectTurn,
  ticket: ActiveTicket,
  stage: PipelineStage,
  texts: StageTexts,
): ColumnChange {
  const definitions = definitionsOf(turn)
  const { require_fields = [], set_fields = {}, assign_to = [], add_tag_ids = [], close_with } = stage.rules
  const moved = { ...ticket, ...texts }
  const fields = require_fields.filter((name) => !hasValue(moved, name))
  if (fields.length > 0) throw refuse('STAGE_REQUIREMENTS_NOT_MET', { fields })
  const patch: ColumnChange = { stage_id: stage._id, ...texts, ...settings(ticket, set_fields) }
  const assignee = nextAssignee(turn, stage, assign_to, definitions)
  if (assignee) patch.assigned_to = assignee
  const known_tags = ticket.tag_ids.filter((id) => definitions.tags.has(id))
  const tags = new Set(add_tag_ids.filter((id) => definitions.tags.has(id) && !known_tags.includes(id)))
  const added = [...tags].slice(0, Math.max(0, MAX_TICKET_TAGS - known_tags.length))
  if (added.length > 0) patch.tag_ids = [...known_tags, ...added]
  return close_with ? { ...patch, is_closed: true, resolution: close_with } : patch
}

/** False for empty texts and lists too. */
function hasValue(ticket: ActiveTicket, name: string): boolean {
  const record: Record<string, unknown> = isCustom(name) ? ticket.custom_fields : ticket
  const value = Object.hasOwn(record, name) ? record[name] : null
  return value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
}

/** `null` clears a column, and removes a custom field. */
function settings(ticket: ActiveTicket, values: Record<string, unknown>): ColumnChange {
  const columns: Record<string, unknown> = {}
  let custom: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(values)) {
    if (!isCustom(name)) columns[name] = value
    else {
      custom ??= { ...ticket.custom_fields }
      if (value === null) delete custom[name]
      else custom[name] = value
    }
  }
  return { ...columns, ...(custom && { custom_fields: custom }) }
}

/**
 * The next assignee in turn; undefined when none of the users is active. Each assigned ticket is counted, in the row
 * and in memory, so that all active users get equally many.
 */
function nextAssignee(
  turn: ProjectTurn,
  stage: PipelineStage,
  assign_to: readonly string[],
  { users }: Pick<Definitions, 'users'>,
): string | undefined {
  const active = assign_to.filter((id) => users.get(id)?.is_active)
  if (active.length === 0) return undefined
  const assignee = active[stage.assigned_count % active.length]
  stage.assigned_count++
  turn.update(PipelineStage, { _id: stage._id }, { assigned_count: stage.assigned_count })
  return assignee
}
