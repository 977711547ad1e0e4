/** The content of a message in a few words. No DOM. */
import type { AnyRecord } from '../records/record.ts'

/** Names other than the type itself. */
const NAMES: Partial<Record<string, string>> = {
  image: 'Picture',
  audio: 'Voice message',
  contacts: 'Contact',
  interactive: 'Answer',
  unsupported: 'Other content',
}

/** Stands for the content of a message that its author withdrew. */
export const WITHDRAWN = 'Withdrawn'

/**
 * The text of a message, the subject of an e-mail without one, or the name of its kind.
 *
 * @param message the content
 */
export function previewOf(type: string, message: AnyRecord) {
  return textOf(message) ?? message?.subject ?? nameOfType(message?.kind ?? type)
}

/** The same of a whole message, which may be withdrawn. */
export function wordsOf({ type, message, deleted_at }: AnyRecord) {
  return deleted_at ? WITHDRAWN : previewOf(type, message)
}

/** Also of a kind of a provider, such as `successful_payment` or `pollCreationMessageV3`. */
export function nameOfType(type: string) {
  return (
    NAMES[type] ??
    type
      .replace(/Message(V\d+)?$/, '')
      .replace(/_|(?=[A-Z])/g, ' ')
      .replace(/^./, (letter) => letter.toUpperCase())
  )
}

/** The text of a message of any kind, if it has one. */
export function textOf(message: AnyRecord): string | undefined {
  if (!message) return undefined
  const { body, text, caption, emoji, title, filename, name } = message
  const found = body ?? text ?? caption ?? emoji ?? title ?? filename ?? name
  if (typeof found === 'string' && found.trim() !== '') return found
  // Contents may be nested, such as `{ body: { text } }` of interactive messages.
  return typeof found === 'object' ? textOf(found) : undefined
}

/**
 * True for a message that the person did not write: news of the person or of another message. The rule of the server.
 */
export function isNotice({ type, message: content }: AnyRecord) {
  if (content?.group_id) return true
  if (type === 'reaction') return content?.emoji === ''
  const reply = content?.call_permission_reply
  return reply
    ? reply.response !== 'accept' || reply.response_source === 'automatic'
    : /^(system|request_welcome|referral|optin|account_linking|edit|revoke|(un)?pin)$/.test(type)
}
