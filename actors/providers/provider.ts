/**
 * The port to a provider: what the domain needs of an adapter. One folder here per provider; `table.ts` says which adapter
 * serves a channel. Every adapter passes `test/actors/providers/conformance.ts`.
 *
 * An adapter holds no state but its connections. What it is given (credentials, files, the quoted message) comes with each
 * call, so that a message may be sent by any node.
 */
import type { Json } from './json.ts'
import type { Payload } from './payload.ts'

/**
 * What a failed call means for the one who sent:
 *
 * - `retry`       certainly not taken, and the next try may work
 * - `slow_down`   certainly not taken: too fast; `scope` says for whom
 * - `refuse`      will not be taken as it is, ever
 * - `disconnect`  no message of this channel will be taken until someone mends the account or its token
 * - `unknown`     no answer that can be understood
 */
export type SendFailure = {
  kind: 'retry' | 'slow_down' | 'refuse' | 'disconnect' | 'unknown'
  /** The provider's error code as text, else a word of ours: `timeout`, `http_502`, … */
  code: string
  message: string
  /**
   * The reach of `slow_down`: one recipient, or the whole channel. `message`: the provider has no part in it, something that the message
   * itself brings cannot be had, such as the file behind its link.
   */
  scope?: 'recipient' | 'channel' | 'message'
  retry_after_s?: number
  /** The provider may have taken the message although no answer says so: sending again might send twice. */
  maybe_accepted: boolean
}

/**
 * `sent` is the provider's id of the message; empty when its answer names none. `taken_after` (Unix milliseconds): the
 * earliest moment at which the provider can have taken it, by the provider's clock; of providers that tell watermarks.
 */
export type Outcome = { sent: string; taken_after?: number } | { failure: SendFailure }

export type Credentials = Record<string, string>

/** A connected account, as its adapter sees it. */
export type Account = {
  channel_id: string
  /** The channel's name in Parley. */
  name: string
  /** The provider's own id of the account: a phone number id, a page id. */
  provider_account_id: string | null
  credentials: Credentials
}

/** A file uploaded through the API, or received by the provider. */
export type UploadedFile = {
  media_id: string
  /** The provider's own id of it, where the provider keeps files. */
  provider_media_id: string | null
  /** Where a provider that fetches files finds it: a public address that proves itself and lasts for days. */
  link: string
  /** Null when only the provider knows. */
  mime_type: string | null
  filename: string | null
}

/** A message template as the provider lists it. */
export type ProviderTemplate = {
  name: string
  language: string
  /** The provider's word, such as `APPROVED`. */
  status: string
  category: string
  components: Json[]
}

/** What a message needs beside its content. */
export type BuildOptions = {
  account: Account
  /** Who it is for, as the contact's `user_id` has it. On WhatsApp the digits, or a business-scoped user id. */
  to: string
  /** The message that is quoted, by the provider's id. */
  context?: { message_id: string } | undefined
  /** Our id of the message. Providers that can, return it with each status; others may use it to recognise a repeat. */
  opaque: string
  /** The components of the template that a `template` names. */
  components?: Json[] | undefined
  /** An uploaded file that the message names. */
  fileOf(media_id: string): UploadedFile
  meta_data?: Record<string, unknown> | undefined
}

/** A call of a provider's webhook, as it came: signatures are over the text. */
export type HookCall = {
  raw: string
  /** The value of `hook.signature_header`. */
  signature: string | null
}

/** What the call is answered with, and what it says. `items` is empty when it is refused. */
export type HookResult = { status: number; body: string; items: Inbound[] }

export type Inbound = InboundMessage | InboundStatus | InboundTemplate | InboundFlow | InboundAccount

/** Which account it is about, by `provider_account_id`; null for the one the call was addressed to. */
type About = { account: string | null }

