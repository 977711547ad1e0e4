/** The content of a Telegram message, by WhatsApp's names. */
import { isObject, type Json, objects, textOf } from '../json.ts'
import { entitiesOf, otherContent } from './fields.ts'

/** `file`: facts by which the file is fetched. */
type Content = { type: string; node: Json | Json[]; file?: Json }

/** Undefined for notices about the chat itself, such as a new background. */
export function contentOf(message: Json): Content | undefined {
  const { text, photo, location, venue, contact } = message
  if (typeof text === 'string') return { type: 'text', node: { body: text, ...entitiesOf(message) } }
  if (Array.isArray(photo)) return picture(objects(photo), message)
  if (isObject(venue) && isObject(venue.location)) {
    const { location: at, title: name, ...more } = venue
    return { type: 'location', node: { ...(at as Json), name, ...more } }
  }
  if (isObject(location)) return { type: 'location', node: location }
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
    return { type, node: describe(file, mimeOf(file, mime_type), message, extra), file: { file_id: file.file_id } }
  }
  return undefined
}

/** Fields whose content is read above. */
const READ = ['photo', 'venue', 'location', 'contact', ...FILES.map(([field]) => field)]

/** Fields of a message that are left out although the rest of it is read: Telegram may have added them. */
export function leftOutOf(message: Json): string[] {
  if (contentOf(message)?.type === 'unsupported') return []
  return Object.keys(otherContent(message)).filter((field) => !READ.includes(field))
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
  if (!largest) return undefined
  const { file_id } = largest
  const node = describe(largest, 'image/jpeg', message)
  return { type: 'image', node, ...(typeof file_id === 'string' && { file: { file_id } }) }
}

function describe(file: Json, mime_type: string, message: Json, extra: Json = {}): Json {
  const { file_id: id, file_name: filename, file_size, duration, width, height, emoji, title, performer } = file
  const { set_name, custom_emoji_id } = file
  const { caption } = message
  const of_file = { filename, file_size, duration, width, height, emoji, title, performer, set_name, custom_emoji_id }
  const known = { ...of_file, caption, ...(caption !== undefined && entitiesOf(message)), ...extra }
  return { id, mime_type, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) }
}

function person({ first_name, last_name, phone_number, user_id, vcard }: Json): Json {
  const formatted_name = [first_name, last_name].filter((name) => typeof name === 'string' && name !== '').join(' ')
  return {
    name: { formatted_name, first_name, ...(last_name !== undefined && { last_name }) },
    phones: [{ phone: phone_number }],
    ...(user_id !== undefined && { user_id: String(user_id) }),
    ...(vcard !== undefined && { vcard }),
  }
}

/** Content that no type of ours expresses, with its fields: somebody may have paid. */
function unsupported(message: Json): Content | undefined {
  const other = otherContent(message)
  const [kind] = Object.keys(other)
  if (kind === undefined) return undefined
  const { caption } = message
  const words = caption === undefined ? {} : { caption, ...entitiesOf(message) }
  return { type: 'unsupported', node: { ...other, ...words, kind } }
}
