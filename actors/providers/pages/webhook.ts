import { echoOf, ownIdIn } from '../echo.ts'
import { ignoredField } from '../ignored.ts'
import { isObject, type Json, objects, textOf } from '../json.ts'
import type { Inbound, InboundMessage, InboundStatus } from '../provider.ts'
import { type Content, contentsOf, ofPostback, ofReaction, unknownAttachmentsOf } from './content.ts'
import type { Platform } from './platform.ts'
import { appOf, inStandby, toHandover } from './threads.ts'

/** One event of an entry: the person, the time and the raw event. */
type Event = { product: Platform['product']; account: string; person: string; at: Date; raw: Json }

/**
 * Reads a webhook call, which may concern several accounts. Unknown parts are told of (`ignored`) or passed on unchanged; nothing
 * in a call with the right outer form makes it unreadable. Undefined when the call is not about this platform. `now`
 * replaces missing times.
 */
export function readEntries({ object, product }: Platform, call: unknown, now: Date): Inbound[] | undefined {
  if (!isObject(call) || call.object !== object || !Array.isArray(call.entry)) return undefined
  return objects(call.entry).flatMap((entry) => {
    const account = textOf(entry.id)
    if (account === null) return [ignoredField('entry', null, entry)]
    const ofPerson = (raw: Json, field: string): Inbound[] => {
      const person = isObject(raw.sender) ? textOf(raw.sender.id) : null
      if (person === account || isEcho(raw)) return ofAccount(raw, { product, account, at: timeOf(raw.timestamp, now) })
      if (person === null) return [ignoredField(field, account, raw)]
      const items = itemsOf({ product, account, person, at: timeOf(raw.timestamp, now), raw })
      return [...items, ...besideOf(raw).map((name) => ignoredField(name, account, raw[name]))]
    }
    return [
      ...objects(entry.messaging).flatMap((raw) => ofPerson(raw, 'messaging')),
      // Some notifications come as changes of a field, with the same event as value.
      ...objects(entry.changes).flatMap(({ field, value }) => {
        const name = `changes.${textOf(field) ?? 'unnamed'}`
        return isObject(value) ? ofPerson(value, name) : [ignoredField(name, account, value)]
      }),
      ...objects(entry.standby).flatMap((raw) => inStandby(raw, ofPerson(raw, 'standby'))),
      ...unknownIn(entry, OF_ENTRY).map((field) => ignoredField(`entry.${field}`, account, entry[field])),
    ]
  })
}

function isEcho({ message }: Json): boolean {
  return isObject(message) && message.is_echo === true
}

/** An act of the account itself: a message of ours, or one that the business wrote in the app. Messenger returns our id. */
function ofAccount(raw: Json, about: Pick<Event, 'product' | 'account' | 'at'>): Inbound[] {
  const { account } = about
  const { message, recipient } = raw
  const person = isObject(recipient) ? textOf(recipient.id) : null
  if (!isObject(message) || person === null || person === account) {
    const handover = person === null || person === account ? undefined : toHandover({ ...about, person, raw })
    if (handover) return [handover]
    return Object.keys(raw)
      .filter((field) => isObject(raw[field]) && field !== 'sender' && field !== 'recipient')
      .map((field) => ignoredField(`echo.${field}`, account, raw[field]))
  }
  const opaque = ownIdIn(textOf(message.metadata))
  const items = ofMessage({ ...about, person, raw }, message)
  return items.map((item) => (item.kind === 'message' ? echoOf(item, { origin: appOf(message), opaque }) : item))
}

const OF_ENTRY = new Set(['id', 'time', 'uid', 'changed_fields', 'messaging', 'changes', 'standby'])

function unknownIn(node: Json, known: Set<string>): string[] {
  return Object.keys(node).filter((field) => !known.has(field) && node[field] !== null)
}

/** Parts of an event, in the order in which the first of them is read. */
const PARTS = ['message', 'postback', 'reaction', 'message_edit', 'read', 'delivery']

