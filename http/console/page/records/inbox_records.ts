/** Records that agents keep beside tickets, as the requests of the console answer them. Times are ISO 8601. `docs/inbox.md` describes them. */

export type DraftKind = 'reply' | 'note'

export type DraftAttachment = {
  media_id: string
  type?: string
  filename?: string
  mime_type?: string
  file_size?: number
}

/** `updated_at`: null where there is no draft. */
export type Draft = {
  ticket_id: string
  kind: DraftKind
  version: number
  content: string
  attachments: DraftAttachment[]
  context: Record<string, unknown> | null
  updated_at: string | null
}

/** `is_saved`: false when a draft of this or a later version was stored already; the answer is that one. */
export type SavedDraft = Draft & { is_saved: boolean }

export type ListedDraft = Pick<Draft, 'ticket_id' | 'kind' | 'version' | 'content'> & {
  updated_at: string
  contact: { _id: string; name: string | null }
}

type Author = { id: string; full_name: string } | null

export type CannedResponse = {
  _id: string
  shortcut: string
  title: string | null
  content: string
  is_shared: boolean
  created_by: Author
  created_at: string
  updated_at: string
}

/** A filter of the list. */
export type ViewFilter = {
  view?: 'mine' | 'unassigned' | 'all'
  is_closed?: boolean
  is_snoozed?: boolean
  is_unread?: boolean
  is_failed?: boolean
  stage_id?: string
  channel_type?: string
  channel_id?: string
  tag_id?: string
  priority?: string
  assigned_to?: string
  search?: string
  sort?: 'last_activity' | 'waiting'
}

export type SavedView = {
  _id: string
  name: string
  filter: ViewFilter
  is_shared: boolean
  position: number
  created_by: Author
  created_at: string
  updated_at: string
}

/** Null where they are not counted. */
export type ViewCount = { _id: string; tickets: number | null; unread: number | null }

type NotificationOf<Type extends string, Data> = {
  _id: string
  type: Type
  ticket_id: string | null
  contact: { _id: string; name: string | null } | null
  created_by: Author
  data: Data
  created_at: string
  read_at: string | null
}

export type Notification =
  | NotificationOf<'mention', { note_id: string; text: string }>
  | NotificationOf<'assignment', object>
  | NotificationOf<'bulk_assignment', { bulk_action_id: string; count: number }>
  | NotificationOf<
      'bulk_action_completed',
      { bulk_action_id: string; action: string; changed_count: number; refused_count: number }
    >
  | NotificationOf<'message_failed', { message_id: string; code: string; message: string }>
  | NotificationOf<'scheduled_message_failed', { scheduled_message_id: string; code: string; message: string }>
