/** The inbox, as `GET …/inbox` answers it. `docs/inbox.md` describes it. */
import type { InboxRow as Answered, Snooze } from './generated.ts'
import type { MessageStatus } from './project_records.ts'
import type { AnyRecord } from './record.ts'

export type { InboxCount, InboxCounts, ReadMark, Snooze } from './generated.ts'

export type InboxContact = InboxRow['contact']

/** `message`: the content of a message without a text. */
export type LastMessage = Omit<NonNullable<Answered['last_message']>, 'status' | 'message'> & {
  status: MessageStatus
  message: AnyRecord | null
}

export type InboxRow = Omit<Answered, 'last_message'> & { last_message: LastMessage | null }

/** `data` of `inbox.failed`: a reply to the ticket failed. `waiting_since`: null when another reply counts. */
export type FailedReply = { ticket_id: string; chat_user: string; failed_at: string; waiting_since: string | null }

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
  handled_by?: string
  search?: string
  sort?: string
}
