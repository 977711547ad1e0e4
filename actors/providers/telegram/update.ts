/** Updates of Telegram's webhook about a bot's private chats. */
import { inboundMessage, type Said } from '../cloud_shape.ts'
import { echoOf } from '../echo.ts'
import { ignoredField } from '../ignored.ts'
import { isObject, type Json, objects, parseCall, textOf } from '../json.ts'
import type { Account, Inbound, InboundEcho, InboundMessage } from '../provider.ts'
import { choiceOf } from './callback_data.ts'
import { contentOf, leftOutOf } from './content.ts'
import { aroundOf } from './fields.ts'
import { messageIdOf } from './message_id.ts'

/** `body` is the answer to the call: Telegram accepts a call of its API in it. */
type Read = { body: string; items: Inbound[] }

/**
 * Reads one update. Groups and channels are counted: a contact is one person. What the owner of a business account writes
 * is an echo. Undefined when it is not an update.
 */
export function readUpdate(raw: string, account: Account, now: Date): Read | undefined {
  const update = parseCall(raw)
  if (!isObject(update)) return undefined
  const update_id = textOf(update.update_id)
  if (update_id === null) return undefined
  const { callback_query, message_reaction, deleted_business_messages: deleted } = update
  const message = update.message ?? update.business_message
  const edited = update.edited_message ?? update.edited_business_message
  const about = { messaging_product: 'telegram', metadata: metadataOf(account) }
  const id = `update:${update_id}`
  if (isObject(message)) {
    const items = said(withId(toMessage(message, now), message, id), about, message)
    return { body: 'OK', items: withLeftOut(items, message) }
  }
  if (isObject(edited)) return { body: 'OK', items: withLeftOut(toEdit(edited, id, now, about), edited) }
  if (isObject(deleted)) return { body: 'OK', items: toWithdrawals(deleted, now, about) }
  if (isObject(message_reaction)) {
    const items = said(toReaction(message_reaction, id, now), about)
    return { body: 'OK', items: items.length > 0 ? items : ofOtherChat('message_reaction', message_reaction) }
  }
  if (!isObject(callback_query)) {
    const [kind] = Object.keys(update).filter((name) => name !== 'update_id')
    return { body: 'OK', items: kind === undefined ? [] : [ignoredField(kind, null, update[kind])] }
  }
  // Until the press is answered, the person's button shows that it is waiting.
  const answer = { method: 'answerCallbackQuery', callback_query_id: textOf(callback_query.id) }
  const reply = toReply(callback_query, id, now)
  // A game, or a message that was sent by way of the bot.
  return {
    body: JSON.stringify(answer),
    items: reply ? said(reply, about) : [ignoredField('callback_query', null, callback_query)],
  }
}

/** Messages for one person's eyes in a chat have the number 0, all of them. */
function withId(content: Content | undefined, { message_id }: Json, id: string): Content | undefined {
  return content && message_id === 0 ? { ...content, provider_message_id: id } : content
}

function withLeftOut(items: Inbound[], message: Json): Inbound[] {
  if (items.length === 0) return ofOtherChat('message', message)
  return [...items, ...leftOutOf(message).map((field) => ignoredField(`message.${field}`, null, message[field]))]
}

/** Acts in a chat that is no person's are counted by the kind of the chat. */
function ofOtherChat(name: string, message: Json): Inbound[] {
  if (isObject(message.chat) && privateChat(message.chat) !== undefined && textOf(message.message_id) !== null)
    return []
  const kind = isObject(message.chat) ? textOf(message.chat.type) : null
  return [ignoredField(kind === null || kind === 'private' ? name : `${name}.${kind}`, null, message)]
}

type About = Pick<Said, 'messaging_product' | 'metadata'>
type Content = Omit<Said, keyof About>

/** `message`: the message that the content is of. */
function said(content: Content | undefined, about: About, message: Json = {}): Inbound[] {
  return content ? [ofOwner(inboundMessage({ ...about, ...content }), message)] : []
}

/** The same message as one of the business, where the owner of its account, or a bot for the owner, wrote it. */
function ofOwner(item: InboundMessage, message: Json): InboundMessage | InboundEcho {
  if (!isOwners(message)) return item
  return echoOf(item, { origin: isObject(message.sender_business_bot) ? 'app' : 'phone' })
}

function isOwners({ chat, from, business_connection_id }: Json): boolean {
  const chat_id = privateChat(chat)
  return business_connection_id !== undefined && chat_id !== undefined && isObject(from) && textOf(from.id) !== chat_id
}