/** The parts of an event beside the one that is read. */
function besideOf(raw: Json): string[] {
  const parts = Object.keys(raw).filter((field) => isObject(raw[field]) && field !== 'sender' && field !== 'recipient')
  const read = PARTS.find((part) => parts.includes(part)) ?? parts[0]
  return parts.filter((part) => part !== read)
}

/** Acts of a person that are news of the conversation. */
const NEWS = ['referral', 'optin', 'account_linking']

/** What Meta decides about the account. */
const OF_ACCOUNT = /^(?:app_roles|policy_enforcement)$/

function itemsOf(event: Event): Inbound[] {
  const { message, message_edit, postback, reaction, read, delivery } = event.raw
  if (isObject(message)) return ofMessage(event, message)
  const seconds = event.at.getTime()
  if (isObject(postback)) {
    const id = textOf(postback.mid) ?? `${event.person}:postback:${seconds}`
    return [toMessage(event, id, ofPostback(postback), null)]
  }
  if (isObject(reaction)) {
    const mid = textOf(reaction.mid)
    // A reaction has no id of its own; a repeated one has the same time.
    if (mid === null) return [ignoredField('reaction', event.account, reaction)]
    return [toMessage(event, `${mid}:reaction:${seconds}`, ofReaction(mid, reaction), null)]
  }
  if (isObject(message_edit)) return ofEdit(event, message_edit)
  if (isObject(read)) return ofRead(event, read)
  if (isObject(delivery)) return ofDelivery(event, delivery)
  return [ofOther(event)]
}

/** Any other event. What a person did is kept, in the provider's fields. */
function ofOther(event: Event): Inbound {
  const { sender: _, recipient: __, timestamp: ___, ...rest } = event.raw
  const [kind, node] = Object.entries(rest).find(([, said]) => isObject(said)) ?? []
  const handover = toHandover(event)
  if (handover) return handover
  if (kind === undefined || OF_ACCOUNT.test(kind)) return ignoredField(kind ?? 'messaging', event.account, node)
  const id = `${event.person}:${kind}:${event.at.getTime()}`
  if (NEWS.includes(kind)) return toMessage(event, id, { type: kind, node: node as Json }, null)
  return toMessage(event, id, { type: 'unsupported', node: { kind, [kind]: node } }, null)
}

/** A message with several files becomes several messages here, as on WhatsApp; those after the first get ids of ours. */
function ofMessage(event: Event, message: Json): Inbound[] {
  const mid = textOf(message.mid)
  if (mid === null) return [ignoredField('message', event.account, message)]
  if (message.is_deleted === true) return [ofWithdrawal(event, mid)]
  const context = isObject(message.reply_to) ? textOf(message.reply_to.mid) : null
  const parts = contentsOf(message).map((content, index) =>
    index === 0
      ? toMessage(event, mid, content, context, message)
      : { ...toMessage(event, partId(mid, index), content, context, message), part_of: mid },
  )
  const unknown = unknownAttachmentsOf(message).map((type) =>
    ignoredField(`message.attachments.${type}`, event.account, message.attachments),
  )
  return [
    ...parts,
    ...unknown,
    ...unknownIn(message, KNOWN).map((field) => ignoredField(`message.${field}`, event.account, message[field])),
  ]
}

/** Fields of a message that are read, or say nothing that a person said. */
const KNOWN = new Set([
  ...['mid', 'text', 'attachments', 'quick_reply', 'reply_to', 'referral', 'commands', 'sticker_id'],
  ...['is_echo', 'is_deleted', 'is_unsupported', 'is_self', 'app_id', 'metadata', 'nlp', 'tags', 'traits', 'seq'],
])

function partId(mid: string, index: number): string {
  return `${mid}#${index + 1}`
}

/** Files of a message that are withdrawn with it. */
const MAX_PARTS = 30

