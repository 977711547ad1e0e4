/** Broadcasts and their recipients, as the server answers and tells them. Times are ISO 8601. */

export type BroadcastStatus = 'queued' | 'sending' | 'completed' | 'failed' | 'cancelled'

export type RecipientStatus = 'pending' | 'sent' | 'delivered' | 'read' | 'failed'

export type Broadcast = {
  id: string
  status: BroadcastStatus
  campaign_name: string | null
  /** The agent who sent it; null for a token. */
  user_id: string | null
  template_name: string
  language: string
  channel_id: string
  /** The five counts are exclusive and add up to it. */
  total: number
  pending_count: number
  sent_count: number
  delivered_count: number
  read_count: number
  failed_count: number
  created_at: string
  started_at: string | null
  completed_at: string | null
  updated_at: string
}

export type Recipient = {
  /** The place in the request, from 0. */
  index: number
  phone: string
  status: RecipientStatus
  message_id: string | null
  error: { code: string; message: string } | null
  updated_at: string | null
}

/** `next_cursor` is null on the last page. */
export type Page<Item> = { data: Item[]; next_cursor: string | null; has_more: boolean }

export type PageQuery = { limit: number; cursor?: string | null | undefined }

export type RecipientQuery = PageQuery & { status?: RecipientStatus | undefined }

/** `search` is a part of the campaign's or the template's name. */
export type BroadcastFilter = { status?: BroadcastStatus | undefined; search?: string | undefined }
