import { BSUID } from '../../values/phone.ts'
import type { Json } from '../json.ts'
import type { MediaFields, Payload } from '../payload.ts'
import { interactive } from './interactive.ts'
import { bindTemplate } from './template.ts'

export type RequestOptions = {
  /** Digits, with or without `+`, or a business-scoped user id such as `US.1349…`. */
  to: string
  /** The provider's id of the quoted message. */
  context?: { message_id: string } | undefined
  /** Comes back in the status callbacks of the message; at most 512 characters. */
  opaque?: string | undefined
  /** Components of the template, as the provider listed them; only for `template`. */
  components?: readonly Json[] | undefined
}

/**
 * The body of `POST /{phone_number_id}/messages` for a message of our API. Message ids in it (`context`,
 * `reaction.message_id`) must be the provider's. Undefined fields disappear in the JSON.
 */
export function buildMessage(message: Payload, { to, context, opaque, components }: RequestOptions): Json {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipientOf(to),
    ...(context && { context: { message_id: context.message_id } }),
    ...contentOf(message, components),
    ...(opaque !== undefined && { biz_opaque_callback_data: opaque }),
  }
}

/** The body, for the same address, that marks a received message as read and may show that we are typing. */
export function buildRead(provider_message_id: string, typing_indicator?: { type: 'text' }): Json {
  return {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: provider_message_id,
    ...(typing_indicator && { typing_indicator }),
  }
}

/** Business-scoped user ids start with a country: people with a username have no number to show (since 2026). */
function recipientOf(to: string): Json {
  return BSUID.test(to) ? { recipient: to } : { to: to.replace(/^\+/, '') }
}

function contentOf(message: Payload, components: readonly Json[] | undefined): Json {
  switch (message.type) {
    case 'text': {
      const { body, preview_url } = message
      return { type: 'text', text: { body, preview_url } }
    }
    case 'image':
    case 'video':
      return { type: message.type, [message.type]: { ...mediaOf(message), caption: message.caption } }
    case 'document': {
      const { caption, filename } = message
      return { type: 'document', document: { ...mediaOf(message), caption, filename } }
    }
    case 'audio':
      return { type: 'audio', audio: { ...mediaOf(message), ...(message.voice && { voice: true }) } }
    case 'sticker':
      return { type: 'sticker', sticker: mediaOf(message) }
    case 'location': {
      const { latitude, longitude, name, address } = message
      return { type: 'location', location: { latitude, longitude, name, address } }
    }
    case 'contacts':
      return { type: 'contacts', contacts: message.contacts }
    case 'reaction': {
      const { message_id, emoji } = message
      return { type: 'reaction', reaction: { message_id, emoji } }
    }
    case 'template': {
      const { name, language } = message
      const bound = bindTemplate(components ?? [], message.variables ?? {}, message.flow)
      return { type: 'template', template: { name, language: { code: language }, components: bound } }
    }
    default:
      return { type: 'interactive', interactive: interactive(message) }
  }
}

/** An uploaded file takes precedence over a link. */
function mediaOf({ media_id, link }: MediaFields): Json {
  return media_id === undefined ? { link } : { id: media_id }
}
