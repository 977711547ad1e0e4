/**
 * The events a webhook subscription can ask for: each with a JSON Schema of `data` and an example of it.
 * Message events have the shape of the provider's cloud webhooks (`messages` or `statuses`), plus whose they are.
 */
export type EventType = {
  type: string
  description: string
  /** JSON Schema (2020-12) of the envelope's `data`. */
  schema: JsonSchema
  example: Record<string, unknown>
}

type JsonSchema = { type?: string | string[]; [keyword: string]: unknown }

const text = { type: 'string' }
const recordId = { type: 'string', pattern: '^[0-9a-f]{24}$' }
const messageId = { type: 'string', pattern: '^msg_[0-9a-f]{24}$' }
const list = (items: JsonSchema) => ({ type: 'array', items })

/** An open object: further properties of the provider pass through. */
function object(properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) }
}

const channelNames = {
  whatsapp: 'WhatsApp',
  instagram: 'Instagram',
  messenger: 'Messenger',
  telegram: 'Telegram',
  web: 'the web chat',
  email: 'e-mail',
}
type ChannelName = keyof typeof channelNames

const provided = {
  messaging_product: text,
  metadata: object({ phone_number_id: text, display_phone_number: text }, ['phone_number_id', 'display_phone_number']),
  channel_id: recordId,
  chat_user: { ...recordId, type: ['string', 'null'] },
  message_id: messageId,
}

const contact = object({ wa_id: text, user_id: text, profile: object({ name: text }, ['name']) }, [
  'wa_id',
  'user_id',
  'profile',
])
const failure = object({ code: { type: ['integer', 'string'] }, title: text, message: text }, ['title', 'message'])

const receivedSchema = object({
  ...provided,
  contacts: list(contact),
  messages: list(object({ id: text, from: text, timestamp: text, type: text }, ['from'])),
})

const statusSchema = object({
  ...provided,
  statuses: list(
    object({ id: text, status: text, timestamp: text, recipient_id: text, errors: list(failure) }, [
      'recipient_id',
      'errors',
    ]),
  ),
})

function provider(channel: ChannelName) {
  return {
    messaging_product: channel,
    metadata: channel === 'whatsapp' ? { display_phone_number: '15550100001', phone_number_id: '106540352242922' } : {},
    channel_id: '66f2a0c1d4e5f60718293a4b',
    chat_user: '66f2a0c1d4e5f60718293a4c',
    message_id: 'msg_66f2a0c1d4e5f60718293a4d',
  }
}

function received(channel: ChannelName): EventType {
  return {
    type: `${channel}.message.received`,
    description: `Somebody wrote on ${channelNames[channel]}.`,
    schema: receivedSchema,
    example: {
      ...provider(channel),
      contacts: [{ profile: { name: 'Ana' }, wa_id: '5215512345678' }],
      messages: [
        {
          from: '5215512345678',
          id: 'wamid.HBgMNTIx',
          timestamp: '1790000000',
          type: 'text',
          text: { body: 'Hello' },
        },
      ],
    },
  }
}

function status(channel: ChannelName, state: 'sent' | 'delivered' | 'read' | 'failed'): EventType {
  const what = { sent: 'accepted by the provider', delivered: 'delivered', read: 'read', failed: 'not delivered' }[
    state
  ]
  const errors = state === 'failed' ? { errors: [{ code: 131026, title: 'Message undeliverable' }] } : {}
  return {
    type: `${channel}.message.${state}`,
    description: `A message sent on ${channelNames[channel]} was ${what}.`,
    schema: statusSchema,
    example: {
      ...provider(channel),
      contacts: [],
      statuses: [
        { id: 'wamid.HBgMNTIx', status: state, timestamp: '1790000000', recipient_id: '5215512345678', ...errors },
      ],
    },
  }
}

function connection(state: 'connected' | 'disconnected', reason: string | null): EventType {
  return {
    type: `whatsapp.channel.${state}`,
    description: `A WhatsApp channel was ${state}.`,
    schema: object({
      channel_id: recordId,
      channel_type: text,
      name: text,
      status: text,
      status_reason: { type: ['string', 'null'] },
    }),
    example: {
      channel_id: '66f2a0c1d4e5f60718293a4b',
      channel_type: 'whatsapp',
      name: 'Support',
      status: state,
      status_reason: reason,
    },
  }
}

function broadcast(state: 'completed' | 'failed'): EventType {
  const counts = ['total', 'pending_count', 'sent_count', 'delivered_count', 'read_count', 'failed_count']
  return {
    type: `messages.broadcast.${state}`,
    description: `A bulk send ${state === 'completed' ? 'came to its end' : 'failed as a whole'}.`,
    schema: object({
      id: { type: 'string', pattern: '^brd_[0-9a-f]{24}$' },
      status: text,
      ...Object.fromEntries(counts.map((name) => [name, { type: 'integer', minimum: 0 }])),
    }),
    example: {
      id: 'brd_66f2a0c1d4e5f60718293a4e',
      status: state,
      total: 100,
      pending_count: 0,
      sent_count: 8,
      delivered_count: 60,
      read_count: 30,
      failed_count: 2,
    },
  }
}

const flowResponse: EventType = {
  type: 'whatsapp.flow.response',
  description: 'Somebody completed a Flow; flow_token is the one given when it was sent.',
  schema: object({ ...provided, flow_token: { type: ['string', 'null'] }, response: { type: 'object' } }),
  example: { ...provider('whatsapp'), flow_token: 'order-1042', response: { size: 'L', flow_token: 'order-1042' } },
}

const templateUpdated: EventType = {
  type: 'whatsapp.template.updated',
  description: 'The provider changed the state of a message template.',
  schema: object({ channel_id: recordId, name: text, language: text, status: text, category: text }),
  example: {
    channel_id: '66f2a0c1d4e5f60718293a4b',
    name: 'order_update',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
  },
}

const flowUpdated: EventType = {
  type: 'whatsapp.flow.updated',
  description: 'The provider changed the state of a Flow.',
  schema: object({ id: text, name: text, status: text, channel_id: recordId }),
  example: {
    id: '66f2a0c1d4e5f60718293a4f',
    name: 'Sign-up',
    status: 'published',
    channel_id: '66f2a0c1d4e5f60718293a4b',
  },
}

const states = ['sent', 'delivered', 'read', 'failed'] as const

/** In the order `GET /v1/webhooks/event-types` lists them. */
export const eventTypes: readonly EventType[] = [
  ...(Object.keys(channelNames) as ChannelName[]).flatMap((channel) => [
    received(channel),
    ...states.map((state) => status(channel, state)),
  ]),
  connection('connected', null),
  connection('disconnected', 'The provider refused the access token.'),
  flowResponse,
  templateUpdated,
  flowUpdated,
  broadcast('completed'),
  broadcast('failed'),
]

/** The names alone. */
export const eventTypeNames: readonly string[] = eventTypes.map(({ type }) => type)
