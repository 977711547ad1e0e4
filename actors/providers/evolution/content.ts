/** The content of a message of WhatsApp's web protocol, by the names of the cloud webhooks. */
import { isObject, type Json, objects, textOf } from '../json.ts'
import { phonesOf } from './vcard.ts'

type Content = { type: string; node: Json | Json[]; context?: string | null }

/** Envelopes around the actual message: disappearing ones, ones to be seen once, a document with its caption. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
]

/** Notices about devices, or about an earlier message. */
const SILENT = ['protocolMessage', 'senderKeyDistributionMessage', 'messageContextInfo', 'editedMessage']

/**
 * `id` is that of the message, by which the gateway also serves its file (`chat/getBase64FromMediaMessage`). Undefined
 * for notices without content of a person.
 */
export function contentOf(message: Json, id: string): Content | undefined {
  const body = unwrap(message.message)
  for (const [field, read] of Object.entries(READERS)) {
    const part = body[field]
    if (part === undefined || part === null) continue
    const content = read(part, { id, url: textOf(body.mediaUrl) })
    if (content) return { ...content, context: quotedBy(part) ?? quotedBy(message) }
  }
  const unknown = Object.keys(body).find((field) => field.endsWith('Message') && !SILENT.includes(field))
  return unknown === undefined ? undefined : { type: 'unsupported', node: { kind: unknown } }
}

function unwrap(message: unknown): Json {
  if (!isObject(message)) return {}
  for (const wrapper of WRAPPERS) {
    const wrapped = message[wrapper]
    if (isObject(wrapped) && isObject(wrapped.message))
      return unwrap({ mediaUrl: message.mediaUrl, ...wrapped.message })
  }
  return message
}

function quotedBy(part: unknown): string | null {
  return isObject(part) && isObject(part.contextInfo) ? textOf(part.contextInfo.stanzaId) : null
}

type About = { id: string; url: string | null }
type Reader = (part: unknown, about: About) => Content | undefined

const READERS: Record<string, Reader> = {
  conversation: (part) => (typeof part === 'string' && part !== '' ? text(part) : undefined),
  extendedTextMessage: object(({ text: body }) => (typeof body === 'string' ? text(body) : undefined)),
  imageMessage: file('image', 'image/jpeg'),
  videoMessage: file('video', 'video/mp4'),
  ptvMessage: file('video', 'video/mp4'),
  audioMessage: file('audio', 'audio/ogg; codecs=opus'),
  documentMessage: file('document', 'application/octet-stream'),
  stickerMessage: file('sticker', 'image/webp'),
  locationMessage: object(location),
  liveLocationMessage: object(location),
  contactMessage: object((card) => ({ type: 'contacts', node: [contact(card)] })),
  contactsArrayMessage: object(({ contacts }) => ({ type: 'contacts', node: objects(contacts).map(contact) })),
  reactionMessage: object(reaction),
  buttonsResponseMessage: object(({ selectedButtonId, selectedDisplayText }) =>
    reply('button_reply', selectedButtonId, selectedDisplayText),
  ),
  templateButtonReplyMessage: object(({ selectedId, selectedDisplayText }) =>
    reply('button_reply', selectedId, selectedDisplayText),
  ),
  listResponseMessage: object(({ singleSelectReply, title }) =>
    reply('list_reply', isObject(singleSelectReply) ? singleSelectReply.selectedRowId : undefined, title),
  ),
}

function object(read: (part: Json, about: About) => Content | undefined): Reader {
  return (part, about) => (isObject(part) ? read(part, about) : undefined)
}

function text(body: string): Content {
  return { type: 'text', node: { body } }
}

function file(type: string, usual: string): Reader {
  return object((part, { id, url }) => {
    const { mimetype, caption, fileName: filename, ptt: voice, seconds: duration, fileLength } = part
    const file_size = Number(isObject(fileLength) ? fileLength.low : fileLength)
    const known = { caption, filename, voice, duration, file_size: file_size > 0 ? file_size : null, url }
    const given = Object.entries(known).filter(([, value]) => value !== undefined && value !== null && value !== '')
    return { type, node: { id, mime_type: textOf(mimetype) ?? usual, ...Object.fromEntries(given) } }
  })
}

function location({ degreesLatitude, degreesLongitude, name, address }: Json): Content {
  const names = { ...(name !== undefined && { name }), ...(address !== undefined && { address }) }
  return { type: 'location', node: { latitude: degreesLatitude, longitude: degreesLongitude, ...names } }
}

function contact({ displayName, vcard }: Json): Json {
  return { name: { formatted_name: textOf(displayName) ?? '' }, phones: phonesOf(textOf(vcard) ?? '') }
}

function reaction({ key, text: emoji }: Json): Content | undefined {
  const message_id = isObject(key) ? textOf(key.id) : null
  return message_id === null ? undefined : { type: 'reaction', node: { message_id, emoji: textOf(emoji) ?? '' } }
}

function reply(type: string, id: unknown, title: unknown): Content {
  return { type: 'interactive', node: { type, [type]: { id, title } } }
}
