/** A message of our API as a call of the Bot API: its parameters and, as in a webhook reply, its `method`. */
import { isObject, type Json } from '../json.ts'
import type { Payload } from '../payload.ts'
import type { BuildOptions } from '../provider.ts'
import { checkCarried } from '../unsupported_message.ts'
import { fileOf } from './file.ts'
import { interactive } from './interactive.ts'
import { numberOf } from './message_id.ts'

/**
 * @throws {Refusal} for a type that is not carried, and when a referenced message is not Telegram's
 */
export function buildRequest(message: Payload, options: BuildOptions): Json {
  checkCarried('telegram', message)
  const { to: chat_id, context, place } = options
  if (message.type === 'reaction') {
    // Telegram's list of reactions has no variation selectors.
    const emoji = message.emoji.replaceAll('\ufe0f', '')
    const reaction = emoji === '' ? [] : [{ type: 'emoji', emoji }]
    return { method: 'setMessageReaction', chat_id, message_id: numberOf(message.message_id), reaction }
  }
  const quoted = context && {
    // The person may have deleted the quoted message; the answer is sent nevertheless.
    reply_parameters: { message_id: numberOf(context.message_id), allow_sending_without_reply: true },
  }
  const { method, ...content } = contentOf(message, options)
  const where = whereOf(place)
  const next = isObject(content.next) ? { next: { ...content.next, ...where } } : {}
  return { method, chat_id, ...where, ...quoted, ...content, ...next }
}

/** A topic of the chat, and the business account in whose name the bot writes. */
function whereOf({ message_thread_id, business_connection_id }: NonNullable<BuildOptions['place']> = {}): Json {
  return {
    ...(typeof message_thread_id === 'number' && { message_thread_id }),
    ...(typeof business_connection_id === 'string' && { business_connection_id }),
  }
}

function contentOf(message: Payload, options: BuildOptions): Json {
  switch (message.type) {
    case 'text': {
      const link_preview_options = { is_disabled: !message.preview_url }
      return { method: 'sendMessage', text: message.body, link_preview_options }
    }
    case 'image':
      return { method: 'sendPhoto', photo: fileOf(message, options), caption: message.caption }
    case 'video':
      return { method: 'sendVideo', video: fileOf(message, options), caption: message.caption }
    case 'document':
      return { method: 'sendDocument', document: fileOf(message, options), caption: message.caption }
    case 'audio':
      if (message.voice) return { method: 'sendVoice', voice: fileOf(message, options) }
      return { method: 'sendAudio', audio: fileOf(message, options) }
    case 'sticker':
      return { method: 'sendSticker', sticker: fileOf(message, options) }
    case 'buttons':
    case 'list':
    case 'cta_url':
    case 'carousel':
      return interactive(message, options)
    default:
      throw new Error(`Telegram has no form for ${message.type}.`)
  }
}
