import type { Json } from '../json.ts'
import type { MediaFields, Payload } from '../payload.ts'
import type { BuildOptions } from '../provider.ts'
import { checkCarried, notAccepted } from '../unsupported_message.ts'
import { buttonTemplate, genericTemplate, quickReplies } from './interactive.ts'
import type { Platform } from './platform.ts'

/**
 * The body of `POST /{account_id}/messages` for a message of our API. Message ids in it (`context`,
 * `reaction.message_id`) must be the provider's. `preview_url` and `voice` have no effect here: Meta decides both.
 *
 * @throws {Refusal} for content that the platform cannot send
 */
export function buildRequest(platform: Platform, message: Payload, options: BuildOptions): Json {
  checkCarried(platform.carrier, message)
  const recipient = { id: options.to }
  if (message.type === 'reaction') return { recipient, ...reaction(platform, message) }
  const content = contentOf(platform, message, options)
  return {
    recipient,
    messaging_type: 'RESPONSE',
    ...(options.context && { reply_to: { mid: options.context.message_id } }),
    message: { ...content, ...(platform.takes_metadata && { metadata: options.opaque }) },
  }
}

function contentOf(platform: Platform, message: Payload, { fileOf }: BuildOptions): Json {
  const { carrier } = platform
  switch (message.type) {
    case 'text':
      return { text: fitting(platform, message.body, 'message.body') }
    case 'image':
    case 'video':
    case 'audio':
      return attachment(platform, message.type, message, fileOf)
    case 'document':
      return attachment(platform, 'file', message, fileOf)
    case 'sticker':
      return attachment(platform, 'image', message, fileOf)
    case 'buttons':
    case 'list': {
      const content = quickReplies(message, carrier)
      return { ...content, text: fitting(platform, content.text, 'message.body_text') }
    }
    case 'cta_url':
      return buttonTemplate(message, carrier)
    case 'carousel':
      return genericTemplate(message, carrier, linkOf, fileOf)
    default:
      throw new Error(`${platform.title} carries no ${message.type}, although the matrix of capabilities says so.`)
  }
}

/** Instagram has a name for the heart, its usual reaction. An empty emoji removes a reaction. */
function reaction({ product }: Platform, { message_id, emoji }: { message_id: string; emoji: string }): Json {
  if (emoji === '') return { sender_action: 'unreact', payload: { message_id } }
  const is_heart = product === 'instagram' && /^\u2764\ufe0f?$/.test(emoji)
  return { sender_action: 'react', payload: { message_id, reaction: is_heart ? 'love' : emoji } }
}

function attachment(
  { carrier, title }: Platform,
  type: 'image' | 'video' | 'audio' | 'file',
  media: MediaFields,
  fileOf: BuildOptions['fileOf'],
): Json {
  if (media.caption) {
    const sentence = `A file has no caption on ${title}; send the text as a message of its own.`
    throw notAccepted(carrier, 'message.caption', sentence)
  }
  const file = media.media_id === undefined ? undefined : fileOf(media.media_id)
  // A file that is not ours has no address: the provider stores it.
  if (file && file.link === '') return { attachment: { type, payload: { attachment_id: file.provider_media_id } } }
  return { attachment: { type, payload: { url: linkOf(media, fileOf) } } }
}

function linkOf({ link, media_id }: { link?: string; media_id?: string }, fileOf: BuildOptions['fileOf']): string {
  return media_id === undefined ? (link ?? '') : fileOf(media_id).link
}

function fitting({ carrier, title, text_limit: { most, unit } }: Platform, text: string, path: string): string {
  const length = unit === 'bytes' ? Buffer.byteLength(text) : [...text].length
  if (length <= most) return text
  const measure = unit === 'bytes' ? 'bytes in UTF-8' : 'characters'
  throw notAccepted(carrier, path, `The text has ${length} ${measure}; ${title} takes ${most}.`)
}
