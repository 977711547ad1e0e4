/** Converts the body of each operation, checked as in the gateway's schemas, to a message of WhatsApp's web protocol. */
import { GatewayError, requires } from './errors.ts'
import type { Json } from './gateway.ts'

type Content = { type: string; message: Json }

const MEDIA = ['image', 'video', 'audio', 'document']

/** Throws GatewayError. */
export const OPERATIONS: Record<string, (body: Json) => Content> = {
  sendText: ({ text }) => {
    if (typeof text !== 'string') throw requires('text')
    if (text.trim() === '') throw new GatewayError(400, ['Text is required'])
    return { type: 'text', message: { conversation: text } }
  },
  sendMedia: ({ mediatype, media, caption, fileName, mimetype }) => {
    const type = MEDIA.find((known) => known === mediatype)
    if (!type) throw new GatewayError(400, [['instance.mediatype is not one of enum values']])
    checkFile(media, 'Owned media must be a url or base64')
    // The gateway takes the name of a document from the end of a link that has an extension, and fails without one.
    if (type === 'document' && !fileName && !/.*\/(.+?)\./.test(String(media)))
      throw new GatewayError(500, ["TypeError: Cannot read properties of null (reading '1')"])
    return { type, message: { [`${type}Message`]: { url: media, caption, fileName, mimetype } } }
  },
  sendWhatsAppAudio: ({ audio }) => {
    checkFile(audio, 'Owned media must be a url, base64, or valid file with buffer')
    return { type: 'voice', message: { audioMessage: { url: audio, ptt: true, mimetype: 'audio/ogg; codecs=opus' } } }
  },
  sendSticker: ({ sticker }) => {
    checkFile(sticker, 'Owned media must be a url or base64')
    return { type: 'sticker', message: { stickerMessage: { url: sticker, mimetype: 'image/webp' } } }
  },
  sendLocation: ({ latitude, longitude, name, address }) => {
    if (typeof latitude !== 'number') throw requires('latitude')
    if (typeof longitude !== 'number') throw requires('longitude')
    const locationMessage = { degreesLatitude: latitude, degreesLongitude: longitude, name, address }
    return { type: 'location', message: { locationMessage } }
  },
  sendContact: ({ contact }) => {
    if (!Array.isArray(contact) || contact.length === 0) throw requires('contact')
    const cards = contact.map((one: Json) => {
      if (!one.fullName) throw requires('fullName')
      if (!one.phoneNumber) throw requires('phoneNumber')
      return { displayName: one.fullName, vcard: vcardOf(one) }
    })
    const message = cards.length === 1 ? { contactMessage: cards[0] } : { contactsArrayMessage: { contacts: cards } }
    return { type: 'contacts', message }
  },
}

function vcardOf({ fullName, phoneNumber, wuid }: Json): string {
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', `N:${fullName}`, `FN:${fullName}`]
  return [...lines, `item1.TEL;waid=${wuid}:${phoneNumber}`, 'item1.X-ABLabel:Celular', 'END:VCARD'].join('\n')
}

function checkFile(file: unknown, refusal: string): void {
  const is_link = typeof file === 'string' && /^https?:\/\/[^\s/]/.test(file)
  const is_base64 = typeof file === 'string' && file.length > 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(file)
  if (!is_link && !is_base64) throw new GatewayError(400, [refusal])
}
