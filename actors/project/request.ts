/**
 * What a project actor is asked for each API request: one message that carries admission and, for a write, the command,
 * so that both are decided in the same turn. A read is admitted here and then done by the node that asked.
 */
import type { WebhookOrdering } from '../../storage/mod.ts'
import type { CrmCommand } from '../crm/commands.ts'
import type { ErrorCode } from '../error_catalogue.ts'
import type { ChannelType } from '../message_types.ts'
import type { Payload } from '../providers/mod.ts'
import type { Claimed, ClaimOperation, Conclusion } from './operations.ts'
import type { SendRaw } from './send_raw.ts'

export type ProjectRequest = {
  type: 'request'
  token_id: string
  /** Which budget the request draws on; `exempt` draws on none. */
  pool: Pool
  /** The scope the operation needs, if any. */
  scope?: string | undefined
  /** Missing for reads, and for a write that is not valid: it still counts against the rate limit. */
  command?: ProjectCommand | undefined
  idempotency?: Idempotency | undefined
  /**
   * Only asks whether the request that follows would be admitted to this pool. Its own is `exempt`: an owner of an earlier
   * version, which knows no looks, then draws on no budget either.
   */
  looks?: Pool | undefined
}

export type Pool = 'shared' | 'ingest' | 'exempt'

/** `body_hash` covers the whole request (path, query and body), so one key never stands for two requests. */
export type Idempotency = { route: string; key: string; body_hash: string }

export type ProjectReply = {
  admission: Admission
  /** There when the request was admitted and carried a command. */
  result?: CommandResult | Claimed | undefined
}

export type Admission =
  | { ok: true; windows?: Windows | undefined }
  /** The token is unknown, revoked or expired, or its owner is deactivated: callers must not learn which. */
  | { ok: false; code: 'UNAUTHENTICATED' }
  | { ok: false; code: 'THROTTLED'; windows: Windows; exceeded: WindowName[] }
  | { ok: false; code: 'INSUFFICIENT_SCOPE'; windows?: Windows | undefined; required: string[]; missing: string[] }

export type WindowName = 'minute' | 'hour' | 'day' | 'ingest'

/** `reset` is in whole seconds, rounded up. */
export type Window = { limit: number; remaining: number; reset: number }

/** The state after this request: three stacked windows of the shared pool, or the one of the ingest pool. */
export type Windows = { minute: Window; hour: Window; day: Window } | { ingest: Window }

export type CommandResult =
  | {
      /** The route's status when left out. */
      status?: number | undefined
      body?: unknown
      /** The body already as JSON text: stored ones and those the actor keeps are not parsed and written again. */
      json?: string | undefined
      /** The answer to an earlier request with the same idempotency key. */
      replayed?: boolean | undefined
    }
  | {
      error: {
        code: ErrorCode
        message?: string | undefined
        details?: Record<string, unknown> | undefined
        /** Seconds, for `Retry-After`. */
        retry_after?: number | undefined
      }
      /** As above. */
      replayed?: boolean | undefined
    }

export type ProjectCommand =
  | ReadIdentity
  | RevokeToken
  | SendMessage
  | SendRaw
  | ClaimOperation
  | CreateWebhook
  | UpdateWebhook
  | DeleteWebhook
  | RotateWebhookSecret
  | TestWebhook
  | RedeliverWebhook
  | RecoverWebhook
  | CrmCommand

/** Answers `Identity` of the token that asked, as `json`; the actor keeps the text until one of its names changes. */
export type ReadIdentity = { type: 'read_identity' }

/** Revokes the token that asked. */
export type RevokeToken = { type: 'revoke_token' }

export type SendMessage = {
  type: 'send_message'
  channel: ChannelType
  /** `whatsapp`: E.164 with the leading `+`; else the person's id within the channel. */
  to: string
  message: Payload
  /** Our id or the provider's. */
  context?: { message_id: string } | undefined
  channel_id?: string | undefined
  meta_data?: Record<string, unknown> | undefined
}

export type WebhookFields = {
  name: string
  url: string
  events: string[]
  headers: Record<string, string>
  is_active: boolean
  ordering: WebhookOrdering
  concurrency: number
}

export type CreateWebhook = { type: 'create_webhook' } & WebhookFields
/** Only the fields that were sent. */
export type UpdateWebhook = { type: 'update_webhook'; id: string; patch: Partial<WebhookFields> }
export type DeleteWebhook = { type: 'delete_webhook'; id: string }
export type RotateWebhookSecret = { type: 'rotate_webhook_secret'; id: string }
/** Sends a made-up event of this type, whatever the subscription listens to. */
export type TestWebhook = { type: 'test_webhook'; id: string; event_type: string }

/** Sends one delivery again, whatever became of it. */
export type RedeliverWebhook = { type: 'redeliver_webhook'; id: string; delivery_id: string }
/** Sends everything again that failed for good between two moments (ISO 8601; the second one is now by default). */
export type RecoverWebhook = { type: 'recover_webhook'; id: string; since: string; until?: string | undefined }

/** The part of the project actor's protocol that the API speaks. */
export type RequestProtocol = {
  request: { message: Omit<ProjectRequest, 'type'>; reply: ProjectReply }
  conclude: { message: Conclusion; reply: CommandResult }
}
