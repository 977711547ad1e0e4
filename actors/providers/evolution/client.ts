import type { Dispatcher } from 'undici'
import { type Exchange, exchange } from '../../outbound/mod.ts'
import { createProviderAgent } from '../agent.ts'
import { ASK_DEADLINE_MS, isSuccess, SEND_DEADLINE_MS, UNREADABLE } from '../answer.ts'
import { isObject, type Json, parseAnswer, textOf } from '../json.ts'
import type { Outcome, SendFailure } from '../provider.ts'
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

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  async #call(
    { api_base_url, instance, api_key }: EvolutionCredentials,
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    deadline_ms: number,
    signal?: AbortSignal,
  ): Promise<{ answer: Exchange; body: unknown }> {
    const answer = await exchange(this.#dispatcher, {
      method,
      url: `${api_base_url.replace(/\/+$/, '')}/${path}/${encodeURIComponent(instance)}`,
      headers: {
        apikey: api_key,
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
