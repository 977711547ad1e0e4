/** The inbox, as `GET …/inbox` answers it. Times are ISO 8601. `docs/inbox.md` describes it. */
import type { MessageStatus } from './project_records.ts'
import type { AnyRecord } from './record.ts'

export type InboxContact = {
  _id: string
  name: string | null
  avatar: string | null
  phone: string | null
  user_id: string
  channel_type: string
  channel_id: string | null
}

export type LastMessage = {
  id: string
  type: string
  direction: 'inbound' | 'outbound'
  status: MessageStatus
  created_at: string
  deleted_at: string | null
  /** The beginning of its text; null when it has none. */
  text: string | null
  /** The content of a message without a text. */
  message: AnyRecord | null
  channel_id: string | null
}

export type InboxRow = {
  ticket_id: string
  version: number
  is_closed: boolean
  closed_at: string | null
  created_at: string
  contact: InboxContact
  last_message: LastMessage | null
  last_activity_at: string
  waiting_since: string | null
  failed_at: string | null
  snoozed_at: string | null
  snoozed_until: string | null
  reply_window_ends_at: string | null
  unread_count: number
  assigned_to: { id: string; full_name: string; email: string } | null
  stage: { stage_id: string; name: string | null } | null
  tags: { id: string; name: string; color: string | null }[]
  priority: string | null
}

/** The read mark of an agent, as `POST …/read` answers it and `inbox.read` has it. */
export type ReadMark = {
  ticket_id: string
  user_id: string
  read_count: number
  read_at: string | null
  unread_count: number
}

/** `data` of `inbox.failed`: a reply to the ticket failed. `waiting_since`: null when another reply counts. */
export type FailedReply = { ticket_id: string; chat_user: string; failed_at: string; waiting_since: string | null }

/** Both null for a ticket that is not snoozed. */
export type Snooze = { ticket_id: string; snoozed_at: string | null; snoozed_until: string | null }

/** `data` of `snooze.changed`. `last_activity_at`: the new one, when the ticket comes back at its moment. */
export type SnoozeChange = Snooze & {
  reason: 'snoozed' | 'ended' | 'due' | 'message' | 'closed'
  user_id: string | null
  last_activity_at?: string
}

/** The parameters of the list, as the request takes them. */
export type InboxFilter = {
  view?: string
  is_closed?: string
  is_snoozed?: string
  is_unread?: string
  is_failed?: string
  stage_id?: string
  channel_type?: string
  channel_id?: string
  tag_id?: string
  priority?: string
  assigned_to?: string
  search?: string
  sort?: string
}

export type InboxCount = { tickets: number; unread: number }

export type InboxCounts = Record<'mine' | 'unassigned' | 'all' | 'snoozed', InboxCount>
