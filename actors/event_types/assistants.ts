/** Events of assistants in conversations. `turn_id` leads to the steps and the reasons. */
import { exampleIds as ids } from '../records/mod.ts'
import { dataOf, described, type EventType, list, messageId, nullable, record, recordId, text, url } from './schema.ts'

const common = { ticket_id: recordId, chat_user: recordId, assistant_id: recordId, turn_id: recordId }
const commonExample = {
  ticket_id: ids.ticket,
  chat_user: ids.contact,
  assistant_id: ids.assistant,
  turn_id: ids.turn,
}
const replySent: EventType = {
  type: 'assistant.reply.sent',
  description: 'An assistant answered a person; the message has events of its own.',
  schema: dataOf({
    ...common,
    message_id: described(nullable(messageId), 'The message; the last one of an answer that was sent as several.'),
    text: described(text, 'The whole answer.'),
    sources: described(
      list(record({ title: text, node_id: nullable(recordId), url: nullable(url) })),
      'Knowledge and tools that the answer cites.',
    ),
  }),
  example: {
    ...commonExample,
    message_id: ids.message,
    text: 'Your order is on its way and arrives tomorrow.',
    sources: [{ title: 'Shipping', node_id: ids.node, url: null }],
  },
}

const leaving = dataOf({
  ...common,
  message_id: described(nullable(messageId), 'The words to the person; null when nothing was sent.'),
  reason: described(text, 'A word for why.'),
  note: described(nullable(text), 'More about it, for people.'),
})

const handedOver: EventType = {
  type: 'assistant.handed_over',
  description: 'An assistant left a conversation to people.',
  schema: leaving,
  example: {
    ...commonExample,
    message_id: ids.message,
    reason: 'asked_for_a_person',
    note: 'The person wants to speak to somebody about a refund.',
  },
}

const failed: EventType = {
  type: 'assistant.failed',
  description: 'An assistant could not answer; an event assistant.handed_over follows.',
  schema: leaving,
  example: { ...commonExample, message_id: ids.message, reason: 'timeout', note: null },
}

export const assistantEvents: EventType[] = [replySent, handedOver, failed]
