import { pipeline } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { type Exchange, exchange, FetchFailed, slugOf } from '../../outbound/mod.ts'
import { createProviderAgent } from '../agent.ts'
import { ASK_DEADLINE_MS, isSuccess, SEND_DEADLINE_MS, UNREADABLE } from '../answer.ts'
import { isObject, type Json, parseAnswer, textOf } from '../json.ts'
import type { FetchLimits, Outcome, ReceivedFile, SendFailure } from '../provider.ts'
import { fetchFailure, unknownReference } from '../received_file.ts'
import { Base64Field } from './base64_field.ts'
import { failureOf } from './failure.ts'

/** The encrypted credentials of a WhatsApp channel that was paired by QR code. */
export type EvolutionCredentials = {
  /** Address of the gateway. */
  api_base_url: string
  /** The name of the paired phone in the gateway. */
  instance: string
  api_key: string
  /** Sent with each webhook call, in the header configured in the gateway. */
  webhook_secret: string
}

type Options = {
  dispatcher?: Dispatcher
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
}

/** The answer contains the whole message, with the preview of a picture. */
const READ_LIMIT = 1_048_576
/** The gateway answers when it has the whole file. */
const FILE_START_MS = 60_000
const SILENCE_MS = 30_000

/** Client of the gateway. Its address comes from the operator, so calls do not pass the outbound guard. */
export class EvolutionClient {
  readonly #dispatcher: Dispatcher
  readonly #deadline_ms: number

  constructor({ dispatcher, deadline_ms = SEND_DEADLINE_MS }: Options = {}) {
    this.#dispatcher = dispatcher ?? createProviderAgent()
    this.#deadline_ms = deadline_ms
  }

  /** One call with a request of `buildRequest`. Never rejects, never tries again. */
  async send(credentials: EvolutionCredentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    const path = `message/${String(request.operation)}`
    const { answer, body } = await this.#call(credentials, 'POST', path, request.body, this.#deadline_ms, signal)
    if (!isSuccess(answer.status)) return { failure: failureOf(answer, body) }
    const key = isObject(body) && isObject(body.key) ? body.key : {}
    const sent = textOf(key.id)
    return sent === null ? { failure: UNREADABLE } : { sent }
  }

  /** Checks whether the gateway has the instance, and its phone is paired and connected. */
  async probe(credentials: EvolutionCredentials): Promise<{ account: Json } | { failure: SendFailure }> {
    const { answer, body } = await this.#call(
      credentials,
      'GET',
      'instance/connectionState',
      undefined,
      ASK_DEADLINE_MS,
    )
    if (!isSuccess(answer.status)) return { failure: { ...failureOf(answer, body), maybe_accepted: false } }
    const instance = isObject(body) && isObject(body.instance) ? body.instance : undefined
    const state = textOf(instance?.state)
    if (!instance || state === null) return { failure: { ...UNREADABLE, maybe_accepted: false } }
    if (state === 'open') return { account: instance }
    const message = `The phone is not connected: its state is ${state}. Pair it in the gateway.`
    return { failure: { kind: 'disconnect', code: 'not_paired', message, maybe_accepted: false } }
  }

  /** The file of a message, which the gateway fetches from WhatsApp and gives in base64. Never rejects. */
  async fetchFile(credentials: EvolutionCredentials, { id }: Json, limits: FetchLimits): Promise<ReceivedFile> {
    if (typeof id !== 'string') return unknownReference()
    const { max_bytes, deadline_ms, signal } = limits
    try {
      const { statusCode, body } = await request(urlOf(credentials, 'chat/getBase64FromMediaMessage'), {
        dispatcher: this.#dispatcher,
        method: 'POST',
        headers: { apikey: credentials.api_key, accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ message: { key: { id } }, convertToMp4: false }),
        headersTimeout: FILE_START_MS,
        bodyTimeout: SILENCE_MS,
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadline_ms)]),
      })
      if (!isSuccess(statusCode)) {
        body.on('error', () => {}).destroy()
        return { failure: fetchFailure(new FetchFailed(`http_${statusCode}`)) }
      }
      const bytes = new Base64Field(max_bytes)
      pipeline(body, bytes, (error) => {
        if (error && !(error instanceof FetchFailed)) bytes.destroy(failedFetch(error))
      })
      return { stream: bytes }
    } catch (error) {
      return { failure: fetchFailure(failedFetch(error as Error)) }
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #call(
    credentials: EvolutionCredentials,
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    deadline_ms: number,
    signal?: AbortSignal,
  ): Promise<{ answer: Exchange; body: unknown }> {
    const answer = await exchange(this.#dispatcher, {
      method,
      url: urlOf(credentials, path),
      headers: {
        apikey: credentials.api_key,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      deadline_ms,
      read_limit: READ_LIMIT,
      signal,
    })
    return { answer, body: parseAnswer(answer) }
  }
}

function urlOf({ api_base_url, instance }: EvolutionCredentials, path: string): string {
  return `${api_base_url.replace(/\/+$/, '')}/${path}/${encodeURIComponent(instance)}`
}

function failedFetch(error: Error): FetchFailed {
  return new FetchFailed(error.name === 'TimeoutError' ? 'timeout' : slugOf(error))
}
