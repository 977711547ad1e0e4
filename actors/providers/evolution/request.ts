/** A message of our API as a call of the gateway: `operation` is the end of its path, `body` the posted JSON. */

import { parseUrl } from '../../outbound/mod.ts'
import { isObject, type Json, objects, textOf } from '../json.ts'
import type { MediaFields, Payload } from '../payload.ts'
import type { BuildOptions } from '../provider.ts'
import { checkCarried, notAccepted } from '../unsupported_message.ts'
import { keyIdOf, opaqueOf } from './message_id.ts'

type Call = { operation: string; body: Json }

/**
 * @throws {Refusal} for a contact without a phone number, and for types that a paired phone does not carry
 */
export function buildRequest(message: Payload, options: BuildOptions): Call {
  checkCarried('whatsapp_qr', message)
  const { to, context, opaque } = options
  const number = to.replace(/^\+/, '')
  if (message.type === 'reaction') {
    const { message_id: id, emoji: reaction } = message
    // Messages sent from here are recognised by their id; WhatsApp's chat is always the person's.
    const remoteJid = number.includes('@') ? number : `${number}@s.whatsapp.net`
    const key = { remoteJid, fromMe: opaqueOf(id) !== null, id }
    return { operation: 'sendReaction', body: { key, reaction } }
  }
  const quoted = context && { quoted: { key: { id: context.message_id } } }
  const { operation, body } = contentOf(message, options)
  return { operation, body: { number, messageId: keyIdOf(opaque), ...quoted, ...body } }
}

function contentOf(message: Payload, options: BuildOptions): Call {
  switch (message.type) {
    case 'text':
      return { operation: 'sendText', body: { text: message.body, linkPreview: message.preview_url === true } }
    case 'image':
    case 'video':
    case 'document':
      return media(message.type, message, options)
    case 'audio': {
      if (!message.voice) return media('audio', message, options)
      return { operation: 'sendWhatsAppAudio', body: { audio: fileOf(message, options).link } }
    }
    case 'sticker':
      return { operation: 'sendSticker', body: { sticker: fileOf(message, options).link } }
    case 'location': {
      const { latitude, longitude, name, address } = message
      return { operation: 'sendLocation', body: { latitude, longitude, name, address } }
    }
    case 'contacts':
      return { operation: 'sendContact', body: { contact: message.contacts.map(contact) } }
    default:
      throw new Error(`A paired phone has no form for ${message.type}.`)
  }
}

type File = { link: string | undefined; mime_type: string | null; filename: string | null }

/** The file as a link, which the gateway fetches. */
function fileOf({ link, media_id }: MediaFields, options: BuildOptions): File {
  if (media_id === undefined) return { link, mime_type: null, filename: null }
  const file = options.fileOf(media_id)
  if (file.link === '')
    throw notAccepted('whatsapp_qr', 'message.media_id', 'must be an uploaded file: received ones have no link')
  return file
}

function media(mediatype: string, message: MediaFields, options: BuildOptions): Call {
  const { link, mime_type, filename } = fileOf(message, options)
  const { caption } = message
  // The gateway takes the type from the name, and requires one for a document.
  const fileName = message.filename ?? filename ?? (mediatype === 'document' ? lastOf(link) : undefined)
  const mimetype = mime_type ?? undefined
  return { operation: 'sendMedia', body: { mediatype, media: link, caption, fileName, mimetype } }
}

function lastOf(link = ''): string {
  return parseUrl(link)?.pathname.split('/').pop() || 'file'
}

/** A contact card of the gateway has one number: the first. */
function contact(record: Json, index: number): Json {
  const [phone] = objects(record.phones)
  const number = textOf(phone?.phone)
  if (number === null) {
    const path = `message.contacts.${index}.phones`
    throw notAccepted('whatsapp_qr', path, 'must name a phone number: a paired phone sends contacts by it')
  }
  const name = isObject(record.name) ? record.name : {}
  const org = isObject(record.org) ? record.org : {}
  return {
    fullName: name.formatted_name,
    wuid: number.replace(/\D/g, ''),
    phoneNumber: number,
    organization: org.company,
    email: objects(record.emails)[0]?.email,
  }
}