function metadataOf({ provider_account_id }: Account): Json {
  return provider_account_id === null ? {} : { account_id: provider_account_id }
}

function toMessage(message: Json, now: Date): Content | undefined {
  const chat_id = privateChat(message.chat)
  const message_id = textOf(message.message_id)
  if (chat_id === undefined || message_id === null || !isFromPerson(message, chat_id)) return undefined
  const content = pinned(message, chat_id) ?? contentOf(message)
  if (!content) return undefined
  const { reply_to_message: quoted } = message
  const quoted_id = isObject(quoted) ? textOf(quoted.message_id) : null
  return {
    provider_message_id: messageIdOf(chat_id, message_id),
    user_id: chat_id,
    name: (isOwners(message) ? null : nameOf(message.from)) ?? nameOf(message.chat),
    at: timeOf(message.date, now),
    ...content,
    context: quoted_id === null ? null : messageIdOf(chat_id, quoted_id),
    around: aroundOf(message),
  }
}

/** Old pins also bring what the other side did. */
function isFromPerson({ from, pinned_message }: Json, chat_id: string): boolean {
  if (pinned_message === undefined) return true
  return !isObject(from) || textOf(from.id) === chat_id
}

function pinned({ pinned_message: pin }: Json, chat_id: string): { type: string; node: Json } | undefined {
  const message_id = isObject(pin) ? textOf(pin.message_id) : null
  return message_id === null ? undefined : { type: 'pin', node: { message_id: messageIdOf(chat_id, message_id) } }
}

/** An edited message is its new content. The moves of a live location are left out: there are hundreds of them. */
function toEdit(edited: Json, provider_message_id: string, now: Date, about: About): Inbound[] {
  const content = toMessage(edited, now)
  if (content === undefined || (isObject(edited.location) && edited.location.live_period !== undefined)) return []
  const original_message_id = content.provider_message_id
  const { message, value, files } = inboundMessage({ ...about, ...content })
  const [{ id: _, from: __, timestamp: ___, ...body } = {}] = (value.messages ?? []) as Json[]
  const notice = inboundMessage({
    ...about,
    ...content,
    around: undefined,
    file: undefined,
    context: null,
    provider_message_id,
    at: timeOf(edited.edit_date, now),
    type: 'edit',
    node: { original_message_id, message: body },
  })
  return [
    ofOwner({ ...notice, ...(files && { files }), message: { type: 'edit', original_message_id, message } }, edited),
  ]
}

/** A call names up to 100 messages of a business account's chat. */
function toWithdrawals(deleted: Json, now: Date, about: About): Inbound[] {
  const { chat, message_ids } = deleted
  const chat_id = privateChat(chat)
  if (chat_id === undefined || !Array.isArray(message_ids))
    return [ignoredField('deleted_business_messages', null, deleted)]
  return message_ids.flatMap((each) => {
    const id = textOf(each)
    if (id === null) return []
    const original_message_id = messageIdOf(chat_id, id)
    const said = { provider_message_id: `${original_message_id}:revoke`, user_id: chat_id, name: nameOf(chat), at: now }
    return [inboundMessage({ ...about, ...said, type: 'revoke', node: { original_message_id } })]
  })
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
  const { message_thread_id, business_connection_id } = aroundOf(message)
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
    around: {
      ...(message_thread_id !== undefined && { message_thread_id }),
      ...(business_connection_id !== undefined && { business_connection_id }),
    },
  }
}

function toReaction(reaction: Json, provider_message_id: string, now: Date): Content | undefined {
  const chat_id = privateChat(reaction.chat)
  const message_id = textOf(reaction.message_id)
  if (chat_id === undefined || message_id === null) return undefined
  const reactions = objects(reaction.new_reaction)
  const emoji = reactions.length === 0 ? '' : textOf(reactions.find(({ type }) => type === 'emoji')?.emoji)
  const about = { message_id: messageIdOf(chat_id, message_id) }
  const said = { provider_message_id, user_id: chat_id, name: nameOf(reaction.user), at: timeOf(reaction.date, now) }
  // Emoji of Telegram's own, and paid stars, have no character.
  if (emoji === null) return { ...said, type: 'unsupported', node: { kind: 'reaction', ...about, reaction: reactions } }
  return { ...said, type: 'reaction', node: { ...about, emoji } }
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
