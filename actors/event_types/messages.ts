/** Message events of every channel, in the shape of the cloud webhooks of WhatsApp. */

import { messageOrigins } from '../../storage/mod.ts'
import { exampleIds as ids } from '../records/mod.ts'
import type { JsonSchema } from '../schema/mod.ts'
import { failures, incomingContents } from './incoming_contents.ts'
import {
  anyObject,
  dataOf,
  type EventType,
  list,
  messageId,
  nullable,
  number,
  oneOf,
  provided,
  recordId,
  text,
} from './schema.ts'

const channels = {
  whatsapp: { name: 'WhatsApp', person: '5215512345678', message: 'wamid.HBgNNTIxNTUxMjM0NTY3OBUCABIYFDNBMEE' },
  instagram: { name: 'Instagram', person: '17841400455970028', message: 'aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlEOjE3ODQx' },
  messenger: { name: 'Messenger', person: '5629874113704412', message: 'm_Kq3Zr0aP8nU1xXkV7sWdEYbLrHc' },
  telegram: { name: 'Telegram', person: '518273640', message: '518273640:1042' },
  web: { name: 'the web chat', person: 'visitor-7f3c9a2e', message: 'web-0b7d5e7c-42' },
  tiktok: { name: 'TikTok', person: 'aN6k3fZ0conversation', message: '7536216148261765121' },
  email: { name: 'e-mail', person: 'ana@example.com', message: '<CAF7rT2m1@mail.example.com>' },
}
type Channel = keyof typeof channels
type State = 'sent' | 'delivered' | 'read' | 'failed'

/** Fields of every message event besides the messages or statuses. */
export const envelope: Record<string, JsonSchema> = {
  messaging_product: text,
  metadata: provided({}, { phone_number_id: text, display_phone_number: text }),
  channel_id: recordId,
  chat_user: { ...nullable(recordId), description: 'The contact.' },
  message_id: messageId,
}

const contact = provided({}, { wa_id: text, user_id: text, profile: provided({}, { name: text }) })
const seconds = { ...text, description: 'Unix seconds.' }

export const contacts = list(contact)
export const incomingMessage: JsonSchema = {
  ...provided({ id: text, timestamp: seconds, type: text }, { from: text, ...incomingContents }),
  description: 'An incoming message. Its content is in the field that has the name of its `type`.',
}
export const messages = list(incomingMessage)

const meta_data = { ...nullable(anyObject), description: 'The `meta_data` of the send.' }

const confirmed: JsonSchema = {
  type: 'boolean',
  description: 'False when the provider may have taken the message and never said so.',
}
const warnings = { ...list(provided({ code: text, message: text })), description: '`OUTCOME_UNKNOWN`, or none.' }

const origin: JsonSchema = {
  ...nullable(oneOf(...messageOrigins)),
  description:
    'Where the business wrote the message, if not through Parley: then `sent` has its `messages`, with `to`.',
}

const imported: JsonSchema = {
  type: 'boolean',
  description: 'True for a message from the history of a phone, whose import was asked for with webhooks.',
}

const statuses = list(
  provided(
    {
      id: text,
      status: { type: 'string', enum: ['sent', 'delivered', 'read', 'played', 'failed'] },
      timestamp: seconds,
    },
    { recipient_id: text, errors: failures, biz_opaque_callback_data: text },
  ),
)

export function envelopeExample(channel: Channel) {
  return {
    messaging_product: channel,
    metadata: channel === 'whatsapp' ? { display_phone_number: '15550100001', phone_number_id: '106540352242922' } : {},
    channel_id: ids.channel,
    chat_user: ids.contact,
    message_id: ids.message,
  }
}

/** The sender. WhatsApp identifies people by `wa_id`, the other channels by `user_id`. */
export function contactExample(channel: Channel) {
  const { person } = channels[channel]
  return { profile: { name: 'Ana' }, ...(channel === 'whatsapp' ? { wa_id: person } : { user_id: person }) }
}

/** Channels on which several apps of the business share conversations. */
const SHARED = ['whatsapp', 'instagram', 'messenger'] as const

function standby(channel: Channel): EventType {
  const { name } = channels[channel]
  const { schema: _, ...usual } = received(channel)
  const held_by = { ...oneOf('meta_agent', 'app'), description: 'The app that answers.' }
  return {
    type: `${channel}.message.standby`,
    description: `A person wrote on ${name} while another app of the business holds the conversation: it is not for you to answer.`,
    schema: dataOf({ ...envelope, contacts, messages, held_by }),
    example: { ...(usual.example as object), held_by: 'meta_agent' },
  }
}

