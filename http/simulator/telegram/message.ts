/** Builds the messages of the send methods. */

import { isObject } from '../is_object.ts'
import type { TelegramBot } from '../options.ts'
import type { Telegram } from './account.ts'
import { userOf } from './bots.ts'
import { captionOf, chatOf, checkMarkup, textOf } from './check.ts'
import { badRequest } from './errors.ts'
import { PIXEL, type StoredFile } from './files.ts'
import type { Json, Parameters } from './parameters.ts'

/** The content of a message, and its name in the ledger. Throws BotApiError. */
type Make = (telegram: Telegram, parameters: Parameters) => Json

export const CONTENT: Record<string, { type: string; make: Make }> = {
  sendMessage: { type: 'text', make: (_, { values }) => ({ text: textOf(values.text) }) },
  sendPhoto: { type: 'photo', make: media('photo') },
  sendVideo: { type: 'video', make: media('video') },
  sendAnimation: { type: 'animation', make: media('animation') },
  sendAudio: { type: 'audio', make: media('audio') },
  sendVoice: { type: 'voice', make: media('voice') },
  sendDocument: { type: 'document', make: media('document') },
  sendSticker: { type: 'sticker', make: media('sticker') },
}

/** The fields of every message beside its content. Throws BotApiError. */
export function envelope(telegram: Telegram, bot: TelegramBot, values: Json): Json {
  const chat = chatOf(values.chat_id)
  return {
    from: userOf(bot),
    chat,
    date: Math.floor(telegram.world.now() / 1000),
    ...quoted(telegram, bot, chat, values),
  }
}

function quoted(telegram: Telegram, bot: TelegramBot, chat: Json, { reply_parameters }: Json): Json {
  if (!isObject(reply_parameters)) return {}
  const message = telegram.message(bot, chat.id, reply_parameters.message_id)
  if (message) {
    const { reply_to_message: _, ...reply_to_message } = message
    return { reply_to_message }
  }
  if (reply_parameters.allow_sending_without_reply) return {}
  throw badRequest('message to be replied not found')
}

export function markup({ reply_markup }: Json): Json {
  return checkMarkup(reply_markup)
}

function media(field: string): Make {
  return (telegram, parameters) => {
    const file = fileOf(telegram, field, parameters.values[field], parameters)
    return { ...described(field, file), ...(field === 'sticker' ? {} : captionOf(parameters.values.caption)) }
  }
}

/** The items of an album. Throws BotApiError. */
export function album(telegram: Telegram, parameters: Parameters): Json[] {
  const { media } = parameters.values
  if (!Array.isArray(media) || media.length < 2 || media.length > 10)
    throw badRequest('there must be 2 to 10 items in the album')
  return media.map((item: unknown) => {
    if (!isObject(item) || !['photo', 'video', 'audio', 'document'].includes(String(item.type)))
      throw badRequest('type of an album item must be photo, video, audio or document')
    const file = fileOf(telegram, String(item.type), item.media, parameters)
    return { ...described(String(item.type), file), ...captionOf(item.caption) }
  })
}

/** A file that Telegram has, an uploaded one, or one behind a link. Links are not fetched. */
function fileOf(telegram: Telegram, field: string, reference: unknown, { uploads }: Parameters): StoredFile {
  const attached = typeof reference === 'string' && reference.startsWith('attach://') ? reference.slice(9) : field
  const upload = uploads.get(attached)
  if (upload) return telegram.files.add(`${field}s`, upload)
  if (typeof reference !== 'string' || reference === '') throw badRequest(`there is no ${field} in the request`)
  const known = telegram.files.get(reference)
  if (known) return known
  if (!/^https?:\/\/[^\s/]/.test(reference)) throw badRequest('wrong file identifier/HTTP URL specified')
  const filename = URL.parse(reference)?.pathname.split('/').pop() || 'file'
  return telegram.files.add(`${field}s`, { filename, mime_type: MIME[field] ?? 'image/png', bytes: PIXEL })
}

const MIME: Record<string, string> = {
  photo: 'image/jpeg',
  video: 'video/mp4',
  animation: 'video/mp4',
  audio: 'audio/mpeg',
  voice: 'audio/ogg',
  document: 'application/pdf',
  sticker: 'image/webp',
}

/** A file within a message, in the form of its kind. */
export function described(field: string, { file_id, file_unique_id, filename, mime_type, bytes }: StoredFile): Json {
  const file = { file_id, file_unique_id, file_size: bytes.byteLength }
  switch (field) {
    case 'photo':
      return {
        photo: [
          { ...file, file_id, width: 90, height: 90 },
          { ...file, width: 1, height: 1 },
        ],
      }
    case 'sticker':
      return {
        sticker: {
          ...file,
          type: 'regular',
          width: 512,
          height: 512,
          is_animated: false,
          is_video: false,
          emoji: '👍',
        },
      }
    case 'voice':
      return { voice: { ...file, duration: 1, mime_type } }
    case 'audio':
      return { audio: { ...file, duration: 1, file_name: filename, mime_type } }
    case 'document':
      return { document: { ...file, file_name: filename, mime_type } }
    default:
      return { [field]: { ...file, width: 1, height: 1, duration: 1, file_name: filename, mime_type } }
  }
}
