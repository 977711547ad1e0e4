/** Fields of a Bot API message beside its content: what it answers, where it comes from, where it stands. */
import { isObject, type Json, objects, textOf } from '../json.ts'

/** Fields that are kept as they are. */
const KEPT = [
  'external_reply',
  'reply_to_story',
  'media_group_id',
  'via_bot',
  'reply_markup',
  'link_preview_options',
  'message_thread_id',
  'direct_messages_topic',
  'business_connection_id',
  'effect_id',
  'paid_star_count',
]

/** Former fields of a forwarded message, before Bot API 7.0. */
const FORWARDS = ['forward_from', 'forward_from_chat', 'forward_sender_name', 'forward_date']

/** Fields that are no content: the ones above, those that are read elsewhere, and signs of how the message is shown. */
const ABOUT = new Set([
  ...KEPT,
  ...FORWARDS,
  'message_id',
  'date',
  'edit_date',
  'from',
  'chat',
  'sender_chat',
  'sender_boost_count',
  'sender_business_bot',
  'sender_tag',
  'receiver_user',
  'ephemeral_message_id',
  'guest_query_id',
  'guest_bot_caller_user',
  'guest_bot_caller_chat',
  'author_signature',
  'forward_origin',
  'forward_from_message_id',
  'forward_signature',
  'is_automatic_forward',
  'is_topic_message',
  'is_from_offline',
  'is_paid_post',
  'has_protected_content',
  'has_media_spoiler',
  'show_caption_above_media',
  'reply_to_message',
  'reply_to_checklist_task_id',
  'reply_to_poll_option_id',
  'quote',
  'text',
  'entities',
  'caption',
  'caption_entities',
  'suggested_post_info',
])

/** Notices about the chat itself, which the person did not write. */
const NOTICES =
  /^(?:new_chat_\w+|left_chat_\w+|delete_chat_photo|(?:group|supergroup|channel)_chat_created|message_auto_delete_timer_changed|migrate_\w+|pinned_message|chat_\w+_(?:set|changed)|chat_owner_\w+|forum_topic_\w+|general_forum_topic_\w+|video_chat_\w+|voice_chat_\w+|giveaway_created|giveaway_completed|boost_added|direct_message_price_changed|paid_message_price_changed|suggested_post_\w+|managed_bot_\w+)$/

/** The fields of content that no type of ours expresses, such as a payment; empty for a notice about the chat. */
export function otherContent(message: Json): Json {
  return Object.fromEntries(
    Object.entries(message).filter(
      ([field, value]) => !ABOUT.has(field) && !NOTICES.test(field) && value !== null && value !== undefined,
    ),
  )
}

/** The surroundings of the content, by Telegram's names; `forwarded` is WhatsApp's. */
export function aroundOf(message: Json): Json {
  const kept = KEPT.filter((field) => message[field] !== undefined && !isPlain(field, message[field]))
  const quote = quoteOf(message)
  const forward_origin = originOf(message)
  return {
    ...Object.fromEntries(kept.map((field) => [field, message[field]])),
    ...(forward_origin && { forwarded: true, forward_origin }),
    ...(quote && { quote }),
  }
}

/** Preview options without an address of their own say only how a preview looks. */
function isPlain(field: string, value: unknown): boolean {
  return field === 'link_preview_options' && !(isObject(value) && textOf(value.url) !== null)
}

function originOf(message: Json): Json | undefined {
  if (isObject(message.forward_origin)) return message.forward_origin
  const { forward_date: date, forward_from: sender_user, forward_from_chat: chat, forward_sender_name } = message
  if (isObject(chat)) return { type: chat.type === 'channel' ? 'channel' : 'chat', date, chat }
  if (isObject(sender_user)) return { type: 'user', date, sender_user }
  const sender_user_name = textOf(forward_sender_name)
  return sender_user_name === null ? undefined : { type: 'hidden_user', date, sender_user_name }
}

/** Characters of the answered text that an answer repeats: as many as a person may quote. */
const MAX_QUOTE_LENGTH = 1024

/**
 * The part of the answered message that the person chose, else the beginning of that message, which may be unknown here.
 * `is_manual` marks the first.
 */
function quoteOf({ quote, reply_to_message: answered }: Json): Json | undefined {
  if (isObject(quote) && typeof quote.text === 'string') return quote
  if (!isObject(answered)) return undefined
  const text = textOf(answered.text) ?? textOf(answered.caption)
  return text === null ? undefined : { text: text.slice(0, MAX_QUOTE_LENGTH).toWellFormed() }
}

/** Marks and links of the words; a link may stand behind a word. Offsets and lengths are UTF-16 units. */
export function entitiesOf(message: Json): Json {
  const entities = objects(message.text === undefined ? message.caption_entities : message.entities)
  return entities.length > 0 ? { entities } : {}
}
