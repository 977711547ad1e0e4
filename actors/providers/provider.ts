/**
 * The port to a provider. There is one folder per provider here; `table.ts` selects the adapter of a channel. Every
 * adapter passes `test/actors/providers/conformance.ts`.
 *
 * An adapter holds no state but its connections. Credentials, files and the quoted message come with each call, so that
 * any node can send a message. One file: the port is one type, and most lines describe its fields.
 */
import type { Readable } from 'node:stream'
import type { Message, MessageOrigin, ThreadHolder, VisitorBrowser } from '../../storage/mod.ts'
import type { Json } from './json.ts'
import type { Payload } from './payload.ts'

/**
 * A failed call, by its consequence for the sender:
 *
 * - `retry`       certainly not taken, and the next try may work
 * - `slow_down`   certainly not taken: too fast; `scope` names who has to slow down
 * - `refuse`      will never be taken as it is
 * - `disconnect`  no message of this channel will be taken until the account or its token is repaired
 * - `unknown`     no answer that can be understood
 */
export type SendFailure = {
  kind: 'retry' | 'slow_down' | 'refuse' | 'disconnect' | 'unknown'
  /** The provider's error code as text, else a code of ours: `timeout`, `http_502`, … */
  code: string
  message: string
  /**
   * The scope of `slow_down`: one recipient, or the whole channel. `message`: the provider is not to blame; content of
   * the message is not available, such as the file behind its link.
   */
  scope?: 'recipient' | 'channel' | 'message'
  retry_after_s?: number
  /** The provider may have taken the message although no answer confirms it: sending again might send twice. */
  maybe_accepted: boolean
  /** The person does not want marketing messages any more. */
  opted_out?: true
}

/**
 * `sent` is the provider's id of the message; empty when its answer names none. `taken_after` (Unix milliseconds): the
 * earliest moment at which the provider can have taken it, by the provider's clock; only from providers that report
 * watermarks. `user_id`: the recipient's id at the provider, where it differs from the one in the request. `proven`: both
 * ids of the recipient, where the provider answered both.
 */
export type Outcome =
  | { sent: string; taken_after?: number; user_id?: string; proven?: ProvenIds }
  | { failure: SendFailure }

/** The number, in digits, and the business-scoped id of one person. */
export type ProvenIds = { user_id: string; bsuid: string }

export type Credentials = Record<string, string>

/** A connected account, as passed to its adapter. */
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
  /** The provider's own id of it, where the provider stores files. */
  provider_media_id: string | null
  /** A public, signed address for providers that fetch files; valid for days. */
  link: string
  /** Null when only the provider knows. */
  mime_type: string | null
  filename: string | null
}

/** A message template as the provider lists it. */
export type ProviderTemplate = {
  name: string
  language: string
  /** As named by the provider, such as `APPROVED`. */
  status: string
  category: string
  components: Json[]
} & TemplateFacts

/** Null where the provider did not say. */
export type TemplateFacts = {
  provider_template_id: string | null
  rejected_reason: string | null
  previous_category: string | null
  /** The category that the provider has announced. */
  next_category: string | null
  quality: string | null
}

/** The parts of a message beside its content. */
export type BuildOptions = {
  account: Account
  /** The recipient, as the contact's `user_id`. On WhatsApp the digits, or a business-scoped user id. */
  to: string
  /** The quoted message, by the provider's id. */
  context?: { message_id: string } | undefined
  /** The answered message as it is stored, for e-mails: its subject and references go on. */
  answered?: Pick<Message, 'message' | 'context'> | undefined
  /** The part of the chat where the message belongs, as the provider names it. */
  place?: { message_thread_id?: unknown; business_connection_id?: unknown } | undefined
  /** Our id of the message. Providers that can return it with each status; others may use it to recognise a repeat. */
  opaque: string
  /** The components of the template that a `template` names. */
  components?: Json[] | undefined
  /** Finds an uploaded file that the message names. */
  fileOf(media_id: string): UploadedFile
  meta_data?: Record<string, unknown> | undefined
  /** No person wrote the message: programs that answer e-mails leave it alone. */
  is_automatic?: boolean | undefined
  /** The time of the message, for providers that show it. */
  created_at?: Date | undefined
}

