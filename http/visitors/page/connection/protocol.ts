/** The protocol between the chat page and the server. */
import type { Message, Status, VisitorInput } from '../messages/message.ts'

export type Credentials = { channel_id: string; visitor_token?: string }

/** The person who answers here, with the address of a photo. */
export type Agent = { name: string; photo_url: string | null }

export type Welcome = { visitor_token: string; name: string }

/** `changes_at` (ISO 8601): when `is_open` is another value. `replies_in_s`: how long an answer usually takes. Null: unknown. */
export type Availability = { is_open: boolean; changes_at: string | null; replies_in_s: number | null }

/** An answer that is being written. It is no message yet. */
export type Draft = { turn_id: string; text: string }

/** `typing`: the agent writes right now. */
export type Typing = { agent: Agent | null; typing: boolean; draft?: Draft }

/** The visitor's messages until `at` (ISO 8601) were read. */
export type Read = { at: string }

/** The reason of a refusal. `retry_after_s` is the time until a repeat may succeed. */
export type Refusal = { code: string; message?: string; retry_after_s?: number | undefined }

/** Events that the page receives. `sync`: some messages may have been missed. */
export type Event =
  | ['welcome', Welcome]
  | ['message', Message]
  | ['typing', Typing]
  | ['read', Read]
  | ['agent', Agent | null]
  | ['availability', Availability]
  | ['sync', undefined]

/** `closed` ends the connection. */
export type Packet = Event | ['closed', Refusal]

/** `messages` come with the oldest first; `before` is the position of older ones, null when there are none. */
export type HistoryPage = { messages: Message[]; before: string | null; agent: Agent | null; has_email: boolean }

/** Where the visitor is. `referrer` is empty without one, `language` is BCP 47. */
export type Browser = { page_url: string; referrer: string; language: string }

/** Events that the page sends, which are not answered. */
export type Tells = { typing: { typing: boolean }; browser: Browser }

/** Requests of the page, by name. */
export type Asks = {
  history: { question: { before?: string }; answer: HistoryPage }
  say: { question: VisitorInput & { id: string }; answer: { ref: string; at: string; id?: string } }
  /** `path` is relative to our address. */
  upload: { question: { size: number; filename: string }; answer: { path: string } }
  /** An address at which the visitor can be reached. */
  email: { question: { email: string }; answer: object }
  /** Without a token the visitor is this person already. */
  identify: { question: { token: string }; answer: { visitor_token?: string } }
  /** Ends this session, or that of another token. */
  logout: { question: { visitor_token?: string }; answer: object }
  seen: { question: { status: SeenStatus; refs: string[] }; answer: object }
}

/** The status that a visitor can report of an outbound message. */
export type SeenStatus = Extract<Status, 'delivered' | 'read'>

/** States of a connection; `Connection` explains them. */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'away' | 'busy' | 'off' | 'refused'

/** `closed`: by the page itself. */
export type ConversationState = ConnectionState | 'closed'

/** Called by the connection. */
export type Listener = {
  auth(): Credentials
  event(...event: Event): void
  /** Returns true to retry at once. */
  refused(code: string): boolean
  state(state: ConnectionState): void
}
