/**
 * The history of a phone that WhatsApp's Business app is on: the webhook fields `history` and `smb_app_state_sync`.
 *
 * A call may have thousands of messages. The turn that takes it cuts it into parts; what they mean is read when a part is
 * stored.
 */
import type { Dispatcher } from 'undici'
import { now as currentTime } from '../../../storage/mod.ts'
import { ASK_DEADLINE_MS, isSuccess, UNREADABLE } from '../answer.ts'
import { echoOf } from '../echo.ts'
import { messageOf } from '../graph/failure.ts'
import { ignoredField } from '../ignored.ts'
import { isObject, type Json, objects, textOf } from '../json.ts'
import type {
  HistoryAsked,
  HistoryItem,
  HistoryMessage,
  HistoryPart,
  Inbound,
  InboundHistory,
  SendFailure,
} from '../provider.ts'
import { failureOf } from './failure.ts'
import { callGraph, type WhatsAppCredentials } from './graph.ts'
import { toMessage } from './inbound_message.ts'
import { digits, type People, peopleOf, personNamed, scopedId } from './person_ids.ts'

const READ_LIMIT = 65_536

/** Messages of a part, and their characters, unless one message has more. */
const MAX_MESSAGES = 50
const MAX_SIZE = 200_000

/** Meta's error of a business that does not share its history. */
const DECLINED = '2593109'

export async function requestHistory(dispatcher: Dispatcher, credentials: WhatsAppCredentials): Promise<HistoryAsked> {
  const ask = async (sync_type: string): Promise<SendFailure | null> => {
    const { answer, body } = await callGraph(dispatcher, credentials, {
      method: 'POST',
      path: `${credentials.phone_number_id}/smb_app_data`,
      body: { messaging_product: 'whatsapp', sync_type },
      deadline_ms: ASK_DEADLINE_MS,
      read_limit: READ_LIMIT,
    })
    if (!isSuccess(answer.status)) return failureOf(answer, body, currentTime())
    return isObject(body) ? null : UNREADABLE
  }
  // Names first: they are few, and messages come with numbers alone.
  const names = await ask('smb_app_state_sync')
  return { names, messages: await ask('history') }
}

/** The items of a change of the field `history`. */
export function toHistory(value: Json, people: People, account: string | null): Inbound[] {
  const chunks = objects(value.history)
  const files = objects(value.messages)
  if (chunks.length === 0 && files.length === 0) return [ignoredField('history', account, value)]
  const said = chunks.map((chunk): InboundHistory => {
    const metadata = isObject(chunk.metadata) ? chunk.metadata : {}
    const [error] = objects(chunk.errors)
    const code = error && (textOf(error.code) ?? 'unknown')
    return {
      kind: 'history',
      account,
      phase: wholeOf(metadata.phase, 1_000),
      progress: wholeOf(metadata.progress, 100),
      error: error ? { code: code!, message: messageOf(error), is_declined: code === DECLINED } : null,
      parts: objects(chunk.threads).flatMap((thread) => partsOf(thread, value, people)),
    }
  })
  const about = { kind: 'history', account, phase: null, progress: null, error: null } as const
  return files.length === 0 ? said : [...said, { ...about, parts: files.map((file) => fileOf(file, value, people)) }]
}

/** The items of a change of the field `smb_app_state_sync`. */
export function toNames(value: Json, account: string | null): Inbound[] {
  const entries = objects(value.state_sync)
  const known = entries.filter(({ type, contact }) => type === 'contact' && isObject(contact))
  const parts = known.map(({ contact, action }): HistoryPart => {
    const { phone_number, user_id, full_name, first_name } = contact as Json
    const person = digits(phone_number) ?? scopedId(user_id) ?? scopedId(phone_number)
    return { user_id: person, count: 1, content: { phone_number, user_id, full_name, first_name, action } }
  })
  const items: Inbound[] = known.length < entries.length ? [ignoredField('smb_app_state_sync', account, value)] : []
  if (entries.length === 0) return [ignoredField('smb_app_state_sync', account, value)]
  if (parts.length === 0) return items
  return [{ kind: 'history', account, phase: null, progress: null, error: null, parts }, ...items]
}

function wholeOf(value: unknown, most: number): number | null {
  const number = Number(textOf(value) ?? Number.NaN)
  return Number.isInteger(number) && number >= 0 && number <= most ? number : null
}

