import { nameInUrl, parseUrl } from '../../outbound/mod.ts'
import { isObject, type Json, objects, textOf } from '../json.ts'
import type { InboundFile } from '../provider.ts'
import { replyOf } from './reply_id.ts'
import { sharedFile } from './shared.ts'

/** The content of a person's message: `type` and the node of that name, as on WhatsApp. */
export type Content = { type: string; node: Json; files?: InboundFile[] }

/** The types of attachments that are files, with our names for them. */
const FILES: Record<string, string> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  file: 'document',
  sticker: 'sticker',
}

/** Splits a message into one part for each of its files. */
export function contentsOf(message: Json): Content[] {
  const [first, ...more] = partsOf(message)
  return first === undefined ? [] : [withStory(first, message), ...more]
}

function partsOf(message: Json): Content[] {
  const { quick_reply } = message
  const text = textOf(message.text)
  if (isObject(quick_reply)) return [replyContent(textOf(quick_reply.payload), text)]
  const attachments = withoutDoubles(objects(message.attachments))
  const [first, ...more] = attachments
  if (first === undefined) {
    if (text === null) return [{ type: 'unsupported', node: {} }]
    return [{ type: 'text', node: { body: text } }]
  }
  const parts = [first, ...more].map(attachmentContent)
  const [part] = parts
  if (text === null || part === undefined) return parts
  if (Object.values(FILES).includes(part.type)) part.node.caption = text
  // A link that was shared with text: the text is the message.
  else {
    const files = parts.flatMap(({ files = [] }, attachment) => files.map((file) => ({ ...file, attachment })))
    return [{ type: 'text', node: { body: text, attachments }, files }]
  }
  return parts
}

/** The story that a message answers stands beside its content: it is not a message, and has no id to quote. */
function withStory(content: Content, { reply_to }: Json): Content {
  if (!isObject(reply_to) || !isObject(reply_to.story)) return content
  const { story } = reply_to
  const reference = sharedFile('story', textOf(story.url))
  const files: InboundFile[] = [
    ...(content.files ?? []),
    ...(reference ? [{ reference, is_story: true as const }] : []),
  ]
  return { ...content, node: { ...content.node, story }, files }
}

export function ofPostback(postback: Json): Content {
  const content = replyContent(textOf(postback.payload), textOf(postback.title))
  return isObject(postback.referral) ? { ...content, node: { ...content.node, referral: postback.referral } } : content
}

/** An empty emoji removes the reaction. */
export function ofReaction(message_id: string, { action, emoji, reaction }: Json): Content {
  const reaction_text = textOf(emoji) ?? textOf(reaction) ?? ''
  return { type: 'reaction', node: { message_id, emoji: action === 'unreact' ? '' : reaction_text } }
}

function replyContent(payload: string | null, title: string | null): Content {
  const { kind, id } = replyOf(payload ?? title ?? '')
  return { type: 'interactive', node: { type: kind, [kind]: { id, title: title ?? '' } } }
}

/** Fields of shares, stories and reels are passed on unchanged, and so are those of an unknown attachment. */
function attachmentContent({ type, payload, ...rest }: Json): Content {
  const { url, ...details } = isObject(payload) ? payload : {}
  const link = textOf(url)
  const is_sticker = type === 'image' && details.sticker_id !== undefined
  const known = is_sticker ? 'sticker' : Object.hasOwn(FILES, String(type)) ? FILES[String(type)] : undefined
  if (type === 'location' && isObject(details.coordinates)) return placeOf(rest, details, details.coordinates, link)
  const node = { ...rest, ...details, ...(link !== null && { link }) }
  if (known !== undefined && link !== null) {
    const filename = known === 'document' ? nameOf(link) : {}
    return { type: known, node: { ...filename, ...node }, files: [{ reference: { url: link } }] }
  }
  if (known !== undefined) return { type: known, node }
  const kind = textOf(type)
  const shared = sharedFile(kind, link)
  if (kind === null || SHARED.has(kind)) {
    return { type: kind ?? 'unsupported', node, ...(shared && { files: [{ reference: shared }] }) }
  }
  return { type: 'unsupported', node: { kind, ...node } }
}

/** Meta tells the name of a document only as the end of its address. */
function nameOf(link: string): Json {
  const url = parseUrl(link)
  const filename = url ? nameInUrl(url) : null
  return filename !== null && /\.[^.\s]+$/.test(filename) ? { filename } : {}
}

/** The types of attachments that Meta describes, beside files: what people share of the platform. */
const SHARED = new Set([
  ...['share', 'post', 'reel', 'ig_reel', 'ig_post', 'ig_story', 'story_mention', 'story_share', 'media_share'],
  ...['fallback', 'template', 'location', 'like_heart', 'ephemeral', 'product', 'appointment_booking'],
  ...['animated_image', 'unsupported_type', 'unsupported'],
])

/** The types of attachments of a message that nobody here knows. */
export function unknownAttachmentsOf(message: Json): string[] {
  const types = objects(message.attachments).map(({ type }) => textOf(type))
  return types.filter((type) => type !== null && !SHARED.has(type) && !Object.hasOwn(FILES, type)) as string[]
}

/** A place has the fields of WhatsApp's; its title is the name, and its link that of a map. */
function placeOf({ title, ...rest }: Json, details: Json, { lat, long }: Json, link: string | null): Content {
  const { coordinates: _, ...more } = details
  const name = textOf(title)
  const url = link === null ? {} : { url: link }
  return {
    type: 'location',
    node: { ...rest, ...more, latitude: lat, longitude: long, ...(name !== null && { name }), ...url },
  }
}

/** Since 2026 a sticker comes twice, as a sticker and, for older clients, as an image. */
function withoutDoubles(attachments: Json[]): Json[] {
  const stickerOf = ({ payload }: Json) => (isObject(payload) ? textOf(payload.sticker_id) : null)
  const stickers = new Set(attachments.filter(({ type }) => type === 'sticker').map(stickerOf))
  return attachments.filter((one) => one.type !== 'image' || stickerOf(one) === null || !stickers.has(stickerOf(one)))
}
