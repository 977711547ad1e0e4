/** The chat's own texts in one language. */

import type { ConversationState } from './connection/protocol.ts'
import type { FileKind } from './messages/content.ts'

export type Words = {
  language: string
  open: string
  unread(count: number): string
  close: string
  /** Takes the preview of an answer away. */
  hide: string
  messages: string
  older: string
  /** Shown while nothing has been said. */
  greeting: string
  write: string
  send: string
  you: string
  today: string
  yesterday: string
  typing(name: string): string
  /** Words for the ticks of the visitor's messages. */
  sending: string
  sent: string
  read: string
  not_sent: string
  not_sent_yet: string
  again: string
  cancel: string
  attach: string
  /** Shown while files are held above the window. */
  drop: string
  mute: string
  /** Missing where there is nothing to say. */
  states: Partial<Record<ConversationState | 'held', string>>
  /** Texts by error code. */
  failures: Partial<Record<string, string>>
  react: string
  files: Record<FileKind, string>
  gone: string
  other: string
  offers: string
  /** Pages from which an answer comes. */
  sources: string
  /** Nobody answers until then; null: that is unknown. */
  back(at: Date | null): string
  /** How long an answer usually takes. */
  repliesIn(seconds: number): string
  email: {
    ask: string
    label: string
    save: string
    later: string
    wrong: string
    failed: string
    thanks(email: string): string
  }
}
