/** Parked messages between actors. A letter for several people loses only the items of those who are erased. */
import { literal } from '../../write_set.ts'
import { mentionPattern, mentions } from '../subject.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** Letters read in one transaction. */
const PAGE = 50

type Message = Record<string, unknown>

/** Letters that name the person, and those about messages that are gone. */
export function eraseDeadLetters({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const pattern = mentionPattern(subject)
  const names = (value: unknown) => pattern?.test(JSON.stringify(value)) === true
  return transaction(async (em) => {
    const letters = await em.execute<{ id: string; message: Message; named: boolean }[]>(`
      select id::text, message, ${mentions('message', subject)} or ${mentions('to_json(error)', subject)} as named
      from dead_letter where id > ${literal(cursor || '0')}::bigint order by dead_letter.id limit ${PAGE}`)
    const gone = await missingMessages(em, letters)
    let count = 0
    for (const { id, message, named } of letters) {
      const left = named || mentionsAny(message, gone) ? without(message, names, gone) : message
      if (left === message) continue
      count++
      if (left === undefined) await em.execute(`delete from dead_letter where id = ${literal(id)}::bigint`)
      else {
        await em.execute(`update dead_letter set message = ?::json, error = ? where id = ${literal(id)}::bigint`, [
          JSON.stringify(left),
          'The error was erased with the data of a person.',
        ])
      }
    }
    return { cursor: letters.at(-1)?.id ?? null, counts: { dead_letter: count } }
  })
}

/** Types whose items name messages that are stored already. */
const OF_STORED = new Set([
  'dispatch',
  'dispatch_bulk',
  'confirmed',
  'messages_accepted',
  'messages_refused',
  'withdraw',
  'withdraw_bulk',
])

async function missingMessages(
  em: { execute<Rows>(sql: string): Promise<Rows> },
  letters: { message: Message }[],
): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const { message } of letters) {
    if (!OF_STORED.has(String(message.type))) continue
    for (const [id] of JSON.stringify(message).matchAll(/msg_[0-9a-f]{24}/g)) ids.add(id)
  }
  if (ids.size === 0) return ids
  const listed = [...ids].map(literal).join()
  const present = await em.execute<{ id: string }[]>(`select id from message where id in (${listed})`)
  for (const { id } of present) ids.delete(id)
  return ids
}

function mentionsAny(value: unknown, ids: Set<string>): boolean {
  if (ids.size === 0) return false
  return [...JSON.stringify(value).matchAll(/msg_[0-9a-f]{24}/g)].some(([id]) => ids.has(id))
}

/** The message without the items of the person; undefined when nothing is left of it. */
function without(message: Message, names: (value: unknown) => boolean, gone: Set<string>): Message | undefined {
  const isTheirs = (item: unknown) => names(item) || (OF_STORED.has(String(message.type)) && mentionsAny(item, gone))
  const left: Message = {}
  for (const [field, value] of Object.entries(message)) {
    if (!Array.isArray(value)) {
      if (isTheirs(value)) return undefined
      left[field] = value
      continue
    }
    const items = value.flatMap((item) => (isTheirs(item) ? (replaced(message, item) ?? []) : [item]))
    if (value.length > 0 && items.length === 0) return undefined
    left[field] = items
  }
  return left
}

/** A bulk send counts its recipients, so that one of them is answered instead of removed. */
function replaced({ type }: Message, item: unknown): object | undefined {
  if (type !== 'bulk_slice' || typeof item !== 'object' || item === null) return undefined
  const { index, message_id } = item as { index: number; message_id: string }
  const error = { code: 'RECIPIENT_ERASED', message: 'The data of the recipient was erased.' }
  return { index, message_id, phone: '', variables: {}, error }
}
