/** The messages a project actor receives. */
import type { MessageOf } from '../../runtime/mod.ts'
import type { BroadcastRecord } from '../../storage/mod.ts'
import type { BulkSlice } from './broadcasts.ts'
import type { Conclusion } from './operations.ts'
import type { CommandResult, ProjectReply, ProjectRequest } from './request.ts'
import type { TemplatesListed } from './templates.ts'

export type ProviderFailure = { code: string; message: string }

/**
 * `at` and `taken_after` (of `Outcome`) in Unix milliseconds. `early_statuses`: false where none can wait under the provider's
 * id; nodes of an earlier version do not say.
 */
export type AcceptedMessage = {
  message_id: string
  provider_message_id: string
  at: number
  taken_after?: number | undefined
  early_statuses?: boolean
}
export type RefusedMessage = { message_id: string; error: ProviderFailure; at: number }

export type ProjectProtocol = {
  /** An API request: admission, and the command when it is a write. */
  request: { message: Omit<ProjectRequest, 'type'>; reply: ProjectReply }
  /** From the node that did an operation at the provider: what came of it. */
  conclude: { message: Conclusion; reply: CommandResult }
  /** A call of a provider's webhook, as it came: the signature is over the raw text. */
  inbound: { message: { channel_id: string; raw: string; signature: string | null }; reply: InboundAnswer }
  /** From the channel: the provider took these messages. */
  messages_accepted: { message: { items: AcceptedMessage[] }; reply: void }
  /** From the channel: the provider refused these for good. */
  messages_refused: { message: { items: RefusedMessage[] }; reply: void }
  /** From the channel: the provider turned its credentials down, or takes them again. */
  channel_status: {
    message: { channel_id: string; status: 'connected' | 'disconnected'; reason: string | null }
    reply: void
  }
  /** From a broadcast: make messages for these. */
  bulk_slice: { message: BulkSlice; reply: void }
  /** From a broadcast that was cancelled: these are not to be sent, as far as they can be held. */
  withdraw_bulk: { message: { channel_id: string; message_ids: string[] }; reply: void }
  /** From a broadcast: every message of it was answered. */
  broadcast_ended: { message: { record: BroadcastRecord }; reply: void }
  /** From a subscription: too many deliveries in a row are dead. */
  subscription_failing: { message: { subscription_id: string }; reply: void }
  /** From the operator API: a record this actor caches was changed. */
  refresh: { message: { what: Refreshed; id: string }; reply: void }
  /** What the provider listed: fetched by this actor, or for an operator who checks the channel. */
  templates_listed: { message: TemplatesListed; reply: void }
  templates_not_listed: { message: { channel_id: string }; reply: void }
  /** The timer. */
  sync_templates: { message: object; reply: void }
  /** To itself: channels whose webhook was heard are to know. */
  tell_heard: { message: object; reply: void }
  persist_windows: { message: object; reply: void }
}

/** `crm`: the definitions of its CRM, those of the company included. */
export type Refreshed = 'token' | 'limits' | 'channel' | 'template' | 'crm'

export type ProjectMessage = MessageOf<ProjectProtocol>

export type InboundAnswer = { status: number; body: string }