/** A call of a provider's webhook, unparsed, because signatures cover the text. */
export type HookCall = {
  raw: string
  /** The value of `hook.signature_header`. */
  signature: string | null
}

/** The answer to the call, and the items read from it. `items` is empty when it is refused. */
export type HookResult = { status: number; body: string; items: Inbound[] }

export type Inbound =
  | InboundMessage
  | InboundEcho
  | InboundStatus
  | InboundTemplate
  | InboundFlow
  | InboundConsent
  | InboundHistory
  | InboundThread
  | InboundProfile
  | InboundAccount
  | InboundIgnored

/** The account of an item, by `provider_account_id`; null for the one the call was addressed to. */
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
  /** Where it is not the `user_id`. */
  phone?: string | null
  /** Where the person wrote in a browser of ours. */
  browser?: VisitorBrowser
  at: Date
  type: string
  /**
   * `{ type, … }` with the fields of our API where it has them, else the provider's. A notice that the person edited or
   * withdrew a message has the type `edit` or `revoke`, the provider's id of that message as `original_message_id`, and
   * after an edit the new content as `message`, with its own `type`.
   */
  message: Json
  /** The provider's id of the quoted message. */
  context: { message_id: string } | null
  /** The provider's id of the message that this is a part of, where a message with several files becomes several. */
  part_of?: string
  /** Files of the message that the provider still has. */
  files?: InboundFile[]
  /** On an `edit` or a `revoke`: ids under which more parts of the original may be stored. */
  parts?: string[]
  /** Another app holds the conversation, and answers it. */
  standby?: Standby
  /** The person's new ids after a change of number. A null one is unknown. */
  becomes?: { user_id: string | null; bsuid: string | null }
  /**
   * `data` of the event in the format of WhatsApp's cloud webhooks, for other providers too: `{ messaging_product,
   * metadata, contacts: [one], messages: [one] }`.
   */
  value: Json
}

/** The app that holds a conversation. `is_guess`: the provider does not say which app it is. */
export type Standby = { holder: Exclude<ThreadHolder, 'parley'>; is_guess?: true }

/** A file that a person sent, still at the provider, or brought before its message. */
export type InboundFile = {
  /** Facts by which `fetchFile` finds it; those of a file that is here are its `media_id`. */
  reference: Json
  /** True when the caller of the webhook has stored it (`reference.media_id`). */
  is_here?: true
  /** The index in `attachments` of the message. Without one the message, or the new content of an edit, is the file. */
  attachment?: number
  /** True for the `story` that the message answers, which is a part of it. */
  is_story?: true
}

/** The bounds of a fetch. */
export type FetchLimits = {
  max_bytes: number
  /** Maximum milliseconds for the whole file. */
  deadline_ms: number
  signal: AbortSignal
}

/**
 * The stream fails with `FetchFailed`. The caller reads it or destroys it. `sha256`: that of the whole file in hex, where the
 * provider says it.
 */
export type ReceivedFile = { stream: Readable; sha256?: string | undefined } | { failure: SendFailure }

/**
 * A message to a person that the business wrote elsewhere, or one of ours that the provider tells back. `user_id` and `bsuid`
 * are those of the person. `opaque`: our id, where the provider returns it.
 */
export type InboundEcho = About &
  Pick<InboundMessage, 'provider_message_id' | 'user_id' | 'bsuid' | 'name' | 'at' | 'type' | 'message' | 'context'> &
  Pick<InboundMessage, 'part_of' | 'files' | 'parts' | 'value' | 'standby'> & {
    kind: 'echo'
    origin: MessageOrigin
    opaque: string | null
  }

/** The status of a sent message, or of all messages to a person up to a moment. */
export type InboundStatus = About & {
  kind: 'status'
  status: 'sent' | 'delivered' | 'read' | 'failed'
  at: Date
  /** Null when `up_to` selects the messages. */
  provider_message_id: string | null
  /** All messages sent to this person until then (a watermark). */
  up_to?: { user_id: string; at: Date }
  /** The `opaque` value of the send. */
  opaque: string | null
  error: { code: string; message: string } | null
  /** Where the message failed because this person does not want marketing messages. */
  opted_out?: Pick<InboundMessage, 'user_id' | 'bsuid'>
  /** Both ids of the recipient, where the provider names both. */
  proven?: ProvenIds
  /** The price, as the provider tells it. `category` in lower case with `_`. */
  pricing?: { category: string; billable: boolean }
  /** In the format of WhatsApp's `statuses[]`. Null: it is built from the other fields. */
  raw: Json | null
}

