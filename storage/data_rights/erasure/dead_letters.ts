/** Parked messages between actors. A letter for several people loses only the items of those who are erased. */
import type { EntityManager } from '../../database/entity_manager.ts'
import { sql } from '../../sql/sql.ts'
import { patternsOf } from '../subject.ts'
import { ofProjects } from './actors_of.ts'
import type { BatchContext, Progress } from './transaction.ts'

/** Letters read in one transaction. */
const PAGE = 50

type Message = Record<string, unknown>
type Letter = { id: string; message: Message; error: string; is_own: boolean }

/** The place after a batch, and the last letter that was there at the beginning. */
type Place = { after: string; last: string }

/**
 * Letters of the subject's projects that name the person, and those about messages that are gone. Letters of other
 * tenants, who may know the same number, stay.
 */
export function eraseDeadLetters({ subject, cursor, transaction }: BatchContext): Promise<Progress> {
  const { records, identities } = patternsOf(subject)
  const names = (value: unknown, pattern: RegExp | undefined) => pattern?.test(JSON.stringify(value)) === true
  return transaction(async (em) => {
    const { after, last }: Place = cursor.startsWith('{') ? JSON.parse(cursor) : { after: '0', last: await lastId(em) }
    const letters = await em.execute<Letter[]>(sql`
      select id::text, message, error, ${ofProjects(sql`message`, subject)} as is_own
      from dead_letter where id > ${after}::bigint and id <= ${last}::bigint
      order by dead_letter.id limit ${PAGE}`)
    const stored = await storedMessages(em, letters)
    let count = 0
    for (const { id, message, error, is_own } of letters) {
      const isTheirs = (item: unknown) => {
        if (names(item, records)) return true
        if (!is_own) return false
        // A stored message decides for itself: it is of another person, who may have the same number by now.
        const ids = OF_STORED.has(String(message.type)) ? messageIds(item) : []
        return ids.length > 0 ? ids.some((one) => !stored.has(one)) : names(item, identities)
      }
      const left = without(message, isTheirs)
      const has_error = left !== undefined && (names(error, records) || (is_own && names(error, identities)))
      if (left === message && !has_error) continue
      count++
      if (left === undefined) await em.execute(sql`delete from dead_letter where id = ${id}::bigint`)
      else {
        await em.execute(
          sql`update dead_letter set message = ${JSON.stringify(left)}::json, error = ${'The error was erased with the data of a person.'} where id = ${id}::bigint`,
        )
      }
    }
    const next: Place = { after: letters.at(-1)?.id ?? last, last }
    const cursor_after = letters.length < PAGE ? null : JSON.stringify(next)
    return { cursor: cursor_after, counts: { dead_letter: count } }
  })
}

async function lastId(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ last: string }[]>(sql`select coalesce(max(id), 0)::text as last from dead_letter`)
  return row!.last
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

/** The ids of messages that the letters name and that are in the table. */
async function storedMessages(em: EntityManager, letters: readonly Letter[]): Promise<Set<string>> {
  const ids = new Set(
    letters.flatMap(({ message }) => (OF_STORED.has(String(message.type)) ? messageIds(message) : [])),
  )
  if (ids.size === 0) return ids
  const listed = sql.list([...ids])
  const rows = await em.execute<{ id: string }[]>(sql`select id from message where id in (${listed})`)
  return new Set(rows.map(({ id }) => id))
}

function messageIds(value: unknown): string[] {
  return JSON.stringify(value)?.match(/msg_[0-9a-f]{24}/g) ?? []
}

/** The message without the items of the person: itself when there are none, undefined when nothing is left of it. */
function without(message: Message, isTheirs: (item: unknown) => boolean): Message | undefined {
  const left: Message = {}
  let is_whole = true
  for (const [field, value] of Object.entries(message)) {
    // The name of the field tells whether a value is an identity.
    if (!Array.isArray(value)) {
      if (isTheirs({ [field]: value })) return undefined
      left[field] = value
      continue
    }
    const items = value.flatMap((item) => (isTheirs({ [field]: item }) ? (replaced(message, item) ?? []) : [item]))
    if (value.length > 0 && items.length === 0) return undefined
    if (items.some((item, at) => item !== value[at]) || items.length < value.length) is_whole = false
    left[field] = items
  }
  return is_whole ? message : left
}

/** A bulk send counts its recipients, so that one of them is answered instead of removed. */
function replaced({ type }: Message, item: unknown): object | undefined {
  if (type !== 'bulk_slice' || typeof item !== 'object' || item === null) return undefined
  const { index, message_id } = item as { index: number; message_id: string }
  const error = { code: 'RECIPIENT_ERASED', message: 'The data of the recipient was erased.' }
  return { index, message_id, phone: '', variables: {}, error }
}
