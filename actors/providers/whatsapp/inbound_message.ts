/** Messages from people, and notices about people, out of a webhook call. */
import { isObject, type Json, textOf } from '../json.ts'
import type { InboundFile, InboundMessage } from '../provider.ts'
import { digits, type People, personNamed, scopedId } from './person_ids.ts'
import { timeOf, withTexts } from './webhook_fields.ts'

/** Undefined without an id, or without a sender. */
export function toMessage(
  raw: Json,
  value: Json,
  people: People,
  account: string | null,
  now: Date,
): InboundMessage | undefined {
  const provider_message_id = textOf(raw.id)
  const system = isObject(raw.system) ? raw.system : {}
  const from = digits(raw.from)
  const from_user_id = scopedId(raw.from_user_id) ?? scopedId(raw.from) ?? scopedId(raw.from_parent_user_id)
  const contact = senderOf(people, from, from_user_id)
  const user_id = from ?? digits(contact?.wa_id)
  // Notices about a person may name the person only by the ids within.
  const bsuid =
    from_user_id ??
    scopedId(contact?.user_id) ??
    scopedId(contact?.wa_id) ??
    scopedId(contact?.parent_user_id) ??
    scopedId(system.previous_user_id) ??
    (from ? null : scopedId(system.user_id))
  if (provider_message_id === null || (user_id === null && bsuid === null)) return undefined
  const profile = isObject(contact?.profile) ? contact.profile : {}
  const context = isObject(raw.context) ? textOf(raw.context.id) : null
  const type = textOf(raw.type) ?? 'unknown'
  const kind = unknownTypeOf(raw)
  const at = timeOf(raw.timestamp, now)
  const becomes = movedTo(system)
  // Meta puts the reason beside the messages when it could not include a message's content.
  const described = raw.errors === undefined && raw[type] === undefined ? { ...raw, ...errorsOf(value) } : raw
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const message =
    kind === undefined ? contentOf(described) : { ...aroundOf(raw), kind, [kind]: raw[kind], type: 'unsupported' }
  const files = filesOf(message)
  return {
    kind: 'message',
    account,
    provider_message_id,
    user_id,
    bsuid,
    name: textOf(profile.name) ?? textOf(profile.username),
    at,
    type: kind === undefined ? type : 'unsupported',
    message,
    context: context === null ? null : { message_id: context },
    ...(files.length > 0 && { files }),
    ...(becomes && { becomes }),
    value: {
      messaging_product: 'whatsapp',
      metadata: withTexts(metadata, 'phone_number_id', 'display_phone_number'),
      contacts: contact ? [contactOf(contact)] : [],
      messages: [withTexts({ ...described, type, timestamp }, 'id', 'from')],
    },
  }
}

/** The types that Meta describes. */
const TYPES = new Set([
  ...['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'reaction', 'poll', 'event'],
  ...['interactive', 'button', 'order', 'system', 'edit', 'revoke', 'pin', 'unpin', 'unsupported', 'unknown'],
  ...['request_welcome', 'referral', 'media_placeholder', 'template'],
])

/** The type of a message, where nobody here knows it. */
export function unknownTypeOf({ type }: Json): string | undefined {
  const text = textOf(type)
  return text === null || TYPES.has(text) ? undefined : text
}

/** The contact of the sender. A single contact beside a single message is the sender's, although number and `wa_id` may differ. */
function senderOf(people: People, from: string | null, from_user_id: string | null): Json | undefined {
  return personNamed(people, from, from_user_id) ?? (people.is_sender ? people.all[0] : undefined)
}

function contactOf(contact: Json): Json {
  const { profile, ...rest } = withTexts(contact, 'wa_id', 'user_id')
  return isObject(profile) ? { ...rest, profile: withTexts(profile, 'name') } : rest
}

function errorsOf({ errors }: Json): Json {
  return Array.isArray(errors) && errors.length > 0 ? { errors } : {}
}

const MOVED = new Set(['user_changed_number', 'customer_changed_number', 'user_changed_user_id'])

/** A change of the number changes the business-scoped id, too. Without the new number, the new id is unknown. */
function movedTo(system: Json): InboundMessage['becomes'] {
  if (!MOVED.has(textOf(system.type) ?? '')) return undefined
  // Older versions of the API use `new_wa_id`.
  const user_id = digits(system.new_wa_id) ?? digits(system.wa_id)
  const bsuid = scopedId(system.user_id)
  return user_id === null && bsuid === null ? undefined : { user_id, bsuid }
}

/**
 * The node named like the type, with our names for a file's id, and the fields around it except sender and time. An edit
 * contains the edited message.
 */
function contentOf(raw: Json): Json {
  const type = textOf(raw.type) ?? 'unknown'
  const node = raw[type]
  if (node === undefined) return { ...aroundOf(raw), type }
  if (!isObject(node)) return { ...aroundOf(raw), [type]: node, type }
  return { ...aroundOf(raw), ...fieldsOf(node, type), type }
}

function fieldsOf(node: Json, type: string): Json {
  if (typeof node.id === 'string' && typeof node.mime_type === 'string') {
    const { id, ...rest } = node
    return { ...rest, media_id: id, provider_media_id: id }
  }
  // A removed reaction has no emoji; sends express that by an empty one.
  if (type === 'reaction') return { emoji: '', ...node }
  if (type === 'edit' && isObject(node.message)) return { ...node, message: contentOf(node.message) }
  return { ...node, ...(node.type === undefined ? {} : { [`${type}_type`]: node.type }) }
}

/** The file of the content, or of the new content of an edit. */
function filesOf(message: Json): InboundFile[] {
  const { provider_media_id } = message.type === 'edit' && isObject(message.message) ? message.message : message
  return typeof provider_media_id === 'string' ? [{ reference: { provider_media_id } }] : []
}

/** Fields of a message that become others: its type and content, sender, time and quoted message. */
const TAKEN = /^(?:id|type|timestamp|context|from|from_.*|to|to_.*)$/

/**
 * Context of a message: an ad or a product that the person came from, a group, the number of forwards, an error, and
 * whatever Meta adds.
 */
function aroundOf(raw: Json): Json {
  const { forwarded, frequently_forwarded, referred_product } = isObject(raw.context) ? raw.context : ({} as Json)
  const beside = Object.entries(raw).filter(([field]) => !TAKEN.test(field) && field !== raw.type)
  const around = { ...Object.fromEntries(beside), referred_product, forwarded, frequently_forwarded }
  return Object.fromEntries(Object.entries(around).filter(([, said]) => said !== undefined))
}