/**
 * A template was approved, rejected, paused, rated or moved to another category: `value` in the provider's format.
 * `status` null: the status stays.
 */
export type InboundTemplate = About & {
  kind: 'template'
  name: string
  language: string
  status: string | null
  facts?: Partial<Pick<ProviderTemplate, 'category' | Exclude<keyof TemplateFacts, 'provider_template_id'>>>
  value: Json
}

/** A Flow changed its status or its health. `status` null: another change. */
export type InboundFlow = About & {
  kind: 'flow'
  provider_flow_id: string
  event: string
  status: string | null
  value: Json
}

/** A person told the provider whether the account may send marketing messages. */
export type InboundConsent = About &
  Pick<InboundMessage, 'user_id' | 'bsuid' | 'name' | 'at'> & { kind: 'consent'; marketing: 'granted' | 'stopped' }

/**
 * The conversation with a person went from one app to another; or, `requested`, another app asks for it. `note`: what
 * the app that let go said of it.
 */
export type InboundThread = About &
  Pick<InboundMessage, 'user_id' | 'bsuid' | 'name' | 'at'> & { kind: 'thread'; note: string | null } & (
    | { event: 'passed' | 'taken'; holder: ThreadHolder }
    | { event: 'requested' }
  )

/** The ids of a person that the provider knows. */
export type Addressed = { user_id: string; bsuid: string | null }

/**
 * A change of the app that holds a conversation. `pass` is to the named app, or role; after a `release` the provider chooses
 * when the person writes.
 */
export type ThreadMove = { action: 'take' } | { action: 'release' } | { action: 'pass'; to: string }

/** A person who has written left an e-mail address. */
export type InboundProfile = About &
  Pick<InboundMessage, 'user_id' | 'bsuid' | 'at'> & { kind: 'profile'; email: string }

/** The account itself: connected, or disconnected with a reason. */
export type InboundAccount = About & {
  kind: 'account'
  status: 'connected' | 'disconnected'
  reason: string | null
}

/**
 * Messages and names from before the account was connected, or the news of their progress. `progress`: percent. `error`: the
 * provider's, when it passes nothing on. `is_declined`: the business does not share them. `ends_pairing`: the account and its
 * numbers were disconnected for good; the next pairing has a history of its own.
 */
export type InboundHistory = About & {
  kind: 'history'
  phase: number | null
  progress: number | null
  error: { code: string; message: string; is_declined: boolean } | null
  parts: HistoryPart[]
  ends_pairing?: true
}

/** Messages of one person, or the name of one, in the provider's form. `user_id`: the person; null where none is named. */
export type HistoryPart = { user_id: string | null; count: number; content: Json }

/** A message to or from a person. `user_id` and `bsuid` are those of the person. */
export type HistoryMessage = Pick<
  InboundEcho,
  | 'provider_message_id'
  | 'user_id'
  | 'bsuid'
  | 'name'
  | 'at'
  | 'type'
  | 'message'
  | 'context'
  | 'part_of'
  | 'files'
  | 'parts'
  | 'value'
> & {
  kind: 'message'
  direction: 'inbound' | 'outbound'
  status: 'sent' | 'delivered' | 'read' | 'failed'
  /** False where the provider does not know whether the message was sent. */
  confirmed: boolean
  /** Brings the content of a message that came as a placeholder. */
  is_file: boolean
}

/** One of the things in a part. */
export type HistoryItem =
  | HistoryMessage
  /** The person's name in the address book; null when it was removed from there. */
  | { kind: 'name'; user_id: string | null; bsuid: string | null; name: string | null }
  | { kind: 'unreadable' }

/**
 * A part of a call that has no meaning here: it is counted, and the check of the channel names it. `what`: a `field`, or
 * an `account` of the provider that no channel has. `name`: the field, or the account. `sample_fields`: names of fields in the
 * part, without contents.
 */
export type InboundIgnored = About & {
  kind: 'ignored'
  what: 'field' | 'account'
  name: string
  sample_fields: string[]
}

