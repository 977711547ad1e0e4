/** Events of the gateway's webhook about one paired phone. */
import { inboundMessage, type Said } from '../cloud_shape.ts'
import { echoOf } from '../echo.ts'
import { ignoredAccount, ignoredField } from '../ignored.ts'
import { isObject, type Json, objects, parseCall, textOf } from '../json.ts'
import type { Account, Inbound, InboundAccount, InboundIgnored, InboundMessage, InboundStatus } from '../provider.ts'
import { type Content, contentOf, leftOutOf } from './content.ts'
import { kindOfChat, personOf, phoneOf } from './jid.ts'
import { opaqueOf } from './message_id.ts'

/**
 * Reads one event `{ event, instance, data, sender, … }`. Groups and broadcasts are counted. Messages written on the phone
 * itself are echoes. Undefined when it is not an event. The event's `date_time` is the gateway's local time marked as UTC,
 * so it is not used.
 */
export function readEvent(raw: string, account: Account, now: Date): Inbound[] | undefined {
  const event = parseCall(raw)
  if (!isObject(event) || typeof event.event !== 'string') return undefined
  // A gateway may be configured with one webhook address for all its instances.
  if (event.instance !== account.credentials.instance) return [ignoredAccount(textOf(event.instance) ?? 'unnamed')]
  const data = isObject(event.data) ? [event.data] : objects(event.data)
  // Some versions write `MESSAGES_UPSERT`.
  const name = event.event.toLowerCase().replaceAll(/[_-]/g, '.')
  switch (name) {
    case 'messages.upsert':
      return data.flatMap((message) => toMessage(message, event, now))
    case 'messages.delete':
      return data.flatMap((key) => toWithdrawal(key, event, now))
    case 'messages.update':
      return data.flatMap((update) => toStatus(update, now))
    case 'send.message':
      return data.flatMap((message) => toSent(message, now))
    case 'connection.update':
      return data.flatMap(toConnection)
    case 'qrcode.updated':
      return data.flatMap(toPairing)
    default:
      return NEWS_OF_THE_PHONE.has(name) ? [] : [ignoredField(event.event, null, event.data)]
  }
}

/** Events about the phone's address book, its chats and the gateway itself, which say nothing to anybody. */
const NEWS_OF_THE_PHONE = new Set([
  ...['application.startup', 'instance.create', 'instance.delete', 'remove.instance', 'logout.instance'],
  ...['status.instance', 'new.token', 'new.jwt', 'creds.update', 'presence.update'],
  ...[
    'contacts.set',
    'contacts.upsert',
    'contacts.update',
    'chats.set',
    'chats.upsert',
    'chats.update',
    'chats.delete',
  ],
  ...[
    'groups.upsert',
    'groups.update',
    'group.update',
    'group.participants.update',
    'labels.edit',
    'labels.association',
  ],
])

function toMessage(message: Json, { instance, sender }: Json, now: Date): Inbound[] {
  const key = keyIn(message)
  const id = textOf(key.id)
  const person = personOf(key)
  if (id === null || person === undefined) return [ignoredField(chatOf(key, 'messages.upsert'), null, message)]
  const is_own = key.fromMe === true
  // Some versions report our own messages in this form, too.
  if (is_own && opaqueOf(id) !== null) return toSent(message, now)
  if (is_own && phoneOf(key.remoteJid) !== undefined && phoneOf(key.remoteJid) === phoneOf(sender)) {
    return [ignoredField('messages.upsert.self', null, message)]
  }
  const content = contentOf(message, id)
  const left_out = leftOutOf(message, content !== undefined).map((name) => ignoredField(name, null, message.message))
  if (!content) return left_out
  const said = {
    ...aboutOf(instance, sender),
    provider_message_id: id,
    ...person,
    // That of an own message is ours.
    name: is_own ? null : textOf(message.pushName),
    at: timeOf(message.messageTimestamp, now),
  }
  const item = content.type === 'edit' ? toEdit(said, content) : inboundMessage({ ...said, ...content })
  return [is_own ? echoOf(item, { origin: 'phone' }) : item, ...left_out]
}

/** The sender of an own message is ourselves, not the person. */
function keyIn(data: Json): Json {
  const key = isObject(data.key) ? data.key : {}
  if (key.fromMe !== true) return key
  const { senderPn: _, senderLid: __, ...rest } = key
  return rest
}

/** The name under which a part without a person is counted: the kind of the chat, where it is no person's. */
function chatOf(key: Json, event: string): string {
  const kind = kindOfChat(key.remoteJid)
  return kind === undefined ? event : `${event}.${kind}`
}

function aboutOf(instance: unknown, sender: unknown): Pick<Said, 'messaging_product' | 'metadata'> {
  const number = phoneOf(sender)
  const metadata = { phone_number_id: instance, ...(number !== undefined && { display_phone_number: number }) }
  return { messaging_product: 'whatsapp', metadata }
}

