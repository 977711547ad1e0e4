/** The content of a Telegram message, by WhatsApp's names. */
import { isObject, type Json, objects, textOf } from '../json.ts'

type Content = { type: string; node: Json | Json[] }

/** Content that no type of ours can express. */
const OTHERS = ['poll', 'dice', 'game', 'story', 'paid_media', 'checklist', 'invoice', 'giveaway']

/** Undefined for notices about the chat itself, such as a pinned message. */
export function contentOf(message: Json): Content | undefined {
  const { text, photo, location, venue, contact } = message
  if (typeof text === 'string') return { type: 'text', node: { body: text } }
  if (Array.isArray(photo)) return picture(objects(photo), message)
  if (isObject(venue) && isObject(venue.location)) {
    return { type: 'location', node: place(venue.location, { name: venue.title, address: venue.address }) }
  }
  if (isObject(location)) return { type: 'location', node: place(location, {}) }
  if (isObject(contact)) return { type: 'contacts', node: [person(contact)] }
  return fileOf(message) ?? unsupported(message)
}

/** `animation` goes first, because its message has it as a `document` too. */
const FILES: [field: string, type: string, mime_type: string, extra?: Json][] = [
  ['animation', 'video', 'video/mp4', { gif: true }],
  ['video', 'video', 'video/mp4'],
  ['video_note', 'video', 'video/mp4'],
  ['voice', 'audio', 'audio/ogg', { voice: true }],
  ['audio', 'audio', 'audio/mpeg'],
  ['sticker', 'sticker', 'image/webp'],
  ['document', 'document', 'application/octet-stream'],
]

function fileOf(message: Json): Content | undefined {
  for (const [field, type, mime_type, extra] of FILES) {
    const file = message[field]
    if (!isObject(file) || typeof file.file_id !== 'string') continue
    return { type, node: describe(file, mimeOf(file, mime_type), message, extra) }
  }
  return undefined
}

/** Stickers do not name their format: a still picture, a video, or Telegram's own animation. */
function mimeOf(file: Json, usual: string): string {
  if (file.is_video === true) return 'video/webm'
  if (file.is_animated === true) return 'application/x-tgsticker'
  return textOf(file.mime_type) ?? usual
}

/** A photo comes in several sizes; the largest is the original. */
function picture(sizes: Json[], message: Json): Content | undefined {
  const area = ({ width, height }: Json) => Number(width) * Number(height)
  const largest = sizes.toSorted((one, other) => area(other) - area(one))[0]
  return largest && { type: 'image', node: describe(largest, 'image/jpeg', message) }
}

function describe(file: Json, mime_type: string, { caption }: Json, extra: Json = {}): Json {
  const { file_id: id, file_name: filename, file_size, duration, width, height, emoji } = file
  const known = { filename, file_size, duration, width, height, emoji, caption, ...extra }
  return { id, mime_type, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) }
}

function place({ latitude, longitude }: Json, names: { name?: unknown; address?: unknown }): Json {
  return { latitude, longitude, ...names }
}

function person({ first_name, last_name, phone_number, user_id }: Json): Json {
  const formatted_name = [first_name, last_name].filter((name) => typeof name === 'string' && name !== '').join(' ')
  return {
    name: { formatted_name, first_name, ...(last_name !== undefined && { last_name }) },
    phones: [{ phone: phone_number }],
    ...(user_id !== undefined && { user_id: String(user_id) }),
  }
}

function unsupported(message: Json): Content | undefined {
  const kind = OTHERS.find((field) => message[field] !== undefined)
  return kind === undefined ? undefined : { type: 'unsupported', node: { kind, [kind]: message[kind] } }
}
