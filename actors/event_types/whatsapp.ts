/** Events of WhatsApp accounts: channels, Flows, templates, bulk sends. */

import { exampleIds as ids } from '../records/mod.ts'
import { contactExample, contacts, envelope, envelopeExample, messages } from './messages.ts'
import {
  anyObject,
  count,
  dataOf,
  described,
  type EventType,
  list,
  nullable,
  oneOf,
  provided,
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
  description: 'The provider changed the state, category or text of a message template.',
  schema: dataOf({
    _id: recordId,
    channel_id: recordId,
    name: text,
    language: text,
    status: described(text, "The provider's word, such as APPROVED, REJECTED or PAUSED."),
    category: text,
    components: list(provided({ type: text })),
    variables: list(text),
    synced_at: time,
  }),
  example: {
    _id: ids.template,
    channel_id: ids.channel,
    name: 'order_update',
    language: 'en_US',
    status: 'APPROVED',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} is on its way.' }],
    variables: ['1', '2'],
    synced_at: '2026-09-21T14:13:20.000Z',
  },
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

function broadcast(state: 'completed' | 'failed'): EventType {
  const failed = state === 'failed'
  const counts = ['total', 'pending_count', 'sent_count', 'delivered_count', 'read_count', 'failed_count']
  return {
    type: `messages.broadcast.${state}`,
    description: failed ? 'A bulk send failed as a whole.' : 'A bulk send came to its end.',
    schema: dataOf({
      id: { type: 'string', pattern: '^brd_[0-9a-f]{24}$' },
      status: { const: state },
      campaign_name: nullable(text),
      user_id: nullable(recordId),
      template_name: text,
      language: text,
      channel_id: recordId,
      ...Object.fromEntries(counts.map((name) => [name, count])),
      created_at: time,
      started_at: nullable(time),
      completed_at: nullable(time),
      updated_at: time,
    }),
    example: {
      id: ids.broadcast,
      status: state,
      campaign_name: 'Autumn sale',
      user_id: null,
      template_name: 'order_update',
      language: 'en_US',
      channel_id: ids.channel,
      total: 100,
      pending_count: 0,
      sent_count: failed ? 0 : 8,
      delivered_count: failed ? 0 : 60,
      read_count: failed ? 0 : 30,
      failed_count: failed ? 100 : 2,
      created_at: '2026-09-21T14:00:00.000Z',
      started_at: '2026-09-21T14:00:01.000Z',
      completed_at: '2026-09-21T14:13:20.000Z',
      updated_at: '2026-09-21T14:13:20.000Z',
    },
  }
}

export const whatsappEvents: EventType[] = [
  connection('connected', null),
  connection('disconnected', 'The provider refused the access token.'),
  flowResponse,
  templateUpdated,
  flowUpdated,
]

export const broadcastEvents: EventType[] = [broadcast('completed'), broadcast('failed')]