/** An edited message is its new content. */
function toEdit(said: Omit<Said, 'type' | 'node'>, { node }: Content): InboundMessage {
  const { edited, ...original } = node as { edited: Content; original_message_id?: string }
  const { message, value, files } = inboundMessage({ ...said, ...edited })
  const [{ id: _, from: __, timestamp: ___, ...body } = {}] = (value.messages ?? []) as Json[]
  const notice = inboundMessage({ ...said, type: 'edit', node: { ...original, message: body } })
  return { ...notice, ...(files && { files }), message: { type: 'edit', ...original, message } }
}

/** The gateway tells of a withdrawal a second time, with the key of the withdrawn message. */
function toWithdrawal(data: Json, { instance, sender }: Json, now: Date): Inbound[] {
  const key = isObject(data.key) ? keyIn(data) : data
  const original_message_id = textOf(key.id) ?? textOf(key.keyId)
  const person = personOf(key)
  if (original_message_id === null || person === undefined) {
    return [ignoredField(chatOf(key, 'messages.delete'), null, data)]
  }
  const said = { ...aboutOf(instance, sender), ...person, name: null, at: now }
  const provider_message_id = `${original_message_id}:revoke`
  const item = inboundMessage({ ...said, provider_message_id, type: 'revoke', node: { original_message_id } })
  return [key.fromMe === true ? echoOf(item, { origin: 'phone' }) : item]
}

/** The acknowledgements of WhatsApp's web protocol. `PENDING` is no status yet. */
const STATUSES: Record<string, InboundStatus['status']> = {
  SERVER_ACK: 'sent',
  DELIVERY_ACK: 'delivered',
  READ: 'read',
  // A voice note that was played counts as read.
  PLAYED: 'read',
  ERROR: 'failed',
}

/** Newer versions send `{ keyId, fromMe, status }`, older ones `{ key: { id, fromMe }, update: { status } }`. */
function toStatus(update: Json, now: Date): Inbound[] {
  const key = isObject(update.key) ? update.key : {}
  const id = textOf(update.keyId) ?? textOf(key.id)
  const word = textOf(update.status) ?? (isObject(update.update) ? textOf(update.update.status) : null) ?? ''
  const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
  const chat = { ...key, ...(update.remoteJid !== undefined && { remoteJid: update.remoteJid }) }
  // Receipts of what others wrote, and of groups.
  if ((update.fromMe ?? key.fromMe) !== true || !personOf(chat) || word === 'PENDING') return []
  if (id === null || status === undefined) {
    return [ignoredField(word === '' ? 'messages.update' : `messages.update.${word}`, null, update)]
  }
  return [statusItem(id, status, now)]
}

/** Sent once the phone has handed a message over, even when the answer of that call was lost. */
function toSent(message: Json, now: Date): Inbound[] {
  const key = isObject(message.key) ? message.key : {}
  const id = textOf(key.id)
  return id === null || !personOf(key) ? [] : [statusItem(id, 'sent', timeOf(message.messageTimestamp, now))]
}

function statusItem(id: string, status: InboundStatus['status'], at: Date): InboundStatus {
  const error = status === 'failed' ? { code: 'ERROR', message: 'WhatsApp did not take the message.' } : null
  return { kind: 'status', account: null, status, at, provider_message_id: id, opaque: opaqueOf(id), error, raw: null }
}

/** Reasons for the end of the phone's connection, by Baileys' status. */
const REASONS: Record<string, string> = {
  401: 'The phone was unlinked.',
  402: 'WhatsApp asks for a payment.',
  403: 'WhatsApp has barred the number.',
  406: 'WhatsApp has barred the number.',
  408: 'The connection of the phone timed out.',
  411: 'The phone is not set up for several devices.',
  428: 'The connection of the phone was closed.',
  440: 'The session was opened somewhere else.',
  500: 'The session of the phone is broken.',
}

/** `connecting` changes nothing yet. */
function toConnection(data: Json): (InboundAccount | InboundIgnored)[] {
  const { state, statusReason } = data
  if (state === 'open') return [{ kind: 'account', account: null, status: 'connected', reason: null }]
  if (state === 'connecting') return []
  if (state !== 'close' && state !== 'refused') return [ignoredField('connection.update', null, data)]
  const code = textOf(statusReason) ?? 'none'
  const known = Object.hasOwn(REASONS, code) ? REASONS[code] : 'The phone is not connected.'
  return [disconnected(`${known} Pair it in the gateway (status ${code}).`)]
}

function toPairing({ qrcode }: Json): InboundAccount[] {
  return [
    disconnected(
      isObject(qrcode)
        ? 'Waiting to be paired: scan the QR code that the gateway shows.'
        : 'The QR code was not scanned in time. Ask the gateway for a new one.',
    ),
  ]
}

function disconnected(reason: string): InboundAccount {
  return { kind: 'account', account: null, status: 'disconnected', reason }
}

/** Unix seconds: a number, a text, or a 64-bit number in two halves. */
function timeOf(timestamp: unknown, now: Date): Date {
  const value = isObject(timestamp) ? timestamp.low : timestamp
  const seconds = Number(textOf(value) ?? Number.NaN)
  return seconds > 1_000_000_000 && seconds < 10_000_000_000 ? new Date(seconds * 1000) : now
}
