/** The surroundings of the content of a message: whom it answers, who wrote it first, the buttons below it. No DOM. */
import type { AnyRecord } from '../../../records/record.ts'

export const aroundFields = [
  'quote',
  'forwarded',
  'frequently_forwarded',
  'forward_origin',
  'external_reply',
  'reply_to_story',
  'media_group_id',
  'via_bot',
  'reply_markup',
  'link_preview_options',
  'message_thread_id',
  'business_connection_id',
  'direct_messages_topic',
  'effect_id',
  'paid_star_count',
  'referral',
  'group_id',
]

/**
 * The name of the first author of a forwarded message; an empty text when it is not known.
 *
 * @returns undefined for a message that was not forwarded
 */
export function forwardedFrom({
  forwarded,
  frequently_forwarded,
  forward_origin: origin,
}: AnyRecord): string | undefined {
  if (!forwarded && !frequently_forwarded && !origin) return undefined
  const { sender_user, sender_user_name, sender_chat, chat, author_signature } = origin ?? {}
  const place = sender_chat ?? chat
  return nameOf(sender_user) || sender_user_name || nameOf(place) || author_signature || ''
}

/** The words that a message answers, as they came with it, and where they stand when that is not this chat. */
export function answeredIn({
  quote,
  external_reply: external,
  reply_to_story: story,
}: AnyRecord): { text: string; is_manual: boolean; from: string } | undefined {
  const text = typeof quote?.text === 'string' ? quote.text : ''
  const origin = external?.origin ?? {}
  const from = external
    ? nameOf(external.chat) || nameOf(origin.sender_user) || origin.sender_user_name || 'another chat'
    : ''
  if (story) return { text: text || 'A story', is_manual: false, from: nameOf(story.chat) }
  if (text === '' && from === '') return undefined
  return { text: text || 'A message', is_manual: quote?.is_manual === true || external !== undefined, from }
}

/** The buttons below a message; those that open no page have no `url`. */
export function buttonsOf({ reply_markup }: AnyRecord): { text: string; url?: string }[] {
  const rows = Array.isArray(reply_markup?.inline_keyboard) ? reply_markup.inline_keyboard.flat() : []
  return rows
    .filter((one: AnyRecord) => typeof one?.text === 'string')
    .map(({ text, url }: AnyRecord) => (/^https?:\/\//i.test(url) ? { text, url } : { text }))
}

function nameOf(person: AnyRecord | undefined) {
  if (!person) return ''
  const { title, first_name, last_name, username } = person
  const name = title ?? [first_name, last_name].filter(Boolean).join(' ')
  return name || (username ? `@${username}` : '')
}
