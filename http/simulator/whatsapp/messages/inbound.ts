import { type Answer, ControlRefusal, ok } from '../../answer.ts'
import type { WhatsAppNumber } from '../../options.ts'
import { sampleOf } from '../../sample_files.ts'
import { isElsewhere } from '../../threads.ts'
import type { WebhookOutcome } from '../../webhook_sender.ts'
import type { Account } from '../account.ts'
import type { Notification } from '../envelope.ts'
import { userIdOf, waIdOf } from '../numbers.ts'
import type { People } from '../people.ts'
import { aboutNumber } from '../thread_control.ts'
import { messageId } from './message_id.ts'

type Json = Record<string, unknown>

const FIELDS = [
  'channel',
  'from',
  'message',
  'name',
  'phone_number_id',
  'context',
  'id',
  'timestamp',
  'user_id',
  'marketing',
  'by_business',
]
const MEDIA = ['image', 'video', 'audio', 'document', 'sticker']
const DEMO_MIME: Record<string, string> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
}

/** Sends a person's message through the webhook of the number and returns the receiver's answer. Throws ControlRefusal. */
export async function injectInbound(account: Account, body: Json): Promise<Answer> {
  const { world, windows, limits, callbacks } = account
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) throw new ControlRefusal(`inbound has no field "${key}"; it takes ${FIELDS.join(', ')}.`)
  const number = chooseNumber(account, body.phone_number_id)
  const { person, contact, sender } = identify(body, account.people)
  if (body.marketing !== undefined) return injectPreference(account, number, person, contact, body)
  if (body.by_business === true) return injectEcho(account, number, person, body)
  const id = typeof body.id === 'string' ? body.id : messageId(person)
  const timestamp = String(body.timestamp ?? Math.floor(world.now() / 1000))
  const message: Json = { ...sender, id, timestamp, ...contentOf(account, number, body.message) }
  const context = contextOf(number, body.context)
  if (context) message.context = { ...context, ...(message.context as Json | undefined) }
  // Neither notices nor what is said in a group opens the window of the person.
  if (opensWindow(message)) {
    for (const key of [person, contact.user_id as string]) windows.open(number.phone_number_id, key)
  }
  limits.countInbound(number.phone_number_id)
  const label = `message ${id}`
  const notification: Notification = isElsewhere(world.threads.write(number.phone_number_id, person))
    ? { number, field: 'standby', item: onStandby(number, { contacts: [contact], messages: [message] }), label }
    : { number, field: 'messages', list: 'messages', item: message, contact, label }
  const outcome = await new Promise<WebhookOutcome>((resolve) => callbacks.notify(notification, resolve))
  return ok({ provider_message_id: id, phone_number_id: number.phone_number_id, message, webhook: outcome })
}

/** A message of a conversation that another app holds. */
function onStandby(number: WhatsAppNumber, standby: Json): Json {
  return { ...aboutNumber(number), standby }
}

/** A message of another app is told as the body of its send. */
function sentByOther({ id, timestamp, from: _, to, ...content }: Json): Json {
  const message = { messaging_product: 'whatsapp', recipient_type: 'individual', to, recipient: to, ...content }
  return { id, timestamp, message }
}

/** The business writes to the person in its app on the phone, or in the app that holds the conversation. */
async function injectEcho(account: Account, number: WhatsAppNumber, person: string, body: Json): Promise<Answer> {
  const { world, callbacks } = account
  const id = typeof body.id === 'string' ? body.id : messageId(person)
  const timestamp = String(body.timestamp ?? Math.floor(world.now() / 1000))
  const sides = { from: number.display_phone_number.replace(/\D/g, ''), to: person }
  const echo = { ...sides, id, timestamp, ...contentOf(account, number, body.message) }
  const label = `echo ${id}`
  const notification: Notification = isElsewhere(world.threads.holderOf(number.phone_number_id, person))
    ? { number, field: 'standby', item: onStandby(number, { message_echoes: [sentByOther(echo)] }), label }
    : { number, field: 'smb_message_echoes', list: 'message_echoes', item: echo, label }
  const webhook = await new Promise<WebhookOutcome>((resolve) => callbacks.notify(notification, resolve))
  return ok({ provider_message_id: id, phone_number_id: number.phone_number_id, message: echo, webhook })
}

/** The person stops or resumes marketing messages of the account. The account refuses them afterwards. */
async function injectPreference(
  { world, callbacks, opted_out }: Account,
  number: WhatsAppNumber,
  person: string,
  contact: Json,
  { marketing: value, timestamp }: Json,
): Promise<Answer> {
  if (value !== 'stop' && value !== 'resume') throw new ControlRefusal('marketing must be "stop" or "resume".')
  const key = `${number.business_account_id} ${person}`
  if (value === 'stop') opted_out.add(key)
  else opted_out.delete(key)
  const detail = `User requested to ${value} marketing messages`
  const at = Number(timestamp ?? Math.floor(world.now() / 1000))
  const item = { wa_id: contact.wa_id, detail, category: 'marketing_messages', value, timestamp: at }
  const label = `marketing ${value} of ${person}`
  const webhook = await new Promise<WebhookOutcome>((resolve) =>
    callbacks.notify({ number, field: 'user_preferences', list: 'user_preferences', item, contact, label }, resolve),
  )
  return ok({ phone_number_id: number.phone_number_id, user_preferences: [item], webhook })
}

