import { createMachine } from 'xstate'
import type { MessageStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

export type OutboundStatus = Exclude<MessageStatus, 'received'>
export type InboundStatus = Extract<MessageStatus, 'received' | 'read'>

/** What the channel or the provider says of an outbound message. */
export type MessageEvent = 'sent' | 'delivered' | 'read' | 'failed'

/**
 * The life of an outbound message. Providers skip states, repeat them and tell them out of order, so every state can be
 * reached from any before it and none is ever left backwards. What was delivered cannot fail any more; what failed stays
 * failed (a broadcast has counted it), and a late callback leaves only its time on the message.
 */
export const messageMachine = createMachine({
  id: 'message',
  initial: 'queued',
  states: {
    queued: { on: { sent: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' } },
    sent: { on: { delivered: 'delivered', read: 'read', failed: 'failed' } },
    delivered: { on: { read: 'read' } },
    read: { type: 'final' },
    failed: { type: 'final' },
  },
})

const table = tableOf<OutboundStatus, MessageEvent>(messageMachine, ['sent', 'delivered', 'read', 'failed'])

/** The status after an event; the same one when the event comes late. */
export function nextMessageStatus(status: OutboundStatus, event: MessageEvent): OutboundStatus {
  return table[status][event]
}

/** The life of an inbound message: the person's words are unread until the provider was told that they are read. */
export const inboundMessageMachine = createMachine({
  id: 'inbound_message',
  initial: 'received',
  states: {
    received: { on: { read: 'read' } },
    read: { type: 'final' },
  },
})

const inbound_table = tableOf<InboundStatus, 'read'>(inboundMessageMachine, ['read'])

export function nextInboundStatus(status: InboundStatus, event: 'read'): InboundStatus {
  return inbound_table[status][event]
}
