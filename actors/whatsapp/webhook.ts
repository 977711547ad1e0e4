import { messageOf } from './failure.ts'
import { isObject, type Json, objects, textOf } from './json.ts'

/** A message from a person. */
export type InboundMessage = {
  provider_message_id: string
  /** Phone digits; null for a person with a username who hides the number. */
  wa_id: string | null
  /** Business-scoped user id such as `US.1349…`. At least one of the two is there. */
  bsuid: string | null
  /** The name of the person's profile. */
  name: string | null
  at: Date
  type: string
  /** `{ type, … }` with the fields of our API where they have a name there, else the provider's. */
  message: Json
  /** The provider's id of the message that is quoted. */
  context: { message_id: string } | null
  /** The change this message came in, with this message and its sender alone. */
  value: Json
}

/** What became of a message that was sent. */
export type StatusUpdate = {
  provider_message_id: string
  status: 'sent' | 'delivered' | 'read' | 'failed'
  at: Date
  /** What was given as `opaque` on the send. */
  opaque: string | null
  error: { code: string; message: string } | null
  raw: Json
}

export type WebhookChange = {
  /** `messages`, `message_template_status_update`, `flows`, … */
  field: string
  business_account_id: string | null
  /** Null for changes of the account. */
  phone_number_id: string | null
  messages: InboundMessage[]
  statuses: StatusUpdate[]
  value: Json
}

/**
 * Reads a webhook call. What is unknown is left out or carried along as it is; nothing in a call that has the outer form
 * makes it unreadable. Undefined when it is not JSON or not a call about WhatsApp. `now` stands in for missing times.
 */
export function parseWebhook(raw: string, now: Date = new Date()): WebhookChange[] | undefined {
  const call = parse(raw)
  if (!isObject(call) || call.object !== 'whatsapp_business_account') return undefined
  return objects(call.entry).flatMap((entry) =>
    objects(entry.changes).map((change) => toChange(change, textOf(entry.id), now)),
  )
}

function toChange(change: Json, business_account_id: string | null, now: Date): WebhookChange {
  const value = isObject(change.value) ? change.value : {}
  const metadata = isObject(value.metadata) ? value.metadata : {}
  return {
    field: textOf(change.field) ?? 'unknown',
    business_account_id,
    phone_number_id: textOf(metadata.phone_number_id),
    messages: objects(value.messages).flatMap((message) => toMessage(message, value, now)),
    statuses: objects(value.statuses).flatMap((status) => toStatus(status, now)),
    value,
  }
}

function toMessage(raw: Json, value: Json, now: Date): InboundMessage[] {
  const provider_message_id = textOf(raw.id)
  const from = textOf(raw.from)
  const from_user_id = textOf(raw.from_user_id)
  if (provider_message_id === null || (from === null && from_user_id === null)) return []
  const contacts = objects(value.contacts)
  const is_sender = ({ wa_id, user_id }: Json) =>
    (from !== null && textOf(wa_id) === from) || (from_user_id !== null && textOf(user_id) === from_user_id)
  const contact = contacts.find(is_sender)
  const profile = isObject(contact?.profile) ? contact.profile : {}
  const context = isObject(raw.context) ? textOf(raw.context.id) : null
  const { messages, contacts: _, statuses, ...shared } = value
  return [
    {
      provider_message_id,
      wa_id: from ?? textOf(contact?.wa_id),
      bsuid: from_user_id ?? textOf(contact?.user_id),
      name: textOf(profile.name),
      at: timeOf(raw.timestamp, now),
      type: textOf(raw.type) ?? 'unknown',
      message: contentOf(raw),
      context: context === null ? null : { message_id: context },
      value: { ...shared, contacts: contact ? [contact] : [], messages: [raw] },
    },
  ]
}

/** The node named like the type, with our name for a file's id. */
function contentOf(raw: Json): Json {
  const type = textOf(raw.type) ?? 'unknown'
  const node = raw[type]
  if (Array.isArray(node)) return { type, [type]: node }
  if (!isObject(node)) return { type, ...(raw.errors === undefined ? {} : { errors: raw.errors }) }
  const is_file = typeof node.id === 'string' && typeof node.mime_type === 'string'
  if (!is_file) return { ...node, ...(node.type === undefined ? {} : { [`${type}_type`]: node.type }), type }
  const { id, ...rest } = node
  return { ...rest, media_id: id, type }
}

const STATUSES: Record<string, StatusUpdate['status']> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  // A voice note that was listened to was read.
  played: 'read',
  failed: 'failed',
}

function toStatus(raw: Json, now: Date): StatusUpdate[] {
  const provider_message_id = textOf(raw.id)
  const word = textOf(raw.status) ?? ''
  const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
  if (provider_message_id === null || status === undefined) return []
  const [error] = objects(raw.errors)
  return [
    {
      provider_message_id,
      status,
      at: timeOf(raw.timestamp, now),
      opaque: textOf(raw.biz_opaque_callback_data),
      error: error ? { code: textOf(error.code) ?? 'unknown', message: messageOf(error) } : null,
      raw,
    },
  ]
}

const FIRST_SECOND = 1_000_000_000
const LAST_SECOND = 10_000_000_000

/** Unix seconds, as text or number. */
function timeOf(timestamp: unknown, now: Date): Date {
  const seconds = Number(textOf(timestamp) ?? Number.NaN)
  return seconds >= FIRST_SECOND && seconds < LAST_SECOND ? new Date(seconds * 1_000) : now
}

/** NUL and halves of surrogate pairs become U+FFFD: PostgreSQL can store neither, and one such message would stop all. */
function parse(raw: string): unknown {
  try {
    if (!/\\u(?:0000|d[89a-f])/i.test(raw)) return JSON.parse(raw)
    return JSON.parse(raw, (_, value) =>
      typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value,
    )
  } catch {
    return undefined
  }
}