const NOTICES = ['request_welcome', 'system', 'edit', 'revoke', 'pin', 'unpin']

function opensWindow({ type, reaction, group_id }: Json): boolean {
  if (group_id !== undefined || NOTICES.includes(String(type))) return false
  return type !== 'reaction' || Boolean((reaction as Json | undefined)?.emoji)
}

export function chooseNumber(account: Account, phone_number_id: unknown): WhatsAppNumber {
  if (phone_number_id !== undefined) {
    const number = account.numbers.get(String(phone_number_id))
    if (!number)
      throw new ControlRefusal(`There is no number with phone_number_id "${phone_number_id}".`, 404, 'NOT_FOUND')
    if (!number.webhook_url) throw noWebhook(number.phone_number_id)
    return number
  }
  const [first] = account.numbers.all()
  if (!first)
    throw new ControlRefusal('The simulator has no number yet; add one with PUT /_control/numbers.', 409, 'NO_NUMBER')
  const number = account.numbers.all().find((candidate) => candidate.webhook_url)
  if (!number) throw noWebhook(first.phone_number_id)
  return number
}

function noWebhook(phone_number_id: string): ControlRefusal {
  const sentence = `Number ${phone_number_id} has no webhook_url; set one with PUT /_control/numbers.`
  return new ControlRefusal(sentence, 409, 'NO_WEBHOOK')
}

/** The sender: a phone number, or a person known only by a business-scoped user id such as US.1349…. */
export function identify(body: Json, people: People): { person: string; contact: Json; sender: Json } {
  if (typeof body.from !== 'string' || body.from === '')
    throw new ControlRefusal('from is missing: the phone number of the person who writes, e.g. "+15551234567".')
  const profile = { name: typeof body.name === 'string' ? body.name : 'Simulated Person' }
  if (/^[A-Z]{2}\..+$/.test(body.from)) {
    const user_id = body.from
    return { person: user_id, contact: { profile, user_id }, sender: { from_user_id: user_id } }
  }
  const phone = waIdOf(body.from.replace(/\D/g, ''))
  if (!/^\d{5,20}$/.test(phone))
    throw new ControlRefusal(
      'from must be a phone number such as "+15551234567" or a user id such as "US.13491208655302741918".',
    )
  const user_id = typeof body.user_id === 'string' ? body.user_id : (people.find(phone)?.user_id ?? userIdOf(phone))
  return { person: phone, contact: { profile, wa_id: phone, user_id }, sender: { from: phone, from_user_id: user_id } }
}

function contentOf(account: Account, number: WhatsAppNumber, message: unknown): Json {
  if (typeof message === 'string') return { type: 'text', text: { body: message } }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new ControlRefusal(
      'message must be a text or a Cloud API message object such as {"type":"text","text":{"body":"Hi"}}.',
    )
  const content = { ...(message as Json) }
  const type = content.type
  if (typeof type !== 'string') throw new ControlRefusal('message.type is missing, e.g. "text".')
  if (content[type] === undefined && !['unsupported', 'system', 'unknown', 'request_welcome'].includes(type))
    throw new ControlRefusal(`message.${type} is missing: a message of type ${type} carries its content there.`)
  if (MEDIA.includes(type)) content[type] = mediaNode(account, number, type, content[type] as Json)
  return content
}

/** Adds a file to a media node without an id: `data` (base64) when given, else a sample of the type. */
function mediaNode(account: Account, number: WhatsAppNumber, type: string, node: Json): Json {
  if (typeof node !== 'object' || node === null) throw new ControlRefusal(`message.${type} must be an object.`)
  if (node.id !== undefined) return node
  const { data, ...rest } = node
  const mime_type = typeof node.mime_type === 'string' ? node.mime_type : DEMO_MIME[type]!
  const bytes = Buffer.from(typeof data === 'string' ? data : sampleOf(mime_type), 'base64')
  const media = account.media.receive(number.phone_number_id, mime_type, bytes, node.filename as string | undefined)
  return {
    ...rest,
    mime_type: media.mime_type,
    sha256: Buffer.from(media.sha256, 'hex').toString('base64'),
    id: media.id,
  }
}

/** Converts a quoted message from `{ message_id }`, as clients write it, to Meta's `{ from, id }`. */
function contextOf(number: WhatsAppNumber, context: unknown): Json | undefined {
  if (context === undefined || context === null) return undefined
  const { message_id, id, ...rest } = context as Json
  const quoted = message_id ?? id
  if (typeof quoted !== 'string')
    throw new ControlRefusal('context needs message_id, the provider id of the quoted message.')
  return { from: number.display_phone_number.replace(/\D/g, ''), id: quoted, ...rest }
}
