import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { TicketResolution } from './ticket.ts'

/** Actions on a ticket that is moved into a stage, in this order: required, set, assigned, tagged, closed. */
export type StageRules = {
  /** Fields of the ticket that must have a value, after those that the move itself sets. */
  require_fields?: string[]
  /** Values that fields of the ticket get. */
  set_fields?: Record<string, unknown>
  /** Users who get tickets in turn; deactivated users are skipped. */
  assign_to?: string[]
  add_tag_ids?: string[]
  /** Closes the ticket with this resolution. */
  close_with?: TicketResolution
}

export const PipelineStage = defineEntity({
  name: 'PipelineStage',
  tableName: 'pipeline_stage',
  properties: {
    _id: p.text().primary(),
    pipeline_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    position: p.integer(),
    rules: p.json<StageRules>(),
    /** Number of tickets that the stage has assigned, which determines the next user. Written by the project's actor alone. */
    assigned_count: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type PipelineStage = InferEntity<typeof PipelineStage>
