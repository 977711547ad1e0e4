/** Updates of Telegram's webhook about a bot's private chats. */
import { inboundMessage, type Said } from '../cloud_shape.ts'
import { isObject, type Json, objects, parseCall, textOf } from '../json.ts'
import type { Account, Inbound } from '../provider.ts'
import { choiceOf } from './callback_data.ts'
import { contentOf } from './content.ts'
import { messageIdOf } from './message_id.ts'

/** `body` is the answer to the call: Telegram accepts a call of its API in it. */
type Read = { body: string; items: Inbound[] }

/**
 * Reads one update. Edits, groups and channels are left out: a contact is one person, and an edit is not a new message.
 * Undefined when it is not an update.
 */
export function readUpdate(raw: string, account: Account, now: Date): Read | undefined {
  const update = parseCall(raw)
  if (!isObject(update)) return undefined
  const update_id = textOf(update.update_id)
  if (update_id === null) return undefined
  const { message, callback_query, message_reaction } = update
  const about = { messaging_product: 'telegram', metadata: metadataOf(account) }
  const id = `update:${update_id}`
  if (isObject(message)) return { body: 'OK', items: said(toMessage(message, now), about) }
  if (isObject(message_reaction)) return { body: 'OK', items: said(toReaction(message_reaction, id, now), about) }
  if (!isObject(callback_query)) return { body: 'OK', items: [] }
  // Until the press is answered, the person's button shows that it is waiting.
  const answer = { method: 'answerCallbackQuery', callback_query_id: textOf(callback_query.id) }
  return { body: JSON.stringify(answer), items: said(toReply(callback_query, id, now), about) }
}

type About = Pick<Said, 'messaging_product' | 'metadata'>
type Content = Omit<Said, keyof About>

function said(content: Content | undefined, about: About): Inbound[] {
  return content ? [inboundMessage({ ...about, ...content })] : []
}

function metadataOf({ provider_account_id }: Account): Json {
  return provider_account_id === null ? {} : { account_id: provider_account_id }
}

function toMessage(message: Json, now: Date): Content | undefined {
  const chat_id = privateChat(message.chat)
  const message_id = textOf(message.message_id)
  const content = contentOf(message)
  if (chat_id === undefined || message_id === null || !content) return undefined
  const { reply_to_message: quoted } = message
  const quoted_id = isObject(quoted) ? textOf(quoted.message_id) : null
  return {
    provider_message_id: messageIdOf(chat_id, message_id),
    user_id: chat_id,
    name: nameOf(message.from) ?? nameOf(message.chat),
    at: timeOf(message.date, now),
    ...content,
    context: quoted_id === null ? null : messageIdOf(chat_id, quoted_id),
  }
}

/**
 * A pressed button; `context` is the message with the keyboard.
 */
function toReply(query: Json, provider_message_id: string, now: Date): Content | undefined {
  const { message, data } = query
  if (!isObject(message) || typeof data !== 'string') return undefined
  const chat_id = privateChat(message.chat)
  const message_id = textOf(message.message_id)
  if (chat_id === undefined || message_id === null) return undefined
  const title = titleOf(message.reply_markup, data)
  const { kind, ...choice } = choiceOf(data)
  return {
    provider_message_id,
    user_id: chat_id,
    name: nameOf(query.from),
    // The update has no time: `message.date` is when the keyboard was sent.
    at: now,
    type: 'interactive',
    node: { type: kind, [kind]: { ...choice, ...(title !== null && { title }) } },
    context: messageIdOf(chat_id, message_id),
  }
}

function toReaction(reaction: Json, provider_message_id: string, now: Date): Content | undefined {
  const chat_id = privateChat(reaction.chat)
  const message_id = textOf(reaction.message_id)
  if (chat_id === undefined || message_id === null) return undefined
  const reactions = objects(reaction.new_reaction)
  const emoji = reactions.length === 0 ? '' : textOf(reactions.find(({ type }) => type === 'emoji')?.emoji)
  // Telegram's custom emoji have no character.
  if (emoji === null) return undefined
  return {
    provider_message_id,
    user_id: chat_id,
    name: nameOf(reaction.user),
    at: timeOf(reaction.date, now),
    type: 'reaction',
    node: { message_id: messageIdOf(chat_id, message_id), emoji },
  }
}

/** The chat's id, which is the person's. Undefined for a group or a channel. Old updates have no chat type. */
function privateChat(chat: unknown): string | undefined {
  if (!isObject(chat)) return undefined
  const is_private = chat.type === 'private' || (chat.type === undefined && Number(chat.id) > 0)
  return is_private ? (textOf(chat.id) ?? undefined) : undefined
}

function nameOf(person: unknown): string | null {
  if (!isObject(person)) return null
  const names = [textOf(person.first_name), textOf(person.last_name)].filter((name) => name !== null)
  return names.length > 0 ? names.join(' ') : textOf(person.username)
}

function titleOf(markup: unknown, data: string): string | null {
  const rows = isObject(markup) && Array.isArray(markup.inline_keyboard) ? markup.inline_keyboard : []
  return textOf(rows.flatMap(objects).find(({ callback_data }) => callback_data === data)?.text)
}

const LAST_SECOND = 10_000_000_000

function timeOf(seconds: unknown, now: Date): Date {
  return typeof seconds === 'number' && seconds > 0 && seconds < LAST_SECOND ? new Date(seconds * 1000) : now
}
