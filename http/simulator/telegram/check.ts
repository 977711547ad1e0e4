/** Checks of the Bot API before sending, with its error texts. All throw BotApiError. */

import { isObject } from '../is_object.ts'
import { badRequest } from './errors.ts'
import type { Json } from './parameters.ts'

const MAX_TEXT = 4096
const MAX_CAPTION = 1024
const MAX_CALLBACK_BYTES = 64

/** The chat as Telegram writes it back: private ones have the id of their person. */
export function chatOf(chat_id: unknown): Json {
  const id = Number(chat_id)
  if (chat_id === undefined || chat_id === '') throw badRequest('chat_id is empty')
  if (!Number.isSafeInteger(id) || id === 0) throw badRequest('chat not found')
  return id > 0 ? { id, type: 'private', first_name: 'Simulated Person' } : { id, type: 'group', title: 'Group' }
}

export function textOf(text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') throw badRequest('message text is empty')
  if ([...text].length > MAX_TEXT) throw badRequest('message is too long')
  return text
}

export function captionOf(caption: unknown): Json {
  if (caption === undefined || caption === '') return {}
  if (typeof caption !== 'string') throw badRequest('caption must be a String')
  if ([...caption].length > MAX_CAPTION) throw badRequest('message caption is too long')
  return { caption }
}

export function checkMarkup(markup: unknown): Json {
  if (markup === undefined) return {}
  if (!isObject(markup)) throw badRequest('object expected as reply markup')
  if (markup.inline_keyboard === undefined) return {}
  const rows = markup.inline_keyboard
  if (!Array.isArray(rows) || rows.some((row) => !Array.isArray(row)))
    throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup should be an Array of Arrays')
  for (const button of rows.flat()) checkButton(button)
  return { reply_markup: { inline_keyboard: rows } }
}

function checkButton(button: unknown): void {
  if (!isObject(button)) throw badRequest('InlineKeyboardButton must be an Object')
  const { text, url, callback_data } = button
  if (typeof text !== 'string' || text === '') throw badRequest('field "text" must be of type String')
  if (typeof callback_data === 'string') {
    const bytes = Buffer.byteLength(callback_data)
    if (bytes < 1 || bytes > MAX_CALLBACK_BYTES) throw badRequest('BUTTON_DATA_INVALID')
  } else if (typeof url === 'string') {
    if (!/^(?:https?|tg):\/\/[^\s/]/.test(url))
      throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`)
  } else throw badRequest('text buttons are unallowed in the inline keyboard')
}
