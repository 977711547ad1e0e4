import type { Refusal } from '../../runtime/mod.ts'
import type { MessageType } from '../message_types.ts'
import { refuse } from '../refuse.ts'
import { type Carrier, messageTypesOf } from './capabilities.ts'

/** The channel carries the message's type, but the provider would refuse this message; the error says what to change, and where. */
export function notAccepted(channel: Carrier, path: string, message: string): Refusal {
  return refuse('MESSAGE_NOT_ACCEPTED_BY_CHANNEL', { channel, path }, message)
}

/**
 * `carrier` has the channel's way of connecting, `channel` its name in the answer.
 * @throws {Refusal} MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL when the matrix of capabilities does not allow the type there
 */
export function checkCarried(carrier: Carrier, { type }: { type: MessageType }, channel: string = carrier): void {
  const supported = messageTypesOf(carrier)
  if (supported.includes(type)) return
  const list = supported.length > 0 ? `it takes ${supported.join(', ')}` : 'nothing is sent on it'
  const message = `Messages of type ${type} cannot be sent on ${channel}; ${list}.`
  throw refuse('MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL', { channel, type, supported }, message)
}
