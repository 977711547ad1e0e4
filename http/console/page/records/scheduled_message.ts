import type { Message } from '../../../client/generated/types.ts'

/** A message that is sent later. `docs/inbox.md` describes it. Times are ISO 8601. */
export type ScheduledMessage = {
  id: string
  ticket_id: string
  /** The contact. */
  chat_user: string
  status: 'scheduled' | 'sent' | 'failed' | 'cancelled'
  channel: Message['channel']
  /** The channel to send it on; null: the contact's own, or the only one of the type. */
  channel_id: string | null
  type: string
  message: Record<string, unknown>
  context: Record<string, unknown> | null
  meta_data: Record<string, unknown> | null
  send_at: string
  cancel_if_answered: boolean
  cancelled_by: 'agent' | 'answer' | null
  message_id: string | null
  error: { code: string; message: string } | null
  /** The agent. */
  created_by: string
  created_at: string
  updated_at: string
}
