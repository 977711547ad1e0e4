/**
 * Ids of messages. Telegram counts them for each chat, so ours combine both: `<chat_id>:<message_id>`. Updates without
 * a message (a pressed button, a reaction) get `update:<update_id>`, which cannot be quoted.
 */
import { refuse } from '../../refuse.ts'

export function messageIdOf(chat_id: string, message_id: string): string {
  return `${chat_id}:${message_id}`
}

/** Telegram's number of a message within its chat. @throws {Refusal} when the id is not from this provider */
export function numberOf(provider_message_id: string): number {
  const number = Number(/^-?\d+:(\d+)$/.exec(provider_message_id)?.[1])
  if (Number.isSafeInteger(number)) return number
  throw refuse('MESSAGE_NOT_FOUND', { message_id: provider_message_id })
}
