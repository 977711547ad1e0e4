/** The proof that a channel works in both directions: a message from a person, and the answer to it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, ApiRefusal, Unreachable } from '../api.ts'
import { CommandFailure } from '../failure.ts'
import { poll } from '../poll.ts'
import { printable } from '../terminal.ts'

type Message = {
  id: string
  from: string | null
  channel_id: string
  status: string
  message: { type: string; body?: string }
  error: { code: string; message: string } | null
}

/** Milliseconds between two looks for a message: at first, and later. */
const QUICKEST_MS = 500
const SLOWEST_MS = 4_000

const REPLY = 'Parley is connected.'
/** Maximum wait for Meta's answer to the reply. */
const REPLY_MS = 60_000

/** Messages of a channel that people have written, newest first. */
async function received(api: Api, channel_id: string): Promise<Message[]> {
  const { data } = await api.call('GET', '/v1/messages?channel=whatsapp&status=received&limit=50')
  return data.filter((message: Message) => message.channel_id === channel_id)
}

/** The id of the newest message so far, if any. */
export async function lastReceived(api: Api, channel_id: string): Promise<string | undefined> {
  return (await received(api, channel_id))[0]?.id
}

type Wait = { minutes: number; signal: AbortSignal }

/**
 * The next message after `last`.
 * @throws {CommandFailure} when none comes within the minutes, or the signal ends the wait
 */
export async function nextMessage(
  api: Api,
  channel_id: string,
  last: string | undefined,
  { minutes, signal }: Wait,
): Promise<{ from: string; text: string }> {
  const begun = performance.now()
  let message: Message | undefined
  while (!message) {
    const elapsed = performance.now() - begun
    if (signal.aborted) throw new CommandFailure('The wait was ended.')
    if (elapsed > minutes * 60_000) throw new CommandFailure(`No message came within ${minutes} minutes.`)
    const [newest] = await received(api, channel_id).catch(unlessPassing)
    if (newest && newest.id !== last) message = newest
    // Slow enough for the limits of a new project.
    else await sleep(Math.min(SLOWEST_MS, QUICKEST_MS + elapsed / 10), undefined, { signal }).catch(() => {})
  }
  const { type, body } = message.message
  return { from: message.from ?? '', text: body === undefined ? `a message of type ${type}` : `“${printable(body)}”` }
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
  const { id } = await api.call('POST', '/v1/messages', { channel: 'whatsapp', channel_id, to, message })
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
