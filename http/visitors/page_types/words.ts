/** The chat's own texts in one language. */
import type { FileKind } from './content.ts'
import type { ConversationState } from './protocol.ts'

export type Words = {
  language: string
  open: string
  unread(count: number): string
  close: string
  messages: string
  older: string
  write: string
  send: string
  you: string
  sending: string
  not_sent: string
  not_sent_yet: string
  /** Missing where there is nothing to say. */
  states: Partial<Record<ConversationState | 'held', string>>
  /** Texts by error code. */
  failures: Partial<Record<string, string>>
  react: string
  files: Record<FileKind, string>
  gone: string
  other: string
  offers: string
}
