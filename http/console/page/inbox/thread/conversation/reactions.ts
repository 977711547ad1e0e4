/** Reactions, which are messages of their own, at the messages that they belong to. No DOM, no state. */
import type { AnyRecord } from '../../../records/record.ts'

export type Reaction = { emoji: string; direction: 'inbound' | 'outbound' }

/**
 * The last reaction of each side to a message; an empty one takes it back. `placed` are the ids of the reactions whose
 * message is among these, so that they need no place of their own.
 *
 * @param messages in the order of their times
 */
export function reactionsIn(messages: readonly AnyRecord[]): {
  of: ReadonlyMap<string, Reaction[]>
  placed: ReadonlySet<string>
} {
  const ids = new Map(
    messages.flatMap(({ id, provider_message_id }) => [
      [id, id],
      [provider_message_id, id],
    ]),
  )
  const by_message = new Map<string, Map<string, string>>()
  const placed = new Set<string>()
  for (const { id, type, direction, status, message } of messages) {
    const target = type === 'reaction' ? ids.get(message?.message_id) : undefined
    if (target === undefined || status === 'failed') continue
    placed.add(id)
    const sides = by_message.get(target) ?? new Map()
    by_message.set(target, sides.set(direction, message.emoji ?? ''))
  }
  const of = new Map()
  for (const [id, sides] of by_message) {
    const COLUMNS = [...sides].flatMap(([direction, emoji]) => (emoji === '' ? [] : [{ direction, emoji }]))
    if (COLUMNS.length > 0) of.set(id, COLUMNS)
  }
  return { of, placed }
}
