/** The content of a message of WhatsApp's web protocol, by the names of the cloud webhooks. */
import { isObject, type Json, objects, parseCall, textOf } from '../json.ts'
import { aroundOf, contextOf } from './context.ts'
import { fieldsOf } from './unsupported.ts'
import { phonesOf } from './vcard.ts'

/** `file`: facts by which the file is fetched. */
export type Content = { type: string; node: Json | Json[]; context?: string | null; around?: Json; file?: Json }

/** Acts of a person that only the phone can read. */
const HIDDEN = [
  'keepInChatMessage',
  'encReactionMessage',
  'encCommentMessage',
  'encEventResponseMessage',
  'secretEncryptedMessage',
  'placeholderMessage',
]

/**
 * Notices about devices, keys and history, and parts that have a meaning only beside others: the head of an album, a
 * reaction or a change that the phone alone can read.
 */
const SILENT = new Set([
  ...HIDDEN,
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'protocolMessage',
  'albumMessage',
  'stickerSyncRmrMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
  'mediaUrl',
  'base64',
])

/** Fields that are read elsewhere, or say nothing that a person said. */
const NO_CONTENT = new Set([...SILENT, 'pinInChatMessage', 'editedMessage'])

/**
 * `id` is that of the message, by which the gateway also serves its file (`chat/getBase64FromMediaMessage`). Undefined
 * for notices without content of a person.
 */
export function contentOf(message: Json, id: string): Content | undefined {
  const body = unwrap(message.message)
  const change = changeIn(body)
  if (change) return change
  const content = saidIn(message, body, id)
  // Some versions leave out which message was edited.
  const is_edit = isObject(message.message) && isObject(message.message.editedMessage)
  return is_edit && content ? { type: 'edit', node: { edited: content } } : content
}

function saidIn(message: Json, body: Json, id: string): Content | undefined {
  const around = aroundOf(message, body)
  for (const [field, read] of Object.entries(READERS)) {
    const part = body[field]
    if (part === undefined || part === null) continue
    const content = read(part, { id, url: textOf(body.mediaUrl) })
    if (content) return { ...content, context: contextOf(message, part), around }
  }
  const kind = Object.keys(body).find((field) => isObject(body[field]) && !SILENT.has(field))
  if (kind === undefined) return undefined
  const node = { ...fieldsOf({ [kind]: body[kind] }), kind }
  return { type: 'unsupported', node, context: contextOf(message, body[kind]), around }
}

/**
 * The parts of a message that are left out: kinds that only the phone can read, and whatever stands beside the part that is
 * read. `is_read`: the message has content.
 */
export function leftOutOf(message: Json, is_read: boolean): string[] {
  // The gateway could not decrypt it, for example.
  if (!isObject(message.message)) return ['message']
  const body = unwrap(message.message)
  const fields = Object.keys(body).filter((field) => !NO_CONTENT.has(field) && textOrObject(body[field]))
  const read = is_read ? (Object.keys(READERS).find((field) => fields.includes(field)) ?? fields[0]) : undefined
  const beside = fields.filter((field) => field !== read).map((field) => `message.${field}`)
  return [...HIDDEN.filter((kind) => body[kind] !== undefined), ...beside]
}

function textOrObject(value: unknown): boolean {
  return isObject(value) || textOf(value) !== null
}

/** Envelopes in envelopes: more than anybody makes. */
const MAX_DEPTH = 8

/**
 * The actual message. Many kinds are envelopes around one (disappearing ones, ones to be seen once, a picture of an album, an
 * animated sticker), all alike: an object with a `message`. What stands beside an envelope is about the message in it.
 */
function unwrap(message: unknown, depth = 0): Json {
  if (!isObject(message)) return {}
  for (const [field, wrapped] of Object.entries(message)) {
    if (SILENT.has(field) || Object.hasOwn(READERS, field) || !isObject(wrapped) || !isObject(wrapped.message)) continue
    const { [field]: _, ...beside } = message
    return depth === MAX_DEPTH ? {} : unwrap({ ...beside, ...wrapped.message }, depth + 1)
  }
  return message
}

