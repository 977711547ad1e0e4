/** The records of a project, as the API answers them. Times are ISO 8601. */

export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'received'

export type Message = {
  id: string
  status: MessageStatus
  direction: 'inbound' | 'outbound'
  channel: string
  channel_id: string
  to: string | null
  from: string | null
  /** The contact. */
  chat_user: string | null
  type: string
  message: Record<string, unknown>
  context: Record<string, unknown> | null
  meta_data: Record<string, unknown> | null
  provider_message_id: string | null
  error: Record<string, unknown> | null
  /** False for a `sent` message that the provider may have taken without saying so. */
  confirmed: boolean
  warnings: { code: string; message: string }[]
  created_at: string
  sent_at: string | null
  delivered_at: string | null
  read_at: string | null
  failed_at: string | null
  edited_at: string | null
  deleted_at: string | null
  /** The message that this one repeats. */
  retry_of: string | null
  /** The message that repeats this one. */
  retried_as: string | null
  updated_at: string
}

export type Ticket = {
  _id: string
  /** The contact. */
  chat_user: string
  is_closed: boolean
  priority: string | null
  tags: { id: string; name: string; color: string | null }[]
  custom_fields: Record<string, unknown>
  created_at: string
  updated_at: string
  chat_user_name: string | null
  chat_user_avatar: string | null
  chat_user_channel: string | null
  chat_user_channel_id: string | null
  stage: {
    stage_id: string | null
    prioridad: string | null
    contexto: string | null
    problema: string | null
    recomendaciones: string | null
  }
  resolution: string | null
  category: string | null
  assigned_to: { id: string; full_name: string; email: string } | null
  amount: number | null
  amount_currency: string | null
  amount_status: string | null
  conversation_summary: object | null
  closed_at: string | null
  version: number
  unread_count: number
  last_activity_at: string
}

export type Note = {
  _id: string
  content: string
  type: string
  chat_user: string | null
  ticket_id: string | null
  created_by: { id: string; full_name: string | null }
  created_at: string
  /** Ids of users. */
  mentions: string[]
}

/** An event on the timeline of a ticket. */
export type CrmEvent = {
  _id: string
  event_type: string
  data: Record<string, unknown>
  ticket_id: string
  chat_user: string
  created_at: string
}

export type Browser = {
  page_url: string | null
  referrer: string | null
  language: string | null
  user_agent: string | null
}

export type Contact = {
  _id: string
  channel_type: string
  channel_id: string | null
  user_id: string
  bsuid: string | null
  /** The browser of a visitor of a web chat, by its own account. */
  browser: Browser | null
  consent: { marketing: 'granted' | 'stopped' | 'unknown'; changed_at: string | null; source: string | null }
  name: string | null
  phone: string | null
  avatar: string | null
  custom_fields: Record<string, unknown>
  customer_id: string | null
  first_seen_at: string
  last_seen_at: string
  created_at: string
  updated_at: string
  /** Per channel, the time until which it may be written to freely. */
  windows: { channel_id: string; expires_at: string; is_open: boolean }[]
}
