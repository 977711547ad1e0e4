import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { now } from '../../../storage/mod.ts'
import { exchange } from '../../outbound/mod.ts'
import { createProviderAgent } from '../agent.ts'
import { ASK_DEADLINE_MS, isSuccess, SEND_DEADLINE_MS, UNREADABLE } from '../answer.ts'
import { isObject, type Json, objects, parseAnswer, textOf } from '../json.ts'
import type { FetchLimits, Outcome, ReceivedFile, SendFailure } from '../provider.ts'
import { fetchLink, unknownReference } from '../received_file.ts'
import { failureOf } from './failure.ts'
import { messageIdOf } from './message_id.ts'

/** The encrypted credentials of a Telegram bot's channel. */
export type TelegramCredentials = {
  /** The bot's id, a colon and its secret. */
  bot_token: string
  /** Sent with each webhook call when it was set as the webhook's `secret_token`. */
  webhook_secret: string
  /** Replaces Telegram's address: a simulator, or the operator's own Bot API server. */
  api_base_url?: string
}

type Options = {
  dispatcher?: Dispatcher
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
}

type Answered = { result: unknown } | { failure: SendFailure }

const BASE_URL = 'https://api.telegram.org'
const READ_LIMIT = 262_144
/** Maximum seconds that the second half of a send may wait. Telegram mostly asks for one to three. */
const MAX_PAUSE_S = 5

/** Client of the Bot API. Its address comes from the operator, so calls do not pass the outbound guard. */
export class TelegramClient {
  readonly #dispatcher: Dispatcher
  readonly #deadline_ms: number

  constructor({ dispatcher, deadline_ms = SEND_DEADLINE_MS }: Options = {}) {
    this.#dispatcher = dispatcher ?? createProviderAgent()
    this.#deadline_ms = deadline_ms
  }

  /**
   * One call with a request of `buildRequest`, and for a carousel a second one. Never rejects.
   *
   * When the pictures of a carousel have arrived without its keyboard, the pictures must not be sent again. So no
   * failure of the second call is passed on as retryable: a keyboard that was certainly not taken is tried once more
   * here, and after that the message has failed for good, with a text that says which part arrived.
   */
  async send(credentials: TelegramCredentials, { next, ...first }: Json, signal?: AbortSignal): Promise<Outcome> {
    const until = performance.now() + this.#deadline_ms
    const call = (request: Json) => this.#call(credentials, request, Math.max(1, until - performance.now()), signal)
    const outcome = toOutcome(await call(first))
    if (!isObject(next) || 'failure' in outcome) return outcome
    const second = toOutcome(await call(next))
    if ('sent' in second) return second
    if (!canGoOn(second.failure)) return half(second.failure)
    const pause_ms = 1000 * Math.min(second.failure.retry_after_s ?? 1, MAX_PAUSE_S)
    await sleep(pause_ms, undefined, { signal }).catch(() => {})
    const third = toOutcome(await call(next))
    return 'sent' in third ? third : half(third.failure)
  }

  /** Checks the bot of the token. */
  async probe(credentials: TelegramCredentials): Promise<{ account: Json } | { failure: SendFailure }> {
    const answered = await this.#call(credentials, { method: 'getMe' }, ASK_DEADLINE_MS)
    if ('failure' in answered) return { failure: { ...answered.failure, maybe_accepted: false } }
    return isObject(answered.result)
      ? { account: answered.result }
      : { failure: { ...UNREADABLE, maybe_accepted: false } }
  }

  /** Asks for the path of the file, and begins to fetch it. Telegram gives out files of up to 20 MB. Never rejects. */
  async fetchFile(credentials: TelegramCredentials, { file_id }: Json, limits: FetchLimits): Promise<ReceivedFile> {
    const { bot_token, api_base_url = BASE_URL } = credentials
    if (typeof file_id !== 'string') return unknownReference()
    const asked = await this.#call(credentials, { method: 'getFile', file_id }, ASK_DEADLINE_MS, limits.signal)
    if ('failure' in asked) {
      const { failure } = asked
      return { failure: /file is too big/i.test(failure.message) ? TOO_LARGE : failure }
    }
    const file_path = isObject(asked.result) ? textOf(asked.result.file_path) : null
    if (file_path === null) return { failure: UNREADABLE }
    // A Bot API server of the operator's own may name a file of its machine.
    if (file_path.startsWith('/')) return { failure: NOT_SERVED }
    const path = file_path.split('/').map(encodeURIComponent).join('/')
    const url = `${api_base_url.replace(/\/+$/, '')}/file/bot${bot_token}/${path}`
    return fetchLink(this.#dispatcher, url, limits)
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #call(
    { bot_token, api_base_url = BASE_URL }: TelegramCredentials,
    { method, ...parameters }: Json,
    deadline_ms: number,
    signal?: AbortSignal,
  ): Promise<Answered> {
    const answer = await exchange(this.#dispatcher, {
      method: 'POST',
      url: `${api_base_url.replace(/\/+$/, '')}/bot${bot_token}/${method}`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
      deadline_ms,
      read_limit: READ_LIMIT,
      signal,
    })
    const body = parseAnswer(answer)
    const is_success = isSuccess(answer.status)
    if (is_success && isObject(body) && body.ok === true) return { result: body.result }
    if (is_success && !(isObject(body) && body.ok === false)) return { failure: UNREADABLE }
    return { failure: failureOf(answer, body, now()) }
  }
}

const TOO_LARGE: SendFailure = {
  kind: 'refuse',
  code: 'too_large',
  message: 'Telegram gives out files of up to 20 MB, and this one is larger.',
  maybe_accepted: false,
}
const NOT_SERVED: SendFailure = {
  kind: 'refuse',
  code: 'not_served',
  message: 'The Bot API server keeps its files for itself: start it without --local.',
  maybe_accepted: false,
}

function canGoOn({ kind, maybe_accepted, retry_after_s = 0 }: SendFailure): boolean {
  return (kind === 'retry' || kind === 'slow_down') && !maybe_accepted && retry_after_s <= MAX_PAUSE_S
}

function half({ code, message }: SendFailure): Outcome {
  const text = `The pictures were sent, the text with the links ${code === 'timeout' ? 'perhaps not' : 'was not'}: ${message}`
  return { failure: { kind: 'refuse', code: 'partly_sent', message: text, maybe_accepted: false } }
}

/** Reads a message, the messages of an album, or `true` from calls that create none. */
function toOutcome(answered: Answered): Outcome {
  if ('failure' in answered) return answered
  const { result } = answered
  if (result === true) return { sent: '' }
  const message = Array.isArray(result) ? objects(result)[0] : result
  if (!isObject(message) || !isObject(message.chat)) return { failure: UNREADABLE }
  const [chat_id, message_id] = [textOf(message.chat.id), textOf(message.message_id)]
  return chat_id === null || message_id === null ? { failure: UNREADABLE } : { sent: messageIdOf(chat_id, message_id) }
}
