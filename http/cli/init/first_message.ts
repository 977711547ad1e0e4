/** The proof that a channel works in both directions: a message with an agreed text, and the answer to it. */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '../../client/mod.ts'
import { type Api, ApiRefusal, Unreachable } from '../connection/api.ts'
import { poll } from '../connection/poll.ts'
import { CommandFailure } from '../terminal/failure.ts'

/** Milliseconds between two looks for a message: at first, and later. */
const QUICKEST_MS = 500
const SLOWEST_MS = 4_000
const PAGE = 100
/** Pages that one look reads at most. */
const MAX_PAGES = 20

const REPLY = 'Parley is connected.'
/** Maximum wait for Meta's answer to the reply. */
const REPLY_MS = 60_000

/** A text that no customer writes by chance. */
export function makeWord(): string {
  return `parley ${randomInt(1000, 10_000)}`
}

/** The id of the newest message of the project that somebody has written, if any. */
export async function lastReceived(api: Api): Promise<string | undefined> {
  const { data } = await api.call<{ data: Message[] }>('GET', '/v1/messages?status=received&limit=1')
  return data[0]?.id
}

type Wait = {
  channel_id: string
  /** The text of the message that counts. Messages of customers are read, and left alone. */
  word: string
  /** The newest message before the wait. */
  last: string | undefined
  minutes: number
  signal: AbortSignal
}

/**
 * The sender of the message that says the word.
 * @throws {CommandFailure} when none comes within the minutes, or the signal ends the wait
 */
export async function senderOf(api: Api, { channel_id, word, last, minutes, signal }: Wait): Promise<string> {
  const begun = performance.now()
  // Messages are found in the order of their ids, and stored in nearly that order: each look repeats the one before.
  let [before, newest] = [last, last]
  for (;;) {
    const elapsed = performance.now() - begun
    if (signal.aborted) throw new CommandFailure('The wait was ended.')
    if (elapsed > minutes * 60_000) throw new CommandFailure(`No message “${word}” came within ${minutes} minutes.`)
    const messages = await receivedAfter(api, before).catch(unlessPassing)
    const found = messages.find((message) => message.channel_id === channel_id && says(message, word))
    if (found) return found.from ?? ''
    if (messages.length > 0) [before, newest] = [newest, messages[0]!.id]
    // Slow enough for the limits of a new project.
    await sleep(Math.min(SLOWEST_MS, QUICKEST_MS + elapsed / 10), undefined, { signal }).catch(() => {})
  }
}

type Page = { data: Message[]; next_cursor: string | null }

/** Messages after `last` that people have written, newest first. */
async function receivedAfter(api: Api, last = ''): Promise<Message[]> {
  const messages: Message[] = []
  let from = ''
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const path = `/v1/messages?channel=whatsapp&status=received&limit=${PAGE}${from}`
    const { data, next_cursor }: Page = await api.call('GET', path)
    const later = data.filter(({ id }) => id > last)
    messages.push(...later)
    if (later.length < data.length || next_cursor === null) break
    from = `&cursor=${encodeURIComponent(next_cursor)}`
  }
  return messages
}

/** Phones write a capital, and people a full stop. */
function says({ message: { body } }: Message, word: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  return typeof body === 'string' && plain(body) === plain(word)
}

/** No messages while the server is away, or too many requests were made. */
function unlessPassing(error: unknown): Message[] {
  if (error instanceof Unreachable) return []
  if (error instanceof ApiRefusal && (error.status === 429 || error.status >= 500)) return []
  throw error
}

/** Answers a person, and waits until the provider has accepted the answer. @throws {CommandFailure} with its reason */
export async function replyTo(api: Api, channel_id: string, to: string): Promise<string> {
  const message = { type: 'text', body: REPLY }
  const body = { channel: 'whatsapp', channel_id, to, message }
  const { id } = await api.call<{ id: string }>('POST', '/v1/messages', body)
  const end = performance.now() + REPLY_MS
  const sent = await poll(api, async () => {
    const sent: Message = await api.call('GET', `/v1/messages/${id}`)
    if (sent.status !== 'queued') return sent
    if (performance.now() > end) throw new CommandFailure(`The answer ${id} is still queued.`)
    return undefined
  })
  if (sent.status === 'failed')
    throw new CommandFailure(`Meta refused the answer: ${sent.error?.message ?? 'no reason'}`)
  return id
}
