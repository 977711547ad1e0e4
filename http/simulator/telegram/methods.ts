/** The methods of the Bot API that send nothing. */
import type { TelegramBot } from '../options.ts'
import type { Telegram } from './account.ts'
import { USUAL_UPDATES, userOf } from './bots.ts'
import { chatOf, checkMarkup, textOf } from './check.ts'
import { BotApiError, badRequest } from './errors.ts'
import type { Json } from './parameters.ts'

/** Returns the `result`. Throws BotApiError. */
type Method = (telegram: Telegram, bot: TelegramBot, values: Json) => unknown

export const METHODS: Record<string, Method> = {
  getMe: (_, bot) => ({
    ...userOf(bot),
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  }),
  setWebhook,
  deleteWebhook: (_, bot) => {
    bot.webhook_url = undefined
    return true
  },
  getWebhookInfo: ({ world }, bot) => ({
    url: bot.webhook_url ?? '',
    has_custom_certificate: false,
    pending_update_count: world.webhooks.pending,
    allowed_updates: bot.allowed_updates ?? USUAL_UPDATES,
  }),
  getFile: ({ files }, _, { file_id }) => files.describe(file_id),
  sendChatAction: (_, __, { chat_id, action }) => {
    chatOf(chat_id)
    if (typeof action !== 'string' || action === '') throw badRequest('wrong parameter action in request')
    return true
  },
  answerCallbackQuery: ({ open_queries }, _, { callback_query_id }) => {
    if (open_queries.delete(String(callback_query_id))) return true
    throw badRequest('query is too old and response timeout expired or query ID is invalid')
  },
  editMessageText,
}

function setWebhook(_: Telegram, bot: TelegramBot, { url = '', secret_token, allowed_updates }: Json): true {
  const address = String(url)
  if (address !== '' && !/^https?:\/\/[^\s/]/.test(address))
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
  if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(String(secret_token)))
    throw badRequest('secret token contains unallowed characters')
  bot.webhook_url = address || undefined
  bot.webhook_secret = secret_token === undefined ? undefined : String(secret_token)
  if (Array.isArray(allowed_updates)) bot.allowed_updates = allowed_updates.length > 0 ? allowed_updates : USUAL_UPDATES
  return true
}

function editMessageText(telegram: Telegram, bot: TelegramBot, values: Json): Json {
  const chat = chatOf(values.chat_id)
  const message = telegram.message(bot, chat.id, values.message_id)
  if (!message) throw badRequest('message to edit not found')
  if (typeof message.text !== 'string') throw badRequest('there is no text in the message to edit')
  const text = textOf(values.text)
  const markup = checkMarkup(values.reply_markup)
  const is_same = message.text === text && JSON.stringify(message.reply_markup) === JSON.stringify(markup.reply_markup)
  if (is_same) throw badRequest('message is not modified')
  const { reply_markup: _, ...rest } = message
  const edited = { ...rest, text, ...markup, edit_date: Math.floor(telegram.world.now() / 1000) }
  telegram.keep(bot, edited)
  return edited
}

/** Method names are case-insensitive. Throws BotApiError. */
export function methodNamed(name: string, names: string[]): string {
  const found = names.find((known) => known.toLowerCase() === name.toLowerCase())
  if (!found) throw new BotApiError(404, 'Not Found: method not found')
  return found
}