/** Notices have no id of their own; a message is withdrawn once. */
function ofWithdrawal(event: Event, mid: string): InboundMessage {
  const content = { type: 'revoke', node: { original_message_id: mid } }
  const parts = Array.from({ length: MAX_PARTS - 1 }, (_, index) => partId(mid, index + 1))
  return { ...toMessage(event, `${mid}:revoke`, content, null), parts }
}

/** `num_edit` counts the edits of a message. */
function ofEdit(event: Event, { mid, text, num_edit }: Json): Inbound[] {
  const original_message_id = textOf(mid)
  const body = textOf(text)
  if (original_message_id === null || body === null)
    return [ignoredField('message_edit', event.account, { mid, text, num_edit })]
  const id = `${original_message_id}:edit:${textOf(num_edit) ?? event.at.getTime()}`
  const node = { original_message_id, message: { type: 'text', text: { body } } }
  const said = toMessage(event, id, { type: 'edit', node }, null)
  return [{ ...said, message: { type: 'edit', original_message_id, message: { type: 'text', body } } }]
}

function toMessage(
  { product, account, person, at }: Event,
  id: string,
  { type, node, files }: Content,
  context: string | null,
  { referral, commands }: Json = {},
): InboundMessage {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const around = { ...(isObject(referral) && { referral }), ...(Array.isArray(commands) && { commands }) }
  const raw = {
    from: person,
    id,
    timestamp,
    ...(context !== null && { context: { id: context } }),
    ...around,
    type,
    [type]: node,
  }
  return {
    kind: 'message',
    account,
    provider_message_id: id,
    user_id: person,
    name: null,
    at,
    type,
    message: { ...around, ...node, ...(node.type !== undefined && { [`${type}_type`]: node.type }), type },
    context: context === null ? null : { message_id: context },
    ...(files && { files }),
    value: {
      messaging_product: product,
      metadata: { account_id: account },
      contacts: [{ user_id: person }],
      messages: [raw],
    },
  }
}

function ofDelivery(event: Event, delivery: Json): InboundStatus[] {
  const at = timeOf(delivery.watermark, event.at)
  const mids = Array.isArray(delivery.mids) ? delivery.mids.map(textOf).filter((mid) => mid !== null) : []
  if (mids.length > 0) return mids.map((mid) => toStatus(event, 'delivered', at, mid))
  return delivery.watermark === undefined ? [] : [upTo(event, 'delivered', at)]
}

/**
 * Messenger reports the moment up to which all was read. Instagram names the message that was seen, which covers all
 * earlier ones.
 */
function ofRead(event: Event, read: Json): InboundStatus[] {
  const mid = textOf(read.mid)
  if (mid !== null) return [toStatus(event, 'read', event.at, mid), upTo(event, 'read', event.at)]
  return read.watermark === undefined ? [] : [upTo(event, 'read', timeOf(read.watermark, event.at))]
}

function upTo(event: Event, status: 'delivered' | 'read', at: Date): InboundStatus {
  return { ...toStatus(event, status, at, null), up_to: { user_id: event.person, at } }
}

function toStatus(
  { account }: Event,
  status: 'delivered' | 'read',
  at: Date,
  provider_message_id: string | null,
): InboundStatus {
  return { kind: 'status', account, provider_message_id, status, at, opaque: null, error: null, raw: null }
}

const FIRST_SECOND = 1_000_000_000
const LAST_SECOND = 10_000_000_000

/** Unix milliseconds, or seconds in some notifications. */
function timeOf(timestamp: unknown, now: Date): Date {
  const seconds = Number(textOf(timestamp) ?? Number.NaN)
  const milliseconds = seconds < LAST_SECOND ? seconds * 1_000 : seconds
  const is_time = milliseconds >= FIRST_SECOND * 1_000 && milliseconds < LAST_SECOND * 1_000
  return is_time ? new Date(milliseconds) : now
}
