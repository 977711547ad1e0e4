import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { TicketPriority, TicketResolution } from './ticket.ts'

export type BulkActionStatus = 'running' | 'completed' | 'cancelled'

/** The change of each ticket. */
export type BulkChange =
  | { type: 'assign'; assigned_to: string | null }
  | { type: 'move'; stage_id: string }
  /** Without a resolution, tickets keep the one they have. */
  | { type: 'close'; resolution?: TicketResolution | null }
  | { type: 'reopen' }
  | { type: 'tag'; add_tag_ids: string[]; remove_tag_ids: string[] }
  | { type: 'prioritize'; priority: TicketPriority | null }
  /** `until`: ISO 8601; null until the person writes. */
  | { type: 'snooze'; until: string | null }

/** A ticket that was not changed, and the error that a request for this ticket alone would have got. */
export type BulkRefusal = { ticket_id: string; code: string; message: string; details: Record<string, unknown> | null }

/** A change of all tickets that matched a filter when an agent asked for it. */
export const BulkAction = defineEntity({
  name: 'BulkAction',
  tableName: 'bulk_action',
  properties: {
    id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The agent. */
    user_id: p.text(),
    status: p.text().$type<BulkActionStatus>(),
    /** As given, to be shown. */
    filter: p.json<Record<string, unknown>>().columnType('json'),
    action: p.json<BulkChange>().columnType('json'),
    total: p.integer(),
    /** Tickets before this index are done: the sum of the three counts. */
    done_count: p.integer(),
    changed_count: p.integer(),
    unchanged_count: p.integer(),
    refused_count: p.integer(),
    /** Refused tickets by error code. */
    refused_by_code: p.json<Record<string, number>>().columnType('json'),
    /** The first ones. */
    refusals: p.json<BulkRefusal[]>().columnType('json'),
    created_at: p.datetime(3),
    /** The request that started it, and its trace where traces are on. */
    request_id: p.text().nullable(),
    traceparent: p.text().nullable(),
    completed_at: p.datetime(3).nullable(),
    updated_at: p.datetime(3),
  },
})

export type BulkAction = InferEntity<typeof BulkAction>
