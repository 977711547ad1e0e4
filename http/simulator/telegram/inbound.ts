import { type Answer, ControlRefusal, ok } from '../answer.ts'
import { isObject } from '../is_object.ts'
import type { TelegramBot } from '../options.ts'
import { sampleOf } from '../sample_files.ts'
import type { Telegram } from './account.ts'
import { idOf } from './bots.ts'
import { described } from './message.ts'
import type { Json } from './parameters.ts'
import { deliver } from './updates.ts'

const FIELDS = [
  'channel',
  'from',
  'message',
  'name',
  'username',
  'bot_id',
  'context',
  'id',
  'update_id',
  'timestamp',
  'by_business',
]
const FILES: Record<string, string> = {
  photo: 'image/png',
  video: 'video/mp4',
  animation: 'video/mp4',
  audio: 'audio/mpeg',
  voice: 'audio/ogg',
  document: 'application/pdf',
  sticker: 'image/webp',
}

/**
 * Simulates a person who writes to a bot, presses a button (`message: { callback: { message_id, data } }`) or reacts
 * (`message: { reaction: { message_id, emoji } }`), edits (`edited: { message_id, … }`) or withdraws
 * (`deleted: { message_id }`), and returns the receiver's answer. Throws ControlRefusal.
 */
export async function injectInbound(telegram: Telegram, body: Json): Promise<Answer> {
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) throw new ControlRefusal(`inbound has no field "${key}"; it takes ${FIELDS.join(', ')}.`)
  const bot = chooseBot(telegram, body.bot_id)
  const person = personOf(body)
  const update = { update_id: Number(body.update_id ?? telegram.nextUpdateId()), ...said(telegram, bot, person, body) }
  const [kind = ''] = Object.keys(update).filter((key) => key !== 'update_id')
  if (bot.allowed_updates?.includes(kind) === false) {
    const sentence = `The bot's webhook was set without "${kind}" in allowed_updates, so Telegram would not call it.`
    throw new ControlRefusal(sentence, 409, 'NOT_SUBSCRIBED')
  }
  const webhook = await deliver(telegram, bot, update)
  const message = (update as Json)[kind] as Json
  const id = kind.endsWith('message') ? `${person.id}:${message.message_id}` : `update:${update.update_id}`
  return ok({ provider_message_id: id, update_id: update.update_id, bot_id: idOf(bot.bot_token), message, webhook })
}

function chooseBot({ bots }: Telegram, bot_id: unknown): TelegramBot {
  const candidates = bot_id === undefined ? bots.all() : [bots.get(String(bot_id))].filter((bot) => bot !== undefined)
  if (candidates.length === 0)
    throw new ControlRefusal('There is no such bot; add one with PUT /_control/bots.', 404, 'NOT_FOUND')
  const bot = candidates.find(({ webhook_url }) => webhook_url)
  if (!bot) throw new ControlRefusal('The bot has no webhook; set one with PUT /_control/bots.', 409, 'NO_WEBHOOK')
  return bot
}

function personOf({ from, name = 'Simulated Person', username }: Json): Json & { id: number } {
  const id = Number(String(from ?? '').replace(/^\+/, ''))
  if (!Number.isSafeInteger(id) || id <= 0)
    throw new ControlRefusal('from is missing: the Telegram id of the person who writes, e.g. 518273640.')
  const [first_name, ...rest] = String(name).split(' ')
  const last_name = rest.length > 0 ? { last_name: rest.join(' ') } : {}
  return {
    id,
    is_bot: false,
    first_name,
    ...last_name,
    ...(username !== undefined && { username }),
    language_code: 'en',
  }
}

