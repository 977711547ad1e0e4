/** Records that agents keep beside tickets. `docs/inbox.md` describes them. */
import type { SavedView as Answered, Draft } from './generated.ts'

export type { CannedResponse, Draft, ListedDraft, Notification, SavedDraft } from './generated.ts'

export type DraftKind = Draft['kind']

export type DraftAttachment = Draft['attachments'][number]

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
  handled_by?: 'person' | 'assistant' | 'nobody'
  search?: string
  sort?: 'last_activity' | 'waiting'
}

export type SavedView = Omit<Answered, 'filter'> & { filter: ViewFilter }

/** Null where they are not counted. */
export type ViewCount = { _id: string; tickets: number | null; unread: number | null }
