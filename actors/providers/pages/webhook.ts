import { isObject, type Json, objects, textOf } from '../json.ts'
import type { Inbound, InboundMessage, InboundStatus } from '../provider.ts'
import { type Content, contentsOf, ofPostback, ofReaction } from './content.ts'
import type { Platform } from './platform.ts'

/** One event of an entry: the person, the time and the raw event. */
type Event = { product: Platform['product']; account: string; person: string; at: Date; raw: Json }

/**
 * Reads a webhook call, which may concern several accounts. Unknown parts are left out or passed on unchanged; nothing
 * in a call with the right outer form makes it unreadable. Undefined when the call is not about this platform. `now`
 * replaces missing times.
 */
export function readEntries({ object, product }: Platform, call: unknown, now: Date): Inbound[] | undefined {
  if (!isObject(call) || call.object !== object || !Array.isArray(call.entry)) return undefined
  return objects(call.entry).flatMap((entry) => {
    const account = textOf(entry.id)
    if (account === null) return []
    // Some notifications come as changes of a field, with the same event as value.
    const changed = objects(entry.changes).map(({ value }) => value)
    return objects([...objects(entry.messaging), ...changed]).flatMap((raw) => {
      const person = isObject(raw.sender) ? textOf(raw.sender.id) : null
      // Actions of the page itself: echoes of messages sent by us or by others.
      if (person === null || person === account) return []
      return itemsOf({ product, account, person, at: timeOf(raw.timestamp, now), raw })
    })
  })
}

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
    return mid === null ? [] : [toMessage(event, `${mid}:reaction:${seconds}`, ofReaction(mid, reaction), null)]
  }
  if (isObject(message_edit)) return ofEdit(event, message_edit)
  if (isObject(read)) return ofRead(event, read)
  if (isObject(delivery)) return ofDelivery(event, delivery)
  return []
}

/** A message with several files becomes several messages here, as on WhatsApp; those after the first get ids of ours. */
function ofMessage(event: Event, message: Json): InboundMessage[] {
  const mid = textOf(message.mid)
  if (mid === null || message.is_echo === true) return []
  if (message.is_deleted === true) return [ofWithdrawal(event, mid)]
  const context = isObject(message.reply_to) ? textOf(message.reply_to.mid) : null
  return contentsOf(message).map((content, index) =>
    index === 0
      ? toMessage(event, mid, content, context, message.referral)
      : { ...toMessage(event, partId(mid, index), content, context, message.referral), part_of: mid },
  )
}

function partId(mid: string, index: number): string {
  return `${mid}#${index + 1}`
}

/** Files of a message that are withdrawn with it. */
const MOST_PARTS = 30

/** Notices have no id of their own; a message is withdrawn once. */
function ofWithdrawal(event: Event, mid: string): InboundMessage {
  const content = { type: 'revoke', node: { original_message_id: mid } }
  const parts = Array.from({ length: MOST_PARTS - 1 }, (_, index) => partId(mid, index + 1))
  return { ...toMessage(event, `${mid}:revoke`, content, null), parts }
}

/** `num_edit` counts the edits of a message. */
function ofEdit(event: Event, { mid, text, num_edit }: Json): InboundMessage[] {
  const original_message_id = textOf(mid)
  const body = textOf(text)
  if (original_message_id === null || body === null) return []
  const id = `${original_message_id}:edit:${textOf(num_edit) ?? event.at.getTime()}`
  const node = { original_message_id, message: { type: 'text', text: { body } } }
  const said = toMessage(event, id, { type: 'edit', node }, null)
  return [{ ...said, message: { type: 'edit', original_message_id, message: { type: 'text', body } } }]
}

function toMessage(
  { product, account, person, at }: Event,
  id: string,
  { type, node }: Content,
  context: string | null,
  referral?: unknown,
): InboundMessage {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const raw = {
    from: person,
    id,
    timestamp,
    ...(context !== null && { context: { id: context } }),
    ...(isObject(referral) && { referral }),
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
    message: { ...node, ...(node.type !== undefined && { [`${type}_type`]: node.type }), type },
    context: context === null ? null : { message_id: context },
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
  const given = Number(textOf(timestamp) ?? Number.NaN)
  const milliseconds = given < LAST_SECOND ? given * 1_000 : given
  const is_time = milliseconds >= FIRST_SECOND * 1_000 && milliseconds < LAST_SECOND * 1_000
  return is_time ? new Date(milliseconds) : now
}
