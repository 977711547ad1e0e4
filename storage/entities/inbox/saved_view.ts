import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { TicketHandler, TicketPriority } from '../tickets/ticket.ts'

/** The parameters of the list of the inbox. */
export type ViewFilter = {
  view?: 'mine' | 'unassigned' | 'all' | undefined
  is_closed?: boolean | undefined
  is_snoozed?: boolean | undefined
  is_unread?: boolean | undefined
  is_failed?: boolean | undefined
  stage_id?: string | undefined
  channel_type?: string | undefined
  channel_id?: string | undefined
  tag_id?: string | undefined
  priority?: TicketPriority | undefined
  assigned_to?: string | undefined
  handled_by?: TicketHandler | undefined
  search?: string | undefined
  sort?: 'last_activity' | 'waiting' | undefined
}

/** A filter of the inbox with a name. */
export const SavedView = defineEntity({
  name: 'SavedView',
  tableName: 'saved_view',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The only agent who has it; null for all agents of the project. */
    owner_id: p.text().nullable(),
    name: p.text(),
    filter: p.json<ViewFilter>().columnType('json'),
    position: p.integer(),
    /** Null when the user was deleted. */
    created_by: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type SavedView = InferEntity<typeof SavedView>
