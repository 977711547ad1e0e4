/** The content of a message in a few words. No DOM. */
import type { AnyRecord } from '../records/record.ts'
import { words } from './entry/words.ts'

/** Names other than the type itself. */
const NAMES: Partial<Record<string, string>> = {
  image: 'Picture',
  audio: 'Voice message',
  contacts: 'Contact',
  interactive: 'Answer',
  unsupported: 'Other content',
  ig_reel: 'Reel',
  ig_post: 'Post',
  ig_story: 'Story',
  story_mention: 'Mention in a story',
}

/** Stands for the content of a message that its author withdrew. */
export const WITHDRAWN = 'Withdrawn'

/** A message, or what a list knows of it: the beginning of its text instead of the content. */
type Said = {
  type: string
  message?: AnyRecord
  text?: string | null
  deleted_at?: string | null
  channel_id?: string | null
}

/** The texts of templates, without which a template has its name alone. */
type Templates = { textOf(message: Said): string | undefined }

/**
 * A message in a few words, wherever it is not shown as a whole: its text, the subject of an e-mail without one, or what its
 * kind says of it.
 */
export function wordsOf(said: Said, templates?: Templates): string {
  const { type, message: content, text, deleted_at } = said
  if (deleted_at) return WITHDRAWN
  if (typeof text === 'string' && text.trim() !== '') return text
  if (type === 'template') return templates?.textOf(said) ?? labelled('Template', content?.name)
  const kind = content?.kind ?? type
  return (content && WORDS[type]?.(content)) ?? textOf(content) ?? content?.subject ?? notices[kind] ?? nameOfType(kind)
}

const notices: Partial<Record<string, string>> = words

/** The words of messages of some kinds, beside a text. */
const WORDS: Partial<Record<string, (content: AnyRecord) => string | undefined>> = {
  audio: ({ voice, caption, title, filename }) =>
    voice === false ? (caption ?? title ?? filename ?? 'Audio') : undefined,
  sticker: ({ emoji }) => labelled('Sticker', emoji, ' '),
  location: ({ name, address }) => labelled('Location', name || address),
  contacts({ contacts }) {
    const names = (Array.isArray(contacts) ? contacts : []).map((one: AnyRecord) => one?.name?.formatted_name)
    return labelled(names.length > 1 ? 'Contacts' : 'Contact', names.filter(Boolean).join(', '))
  },
  reaction: ({ emoji }) => (emoji ? `Reacted with ${emoji}` : 'Took a reaction back'),
  order({ item_count, product_items, text }) {
    const count = item_count ?? (Array.isArray(product_items) ? product_items.length : 0)
    return labelled(count === 1 ? 'Order of 1 product' : `Order of ${count} products`, text)
  },
  interactive({ button_reply, list_reply, nfm_reply, call_permission_reply: call }) {
    const reply = button_reply ?? list_reply
    if (reply) return reply.title
    if (call) return call.response === 'accept' ? words.may_call : words.may_not_call
    return nfm_reply && words.filled_form
  },
}

/** `more` is a fact of the message, which may be missing. */
function labelled(name: string, more: unknown, between = ': ') {
  return typeof more === 'string' && more.trim() !== '' ? `${name}${between}${more}` : name
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
  const { body, body_text, text, caption, emoji, title, filename, name } = message
  const found = body ?? body_text ?? text ?? caption ?? emoji ?? title ?? filename ?? name
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
