/**
 * Ids of messages. Telegram counts them for each chat, so ours name both: `<chat_id>:<message_id>`. What has no message of
 * its own (a pressed button, a reaction) is called `update:<update_id>`, which nothing can quote.
 */
import { refuse } from '../../refuse.ts'

export function messageIdOf(chat_id: string, message_id: string): string {
  return `${chat_id}:${message_id}`
}

/** Telegram's number of a message within its chat. @throws {Refusal} when it is no message of this provider */
export function numberOf(provider_message_id: string): number {
  const number = Number(/^-?\d+:(\d+)$/.exec(provider_message_id)?.[1])
  if (Number.isSafeInteger(number)) return number
  throw refuse('MESSAGE_NOT_FOUND', { message_id: provider_message_id })
}
