/** Messages of the conversation: as the server tells them, as the page keeps them, and those that wait to be sent. */
import type { Content, ReplyKind } from './content.ts'

/** `inbound` messages are the visitor's. */
export type Direction = 'inbound' | 'outbound'

/** The delivery status of an outbound message. */
export type Status = 'queued' | 'sent' | 'delivered' | 'read'

export type Message = {
  /** Orders the messages as they are stored. Missing for those that are not. */
  id?: string | undefined
  /** The same on every way that the message comes. */
  ref: string
  direction: Direction
  /** ISO 8601. */
  at: string
  /** The `ref` of the message that is answered. */
  context: string | null
  message: Content
  /** Pages from which the answer comes. */
  sources?: { title: string; url: string }[] | undefined
  /** Missing for ours that come live: those are `sent`. The visitor's are `read` once somebody has read them. */
  status?: Status | undefined
}

/** `arrival` orders messages of the same moment that have no id. */
export type KeptMessage = Message & { arrival: number }

/** A visitor's message, as the chat sends it. `about` is the `ref` of an outbound message. */
export type VisitorInput =
  | { type: 'text'; body: string }
  | { type: ReplyKind; about: string; reply: { id: string; title: string } }
  | { type: 'reaction'; about: string; emoji: string }
  | { type: 'file'; file: string; caption?: string }

/** Not sent yet, or never: then `failed` says why, with the `code` of the refusal. */
export type WaitingMessage = Message & {
  /** Chosen by the page: the stored message has another one. */
  id: string
  /** Orders messages of the same moment. */
  order: number
  said: VisitorInput & { id: string }
  pending: boolean
  /** It may have been stored. */
  is_tried: boolean
  failed?: string
  code?: string
  /** A file that is sent with it. It lasts as long as the page. */
  upload?: Upload
}

/** `progress` is between 0 and 1. */
export type Upload = { blob: Blob; progress: number; failures: number; cancel: AbortController }

export type ShownMessage = Message & Partial<WaitingMessage>