function said(telegram: Telegram, bot: TelegramBot, from: Json & { id: number }, body: Json): Json {
  const date = Number(body.timestamp ?? Math.floor(telegram.world.now() / 1000))
  const { is_bot: _, language_code: __, ...names } = from
  const chat = { ...names, type: 'private' }
  const content = typeof body.message === 'string' ? { text: body.message } : body.message
  if (!isObject(content))
    throw new ControlRefusal('message must be a text or fields of a Bot API message, such as {"text":"Hi"}.')
  if (isObject(content.callback)) return pressed(telegram, bot, from, content.callback)
  if (isObject(content.reaction)) {
    const { message_id, emoji = '' } = content.reaction
    const new_reaction = emoji === '' ? [] : [{ type: 'emoji', emoji }]
    return {
      message_reaction: { chat, message_id: numberOf(message_id), user: from, date, old_reaction: [], new_reaction },
    }
  }
  if (isObject(content.edited)) {
    const { message_id, ...changed } = content.edited
    const former = telegram.message(bot, from.id, numberOf(message_id)) ?? { from, chat, date }
    return { edited_message: { ...former, ...changed, message_id: numberOf(message_id), edit_date: date } }
  }
  if (isObject(content.deleted)) {
    const message_ids = [numberOf(content.deleted.message_id)]
    return { deleted_business_messages: { business_connection_id: 'simulated', chat, message_ids } }
  }
  const message_id = Number(body.id ?? telegram.nextMessageId(bot))
  const message = {
    message_id,
    from,
    chat,
    date,
    ...quoted(telegram, bot, from.id, body.context),
    ...filled(telegram, content),
  }
  telegram.keep(bot, message)
  if (body.by_business === true)
    return { business_message: { ...message, from: OWNER, business_connection_id: 'simulated' } }
  return { message }
}

/** The owner of a business account that the bot serves. */
const OWNER = { id: 1, is_bot: false, first_name: 'Simulated Owner' }

/** A press of a button of a message from the bot. */
function pressed(telegram: Telegram, bot: TelegramBot, from: Json, { message_id, data }: Json): Json {
  const message = telegram.message(bot, from.id, numberOf(message_id))
  if (!message) throw new ControlRefusal(`Nobody sent message ${message_id} to ${from.id}.`, 404, 'NOT_FOUND')
  const buttons = (message.reply_markup as { inline_keyboard?: Json[][] } | undefined)?.inline_keyboard?.flat() ?? []
  const button = buttons.find(({ callback_data, text }) => callback_data === data || text === data)
  if (!button?.callback_data) {
    const there = buttons.map(({ text }) => text).join(', ') || 'none'
    throw new ControlRefusal(`The message has no button ${data} to press; it has: ${there}.`, 404, 'NOT_FOUND')
  }
  const id = `${BigInt(String(from.id)) * 4_294_967_296n + BigInt(telegram.nextUpdateId())}`
  telegram.open_queries.add(id)
  return { callback_query: { id, from, message, chat_instance: String(from.id), data: button.callback_data } }
}

/** Accepts Telegram's number of a message, or our form `<chat_id>:<message_id>`. */
function numberOf(message_id: unknown): number {
  return Number(
    String(message_id ?? '')
      .split(':')
      .pop(),
  )
}

function quoted(telegram: Telegram, bot: TelegramBot, chat_id: number, context: unknown): Json {
  if (!isObject(context)) return {}
  const message = telegram.message(bot, chat_id, numberOf(context.message_id))
  if (!message)
    throw new ControlRefusal(`There is no message ${context.message_id} in this chat to answer.`, 404, 'NOT_FOUND')
  const { reply_to_message: _, ...reply_to_message } = message
  return { reply_to_message }
}

/** Creates files without a `file_id`: `data` in base64 when given, else a sample of the type. */
function filled(telegram: Telegram, content: Json): Json {
  const filled = { ...content }
  for (const [field, usual] of Object.entries(FILES)) {
    const value = content[field]
    if (value === undefined || Array.isArray(value)) continue
    const { data, mime_type = usual, file_name = field, file_id, ...rest } = isObject(value) ? value : {}
    if (file_id !== undefined) continue
    const bytes = Buffer.from(typeof data === 'string' ? data : sampleOf(String(mime_type)), 'base64')
    const file = telegram.files.add(`${field}s`, { filename: String(file_name), mime_type: String(mime_type), bytes })
    const node = described(field, file)
    filled[field] = isObject(node[field]) ? { ...(node[field] as Json), ...rest } : node[field]
  }
  return filled
}
