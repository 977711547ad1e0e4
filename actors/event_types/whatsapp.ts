/** Events of WhatsApp accounts: channels, Flows, templates, bulk sends. */

import {
  broadcastExample,
  broadcastRecord,
  exampleIds as ids,
  templateExample,
  templateRecord,
} from '../records/mod.ts'
import { contactExample, contacts, envelope, envelopeExample, messages } from './messages.ts'
import {
  anyObject,
  dataOf,
  described,
  type EventType,
  list,
  nullable,
  oneOf,
  provided,
  recordData,
  recordId,
  text,
  time,
} from './schema.ts'

function connection(state: 'connected' | 'disconnected', status_reason: string | null): EventType {
  return {
    type: `whatsapp.channel.${state}`,
    description:
      state === 'connected' ? 'A WhatsApp channel can send and receive.' : 'A WhatsApp channel stopped working.',
    schema: dataOf({
      channel_id: recordId,
      channel_type: { const: 'whatsapp' },
      name: text,
      status: { const: state },
      status_reason: described(nullable(text), 'The reason why it does not work.'),
    }),
    example: { channel_id: ids.channel, channel_type: 'whatsapp', name: 'Support', status: state, status_reason },
  }
}

const flowResponse: EventType = {
  type: 'whatsapp.flow.response',
  description: 'A person completed a Flow.',
  schema: dataOf(
    {
      ...envelope,
      contacts,
      messages,
      flow_token: described(nullable(text), 'The token given when the Flow, or the template with it, was sent.'),
      response: described(anyObject, 'The answers, by the field names of the Flow.'),
    },
    { unreadable: described({ const: true }, 'The answers are no JSON object; the message has them as they came.') },
  ),
  example: {
    ...envelopeExample('whatsapp'),
    contacts: [contactExample('whatsapp')],
    messages: [
      {
        from: '5215512345678',
        id: 'wamid.HBgNNTIxNTUxMjM0NTY3OBUCABIYFDNBMEF',
        timestamp: '1790000000',
        type: 'interactive',
        context: { from: '15550100001', id: 'wamid.HBgNNTIxNTUxMjM0NTY3OBUCABEYEjdC' },
        interactive: {
          type: 'nfm_reply',
          nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"size":"L","flow_token":"order-1042"}' },
        },
      },
    ],
    flow_token: 'order-1042',
    response: { size: 'L', flow_token: 'order-1042' },
  },
}

const templateUpdated: EventType = {
  type: 'whatsapp.template.updated',
  description: 'The provider changed the state, category, quality or text of a message template.',
  schema: recordData(templateRecord, { components: list(provided({ type: text })) }),
  example: templateExample,
}

const flowUpdated: EventType = {
  type: 'whatsapp.flow.updated',
  description: 'The state of a Flow changed, here or at the provider.',
  schema: dataOf({
    id: recordId,
    provider_flow_id: described(text, "The provider's id, which templates use."),
    name: text,
    status: oneOf('draft', 'published', 'deprecated', 'throttled', 'blocked'),
    categories: list(text),
    validation_errors: list(provided({}, { error: text, message: text })),
    channel_id: recordId,
    created_at: time,
    updated_at: time,
  }),
  example: {
    id: ids.flow,
    provider_flow_id: '900000000000002',
    name: 'Sign-up',
    status: 'published',
    categories: ['SIGN_UP'],
    validation_errors: [],
    channel_id: ids.channel,
    created_at: '2026-09-20T09:00:00.000Z',
    updated_at: '2026-09-21T14:13:20.000Z',
  },
}

type Broadcast = typeof broadcastExample

function broadcast(
  what: 'completed' | 'failed' | 'paused' | 'resumed',
  status: Broadcast['status'],
  description: string,
  fields: Partial<Broadcast> = {},
): EventType {
  return {
    type: `messages.broadcast.${what}`,
    description,
    schema: recordData(broadcastRecord, { status: { const: status } }),
    example: { ...broadcastExample, status, ...fields },
  }
}

const half = {
  pending_count: 50,
  sent_count: 4,
  delivered_count: 30,
  read_count: 15,
  failed_count: 1,
  completed_at: null,
}

export const whatsappEvents: EventType[] = [
  connection('connected', null),
  connection('disconnected', 'The provider refused the access token.'),
  flowResponse,
  templateUpdated,
  flowUpdated,
]

export const broadcastEvents: EventType[] = [
  broadcast('completed', 'completed', 'A bulk send came to its end.'),
  broadcast('failed', 'failed', 'A bulk send failed as a whole.', {
    sent_count: 0,
    delivered_count: 0,
    read_count: 0,
    failed_count: 100,
    cost: null,
  }),
  broadcast('paused', 'sending', 'A bulk send waits, because the project has reached its monthly_marketing_cap.', {
    ...half,
    paused_reason: 'marketing_cap_reached',
  }),
  broadcast('resumed', 'sending', 'A bulk send that was paused goes on.', half),
]