/** The provider's rate limits for one account. The defaults of its documentation. */
export type Pace = {
  /** Messages a second of the whole account. */
  per_second: number
  /** One message in `every_ms` milliseconds to one recipient, with a burst borrowed from the future. */
  recipient?: { every_ms: number; burst: number }
}

export interface Provider {
  /**
   * The provider's request for a message, stored with it until it is sent. Pure. Throws `Refusal` for content that this
   * provider cannot send although the matrix of capabilities allows the type.
   */
  build(message: Payload, options: BuildOptions): Json
  /** Fields of a request that the stored message shows beside those of the client. Pure. */
  marks?(request: Json): Json
  /** The id of the choice of a sent message that came back as a token, where long ids are sent as tokens. Pure. */
  idOfToken?(token: string, sent: Payload): string | undefined
  /** Sends a request of `build` once. Never rejects, never tries again. */
  send(credentials: Credentials, request: Json, signal?: AbortSignal): Promise<Outcome>
  /** Maximum milliseconds from the first byte of a send to its end, where that may be longer than callbacks are awaited. */
  maxSend?(request: Json): number
  /** Checks whether the provider knows the account and takes the credentials. Changes nothing. */
  probe(credentials: Credentials): Promise<{ account: Json } | { failure: SendFailure }>
  /**
   * Begins to fetch a file that a person sent. Undefined for providers that keep no files, or give them out whenever they
   * are asked. Never rejects, never tries again.
   */
  fetchFile?(credentials: Credentials, reference: Json, limits: FetchLimits): Promise<ReceivedFile>
  /**
   * Changes the app that holds the conversation with a person. Undefined for providers on which apps share no conversations.
   * Never rejects, never tries again.
   */
  moveThread?(
    credentials: Credentials,
    person: Addressed,
    move: ThreadMove,
    signal: AbortSignal,
  ): Promise<{ holder: ThreadHolder | 'nobody' } | { failure: SendFailure }>
  /** The message templates that the provider stores for the account. Undefined for providers without templates. Changes nothing. */
  listTemplates?: (credentials: Credentials) => Promise<{ templates: ProviderTemplate[] } | { failure: SendFailure }>
  /** Undefined for providers that pass on no messages from before the account was connected. */
  readonly history?: ProviderHistory
  /** Hours after a person's last message in which any message may be sent; null when there is no limit. */
  readonly window_hours: number | null
  readonly pace: Pace
  /** Statuses come back with our id (`opaque`). */
  readonly confirms: boolean
  /**
   * The way to learn whether the provider took a message that it did not answer:
   *
   * - `callback`  a status with our id always comes for a message that it took, so none means that it did not
   * - `repeat`    it keeps one copy of a message, however often it is sent
   * - `nothing`   a repeat might reach the person twice, so none is made
   */
  readonly settles_doubt: 'callback' | 'repeat' | 'nothing'
  /**
   * Statuses of a message of ours may name it only by the provider's id. One that arrives before the answer with that id is
   * stored is kept for it, as one of a message that the business wrote elsewhere is.
   */
  readonly early_statuses: boolean
  /** Null when the provider calls no webhook. */
  readonly hook: Hook | null
  close(): Promise<void>
}

/** Failures of the two requests; null for one that was taken. */
export type HistoryAsked = { messages: SendFailure | null; names: SendFailure | null }

export type ProviderHistory = {
  /** Asks for messages and names, which come by the webhook. Providers take it once for each pairing. Never rejects. */
  request(credentials: Credentials): Promise<HistoryAsked>
  /** The contents of a part of the webhook's, in the order of their times. `now` replaces missing times. Pure. */
  read(part: Json, now: Date): HistoryItem[]
}

export type Hook = {
  /** Lower case; the header with the provider's signature. */
  signature_header: string
  /** Answers the request by which a provider verifies an address (GET). Undefined: the request is not the provider's. */
  challenge?(query: URLSearchParams, credentials: Credentials): string | undefined
  /**
   * Does the slow work of a call before it goes to the project, whose turns are synchronous, and returns the call for
   * the project. Verifies the call before any expensive work. Rejects with `Unavailable`.
   */
  prepare?(call: HookCall, credentialsOf: () => Promise<Credentials>, now: Date): Promise<HookCall>
  /** Verifies a call and parses it. `now` replaces missing times. Never throws. */
  read(call: HookCall, account: Account, now: Date): HookResult
}
