import { messageOf } from '../graph/failure.ts'
import { isObject, type Json, objects, parseCall, textOf } from '../json.ts'
import type { Inbound, InboundMessage, InboundStatus } from '../provider.ts'

/**
 * Reads a webhook call. What is unknown is left out or carried along as it is; nothing in a call that has the outer form
 * makes it unreadable. Undefined when it is not JSON or not a call about WhatsApp. `now` stands in for missing times.
 */
export function parseWebhook(raw: string, now: Date = new Date()): Inbound[] | undefined {
  const call = parseCall(raw)
  if (!isObject(call) || call.object !== 'whatsapp_business_account') return undefined
  return objects(call.entry).flatMap((entry) => objects(entry.changes).flatMap((change) => toItems(change, now)))
}

function toItems(change: Json, now: Date): Inbound[] {
  const value = isObject(change.value) ? change.value : {}
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const account = textOf(metadata.phone_number_id)
  switch (textOf(change.field)) {
    case 'messages':
      return [
        ...objects(value.messages).flatMap((message) => toMessage(message, value, account, now)),
        ...objects(value.statuses).flatMap((status) => toStatus(status, account, now)),
      ]
    case 'message_template_status_update':
      return toTemplate(value)
    case 'flows':
      return toFlow(value)
    case 'account_update':
      return toAccount(value)
    default:
      return []
  }
}

function toTemplate(value: Json): Inbound[] {
  const name = textOf(value.message_template_name)
  const language = textOf(value.message_template_language)
  const status = textOf(value.event)
  if (name === null || language === null || status === null) return []
  return [{ kind: 'template', account: null, name, language, status, value }]
}

function toFlow(value: Json): Inbound[] {
  const provider_flow_id = textOf(value.flow_id)
  if (provider_flow_id === null) return []
  const status = textOf(value.new_status)
  return [{ kind: 'flow', account: null, provider_flow_id, event: textOf(value.event) ?? 'unknown', status, value }]
}

/** What ends an account's messages, and what lets them go on. Other news of an account change nothing for its channels. */
const CUT_OFF = new Set(['DISABLED_UPDATE', 'ACCOUNT_DELETED', 'PARTNER_REMOVED', 'ACCOUNT_OFFBOARDED'])
const BACK = new Set(['ACCOUNT_RECONNECTED', 'PARTNER_ADDED'])

function toAccount(value: Json): Inbound[] {
  const event = textOf(value.event) ?? ''
  const ban = isObject(value.ban_info) ? textOf(value.ban_info.waba_ban_state) : null
  if (ban === 'REINSTATE' || BACK.has(event)) {
    return [{ kind: 'account', account: null, status: 'connected', reason: null }]
  }
  if (!CUT_OFF.has(event)) return []
  const reason = ban === null ? `The provider reports ${event}.` : `The provider reports ${event}: ${ban}.`
  return [{ kind: 'account', account: null, status: 'disconnected', reason }]
}

function toMessage(raw: Json, value: Json, account: string | null, now: Date): InboundMessage[] {
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
      kind: 'message',
      account,
      provider_message_id,
      user_id: from ?? textOf(contact?.wa_id),
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

const STATUSES: Record<string, InboundStatus['status']> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  // A voice note that was listened to was read.
  played: 'read',
  failed: 'failed',
}

function toStatus(raw: Json, account: string | null, now: Date): InboundStatus[] {
  const provider_message_id = textOf(raw.id)
  const word = textOf(raw.status) ?? ''
  const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
  if (provider_message_id === null || status === undefined) return []
  const [error] = objects(raw.errors)
  return [
    {
      kind: 'status',
      account,
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
