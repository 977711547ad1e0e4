import { createMachine } from 'xstate'
import type { MessageStatus } from '../../storage/mod.ts'
import { tableOf } from './table.ts'

export type OutboundStatus = Exclude<MessageStatus, 'received'>
export type InboundStatus = Extract<MessageStatus, 'received' | 'read'>

/** Reports of the channel or the provider about an outbound message. */
export type MessageEvent = 'sent' | 'delivered' | 'read' | 'failed'

/**
 * The life of an outbound message. Providers skip states, repeat them and report them out of order, so every state can
 * be reached from any before it and no transition goes back. A delivered message cannot fail any more; a failed one
 * stays failed (a broadcast has counted it), and a late callback only sets its time on the message.
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

/** The status after an event; unchanged when the event comes late. */
export function nextMessageStatus(status: OutboundStatus, event: MessageEvent): OutboundStatus {
  return table[status][event]
}

/** The life of an inbound message: it is unread until the provider was told that it is read. */
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
