import type { Refusal } from '../../runtime/mod.ts'
import { refuse } from '../refuse.ts'
import { type Carrier, messageTypesOf } from './capabilities.ts'
import type { Payload } from './payload.ts'

/** The channel carries the message's type, but the provider would refuse this message; the error says what to change, and where. */
export function notAccepted(channel: Carrier, path: string, message: string): Refusal {
  return refuse('MESSAGE_NOT_ACCEPTED_BY_CHANNEL', { channel, path }, message)
}

/** @throws {Refusal} when the matrix of capabilities does not allow the type there */
export function checkCarried(channel: Carrier, { type }: Payload): void {
  const supported = messageTypesOf(channel)
  if (supported.includes(type)) return
  throw refuse('MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL', { type, channel, supported })
}