/** A message from a person. */
export type InboundMessage = About & {
  kind: 'message'
  provider_message_id: string
  /** Null for a WhatsApp person who hides the number; then `bsuid` is there. */
  user_id: string | null
  /** WhatsApp's business-scoped user id such as `US.1349…`. */
  bsuid?: string | null
  name: string | null
  avatar?: string | null
  at: Date
  type: string
  /** `{ type, … }` with the fields of our API where they have a name there, else the provider's. */
  message: Json
  /** The provider's id of the message that is quoted. */
  context: { message_id: string } | null
  /** The person goes by these ids from now on: a number was changed. A null one is not to be known. */
  becomes?: { user_id: string | null; bsuid: string | null }
  /**
   * `data` of the event in the shape of WhatsApp's cloud webhooks, for other providers too:
   * `{ messaging_product, metadata, contacts: [one], messages: [one] }`.
   */
  value: Json
}

/** What became of a message that was sent, or of all messages to a person up to a moment. */
export type InboundStatus = About & {
  kind: 'status'
  status: 'sent' | 'delivered' | 'read' | 'failed'
  at: Date
  /** Null when `up_to` says which messages. */
  provider_message_id: string | null
  /** Everything sent to this person until then (a watermark). */
  up_to?: { user_id: string; at: Date }
  /** What was given as `opaque` on the send. */
  opaque: string | null
  error: { code: string; message: string } | null
  /** In the shape of WhatsApp's `statuses[]`. Null: it is made up from the rest. */
  raw: Json | null
}

/** A template was approved, rejected, paused: `value` as the provider has it. */
export type InboundTemplate = About & { kind: 'template'; name: string; language: string; status: string; value: Json }

/** A Flow changed its status or its health. `status` null: something else about it. */
export type InboundFlow = About & {
  kind: 'flow'
  provider_flow_id: string
  event: string
  status: string | null
  value: Json
}

/** The account itself: connected, or cut off with a reason. */
export type InboundAccount = About & {
  kind: 'account'
  status: 'connected' | 'disconnected'
  reason: string | null
}

/** How fast the provider takes messages of one account. The defaults of its documentation. */
export type Pace = {
  /** Messages a second of the whole account. */
  per_second: number
  /** One message in so many milliseconds to one recipient, with a burst borrowed from the future. */
  recipient?: { every_ms: number; burst: number }
}

export interface Provider {
  /**
   * The provider's request for a message, stored with it until it is sent. Pure. Throws `Refusal` for what this provider
   * cannot say although the matrix of capabilities allows the type.
   */
  build(message: Payload, options: BuildOptions): Json
  /** One send of what `build` made. Never rejects, never tries again. */
  send(credentials: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome>
  /** Whether the provider knows the account and takes the credentials. Changes nothing. */
  probe(credentials: Credentials): Promise<{ account: Json } | { failure: SendFailure }>
  /** The message templates that the provider keeps for the account. Undefined when it keeps none. Changes nothing. */
  listTemplates?: (credentials: Credentials) => Promise<{ templates: ProviderTemplate[] } | { failure: SendFailure }>
  /** Hours after a person's last message in which everything may be sent; null when always. */
  readonly window_hours: number | null
  readonly pace: Pace
  /** Statuses come back with our id (`opaque`): a send in doubt is proven by them. */
  readonly confirms: boolean
  /**
   * Statuses may name a message by nothing but the provider's id. One that comes before the answer with that id is stored
   * is kept for it.
   */
  readonly early_statuses: boolean
  /** Null when the provider calls no webhook. */
  readonly hook: Hook | null
  close(): Promise<void>
}

export type Hook = {
  /** Lower case; where the provider puts the proof that a call is its own. */
  signature_header: string
  /** Answers the question by which a provider checks an address (GET). Undefined: the question is not the provider's. */
  challenge?(query: URLSearchParams, credentials: Credentials): string | undefined
  /**
   * Does what takes long with a call before it goes to the project, whose turns are synchronous, and gives the call to
   * bring there. Verifies before it does anything dear. Rejects with `Unavailable`.
   */
  prepare?(call: HookCall, credentialsOf: () => Promise<Credentials>, now: Date): Promise<HookCall>
  /** Verifies a call and takes it apart. `now` stands in for missing times. Never throws. */
  read(call: HookCall, account: Account, now: Date): HookResult
}