/** By the number and by the name of the protocol. */
const REVOKE = [undefined, 0, 'REVOKE']
const EDIT = [14, 'MESSAGE_EDIT']
const UNPIN = [2, 'UNPIN_FOR_ALL']

/** A notice that the person withdrew, edited or pinned a message. */
function changeIn({ protocolMessage, pinInChatMessage: pin }: Json): Content | undefined {
  if (isObject(pin)) {
    const message_id = keyIn(pin)
    const type = UNPIN.includes(pin.type as string) ? 'unpin' : 'pin'
    return message_id === null ? undefined : { type, node: { message_id } }
  }
  if (!isObject(protocolMessage)) return undefined
  const original_message_id = keyIn(protocolMessage)
  if (original_message_id === null) return undefined
  const { type, editedMessage } = protocolMessage
  if (REVOKE.includes(type as string)) return { type: 'revoke', node: { original_message_id } }
  if (!EDIT.includes(type as string) || !isObject(editedMessage)) return undefined
  // A file keeps the id of its message, by which the gateway serves it.
  const edited = saidIn({}, unwrap(editedMessage), original_message_id)
  return edited && { type: 'edit', node: { original_message_id, edited } }
}

function keyIn({ key }: Json): string | null {
  return isObject(key) ? textOf(key.id) : null
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
  listResponseMessage: object(({ singleSelectReply, title, description }) =>
    reply('list_reply', isObject(singleSelectReply) ? singleSelectReply.selectedRowId : undefined, title, description),
  ),
  interactiveResponseMessage: object(answer),
  orderMessage: object(order),
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
    const entries = Object.entries(known).filter(([, value]) => value !== undefined && value !== null && value !== '')
    return { type, node: { id, mime_type: textOf(mimetype) ?? usual, ...Object.fromEntries(entries) }, file: { id } }
  })
}

function location({ degreesLatitude, degreesLongitude, name, address, url, caption }: Json): Content {
  const known = { name, address, url: textOf(url), caption: textOf(caption) }
  const names = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined && value !== null))
  return { type: 'location', node: { latitude: degreesLatitude, longitude: degreesLongitude, ...names } }
}

/** The card has more than phones: addresses, a firm. */
function contact({ displayName, vcard }: Json): Json {
  const card = textOf(vcard)
  const name = { formatted_name: textOf(displayName) ?? '' }
  return { name, phones: phonesOf(card ?? ''), ...(card !== null && { vcard: card }) }
}

function reaction({ key, text: emoji }: Json): Content | undefined {
  const message_id = isObject(key) ? textOf(key.id) : null
  return message_id === null ? undefined : { type: 'reaction', node: { message_id, emoji: textOf(emoji) ?? '' } }
}

function reply(type: string, id: unknown, title: unknown, description?: unknown): Content {
  const more = textOf(description) === null ? {} : { description }
  return { type: 'interactive', node: { type, [type]: { id, title, ...more } } }
}

/** The choice or the form of a person, whose values are the text of a JSON object. */
function answer({ body, nativeFlowResponseMessage: flow }: Json): Content | undefined {
  const said = isObject(body) ? textOf(body.text) : null
  if (!isObject(flow)) return said === null ? undefined : text(said)
  const response_json = textOf(flow.paramsJson) ?? '{}'
  const values = parseCall(response_json)
  const id = isObject(values) ? (textOf(values.id) ?? textOf(values.selectedRowId)) : null
  if (id !== null)
    return reply('button_reply', id, said ?? (values as Json).display_text ?? (values as Json).title ?? id)
  const nfm_reply = { name: textOf(flow.name) ?? 'flow', ...(said !== null && { body: said }), response_json }
  return { type: 'interactive', node: { type: 'nfm_reply', nfm_reply } }
}

/** The gateway passes only the head of an order. */
function order({ orderId, orderTitle, message, itemCount, totalAmount1000, totalCurrencyCode }: Json): Content {
  const total = Number(isObject(totalAmount1000) ? totalAmount1000.low : totalAmount1000)
  const known = {
    order_id: orderId,
    title: orderTitle,
    text: message,
    item_count: itemCount,
    ...(total > 0 && { total: total / 1000, currency: totalCurrencyCode }),
  }
  const entries = Object.entries(known).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return { type: 'order', node: Object.fromEntries(entries) }
}