function received(channel: Channel): EventType {
  const { name, person, message } = channels[channel]
  return {
    type: `${channel}.message.received`,
    description: `A person wrote on ${name}.`,
    schema: dataOf({ ...envelope, contacts, messages }, { imported }),
    example: {
      ...envelopeExample(channel),
      contacts: [contactExample(channel)],
      messages: [{ from: person, id: message, timestamp: '1790000000', type: 'text', text: { body: 'Hello' } }],
    },
  }
}

/** Channels whose providers report that a person edits and withdraws messages. */
const CHANGING = ['whatsapp', 'instagram', 'messenger', 'telegram'] as const

function changed(channel: Channel, what: 'edited' | 'deleted'): EventType {
  const { name, person, message } = channels[channel]
  const notice =
    what === 'edited'
      ? { type: 'edit', edit: { original_message_id: message, message: { type: 'text', body: 'Hello again' } } }
      : { type: 'revoke', revoke: { original_message_id: message } }
  return {
    type: `${channel}.message.${what}`,
    description: `A person, or the business, ${what === 'edited' ? 'edited' : 'withdrew'} a message on ${name}.`,
    schema: dataOf({ ...envelope, messages }, { origin }),
    example: {
      ...envelopeExample(channel),
      messages: [{ from: person, id: `${message}.1`, timestamp: '1790000000', ...notice }],
    },
  }
}

/** Channels whose providers keep the files of people until they are fetched. */
const FETCHING = ['whatsapp', 'instagram', 'messenger', 'telegram', 'tiktok', 'email'] as const

const media = provided({
  media_id: { ...recordId, description: 'For `GET /v1/media/{id}`.' },
  media_status: { type: 'string', enum: ['stored', 'failed'] },
  media_error: nullable(provided({ code: text, message: text })),
  mime_type: { ...nullable(text), description: 'By the bytes of the file. Null when it is not stored.' },
  file_size: { ...nullable(number), description: 'Bytes.' },
  sha256: { ...nullable(text), description: 'Hex.' },
  filename: nullable(text),
})

function fetched(channel: Channel): EventType {
  const { name } = channels[channel]
  const sha256 = 'c68b576a1d7f10fd26d6186814c60cc0f38b5fbf57184b183fbdd196ae48f073'
  const facts = { mime_type: 'image/jpeg', file_size: 48213, sha256, filename: null }
  return {
    type: `${channel}.message.media`,
    description: `A file that a person sent on ${name} is stored, or could not be fetched.`,
    schema: dataOf({ ...envelope, media }),
    example: {
      ...envelopeExample(channel),
      media: { media_id: '66f2a0c1d4e5f60718293a4f', media_status: 'stored', media_error: null, ...facts },
    },
  }
}

const MEANING = { sent: 'accepted by the provider', delivered: 'delivered', read: 'read', failed: 'not delivered' }

function status(channel: Channel, state: State): EventType {
  const { name, person, message } = channels[channel]
  const errors = [
    { code: 131026, title: 'Message undeliverable', error_data: { details: 'The recipient is not on WhatsApp.' } },
  ]
  const reason = channel === 'whatsapp' ? errors : [{ code: 'undeliverable', title: 'Message undeliverable' }]
  return {
    type: `${channel}.message.${state}`,
    description: `A message to a person on ${name} was ${MEANING[state]}.`,
    schema: dataOf({ ...envelope, statuses, meta_data }, { contacts, messages, imported, origin, confirmed, warnings }),
    example: {
      ...envelopeExample(channel),
      statuses: [
        {
          id: message,
          status: state,
          timestamp: '1790000000',
          recipient_id: person,
          ...(state === 'failed' && { errors: reason }),
        },
      ],
      meta_data: { order: 'A-1042' },
    },
  }
}

const STATES = ['sent', 'delivered', 'read', 'failed'] as const
/** TikTok says that a message was read, and nothing of its delivery. */
const statesOf = (channel: Channel): readonly State[] =>
  channel === 'tiktok' ? STATES.filter((state) => state !== 'delivered') : STATES

export const messageEvents: EventType[] = (Object.keys(channels) as Channel[]).flatMap((channel) => [
  received(channel),
  ...SHARED.filter((one) => one === channel).map(standby),
  ...statesOf(channel).map((state) => status(channel, state)),
  ...FETCHING.filter((one) => one === channel).map(fetched),
  ...CHANGING.filter((one) => one === channel).flatMap(() => [changed(channel, 'edited'), changed(channel, 'deleted')]),
])
