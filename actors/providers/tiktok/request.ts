import type { Json } from '../json.ts'
import type { Payload } from '../payload.ts'
import type { BuildOptions } from '../provider.ts'
import { checkCarried, notAccepted } from '../unsupported_message.ts'

const MAX_TEXT_LENGTH = 6_000

/**
 * The body of `POST /business/message/send/` for a message of our API, without `business_id`, which the send adds.
 * TikTok takes pictures only as files: the send fetches `image.link` and uploads it.
 *
 * @throws {Refusal} for content that TikTok cannot send
 */
export function buildRequest(message: Payload, { to, context, fileOf }: BuildOptions): Json {
  checkCarried('tiktok', message)
  return {
    recipient_type: 'CONVERSATION',
    recipient: to,
    ...(context && { referenced_message_info: { referenced_message_id: context.message_id } }),
    ...contentOf(message, fileOf),
  }
}

function contentOf(message: Payload, fileOf: BuildOptions['fileOf']): Json {
  if (message.type === 'text') {
    const length = [...message.body].length
    if (length <= MAX_TEXT_LENGTH) return { message_type: 'TEXT', text: { body: message.body } }
    const sentence = `The text has ${length} characters; TikTok takes ${MAX_TEXT_LENGTH}.`
    throw notAccepted('tiktok', 'message.body', sentence)
  }
  if (message.type !== 'image') {
    throw new Error(`TikTok carries no ${message.type}, although the matrix of capabilities says so.`)
  }
  if (message.caption) {
    const sentence = 'A picture has no caption on TikTok; send the text as a message of its own.'
    throw notAccepted('tiktok', 'message.caption', sentence)
  }
  if (message.media_id === undefined) return { message_type: 'IMAGE', image: { link: message.link } }
  const { link, provider_media_id } = fileOf(message.media_id)
  // A file that is not ours has no address: the provider stores it.
  return { message_type: 'IMAGE', image: link === '' ? { media_id: provider_media_id } : { link } }
}