/** The messages of a thread in the order of their times, in parts. */
function partsOf(thread: Json, value: Json, people: People): HistoryPart[] {
  const messages = objects(thread.messages)
  const id = textOf(thread.id)
  const user_id = digits(id) ?? scopedId(id)
  const { number, contact } = aroundOf(value, people, id)
  const content = { thread: id, number, ...(contact && { contact }) }
  return pagesOf(inOrder(messages)).map((page) => ({
    user_id,
    count: page.length,
    content: { ...content, messages: page },
  }))
}

/** A message whose file comes after the thread that it is in. */
function fileOf(file: Json, value: Json, people: People): HistoryPart {
  const { number, contact } = aroundOf(value, people, textOf(file.to) ?? textOf(file.from))
  const thread = [file.to, file.from].map(textOf).find((one) => one !== null && digits(one) !== digits(number)) ?? null
  const content = { thread, number, ...(contact && { contact }), messages: [file], is_file: true }
  return { user_id: digits(thread) ?? scopedId(thread), count: 1, content }
}

function aroundOf(
  value: Json,
  people: People,
  person: string | null,
): { number: string | null; contact: Json | undefined } {
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const contact = personNamed(people, digits(person), person)
  return { number: textOf(metadata.display_phone_number), contact }
}

/** Oldest first. Threads come in either order; messages of the same second stay in the order of the thread. */
function inOrder(messages: Json[]): Json[] {
  const timeOf = ({ timestamp }: Json) => Number(textOf(timestamp) ?? 0)
  const is_newest_first = messages.length > 1 && timeOf(messages[0]!) > timeOf(messages.at(-1)!)
  const oldest_first = is_newest_first ? messages.toReversed() : messages
  return oldest_first.toSorted((one, other) => timeOf(one) - timeOf(other))
}

function pagesOf(messages: Json[]): Json[][] {
  const pages: Json[][] = []
  let size = 0
  for (const message of messages) {
    const own = JSON.stringify(message).length
    const page = pages.at(-1)
    if (page && page.length < MAX_MESSAGES && size + own <= MAX_SIZE) {
      page.push(message)
      size += own
    } else {
      pages.push([message])
      size = own
    }
  }
  return pages
}

/** The contents of a part that `toHistory` or `toNames` made. */
export function readHistory(part: Json, now: Date): HistoryItem[] {
  if (part.messages === undefined) return [nameIn(part)]
  return objects(part.messages).map((message) => messageIn(message, part, now) ?? { kind: 'unreadable' })
}

function nameIn({ phone_number, user_id, full_name, first_name, action }: Json): HistoryItem {
  const ids = { user_id: digits(phone_number), bsuid: scopedId(user_id) ?? scopedId(phone_number) }
  if (ids.user_id === null && ids.bsuid === null) return { kind: 'unreadable' }
  const name = action === 'remove' ? null : textOf(full_name)?.trim() || textOf(first_name)?.trim() || null
  return { kind: 'name', ...ids, name }
}

const STATUSES: Record<string, HistoryMessage['status']> = {
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  PLAYED: 'read',
  ERROR: 'failed',
}

function messageIn(message: Json, { thread, number, contact, is_file }: Json, now: Date): HistoryMessage | undefined {
  const { history_context, from, from_user_id, to: _, to_user_id: __, ...content } = message
  const context = isObject(history_context) ? history_context : {}
  const is_own = isOwn(message, context, number)
  const sender = { from: textOf(thread) ?? from, ...(!is_own && from_user_id !== undefined && { from_user_id }) }
  const value = { metadata: { display_phone_number: number }, contacts: contact ? [contact] : [] }
  const item = toMessage({ ...content, ...sender }, value, peopleOf(value), null, now)
  if (!item) return undefined
  const word = (textOf(context.status) ?? '').toUpperCase()
  const status = (Object.hasOwn(STATUSES, word) && STATUSES[word]) || 'sent'
  return {
    ...(is_own ? echoOf(item, { origin: 'phone' }) : item),
    kind: 'message',
    direction: is_own ? 'outbound' : 'inbound',
    status: is_own ? status : 'read',
    confirmed: !is_own || word !== 'PENDING',
    is_file: is_file === true,
  }
}

/** The business wrote it: the phone says so, or it has a recipient, or it comes from the number of the account. */
function isOwn({ from, to }: Json, { from_me }: Json, number: unknown): boolean {
  if (typeof from_me === 'boolean') return from_me
  const business = digits(number)
  return to !== undefined ? digits(to) !== business : digits(from) !== null && digits(from) === business
}
