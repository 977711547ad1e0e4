import type { Dispatcher } from 'undici'
import { now } from '../../../storage/mod.ts'
import { OutboundGuard } from '../../outbound/mod.ts'
import { createProviderAgent } from '../agent.ts'
import { ASK_DEADLINE_MS, doneAfter, isSuccess, SEND_DEADLINE_MS, UNREADABLE } from '../answer.ts'
import { callGraph, type GraphAnswer, type GraphCall } from '../graph/call.ts'
import { graphFailure } from '../graph/failure.ts'
import { isObject, type Json, textOf } from '../json.ts'
import type { Addressed, FetchLimits, Outcome, ReceivedFile, SendFailure, ThreadMove } from '../provider.ts'
import { directTo, fetchLink, unknownReference } from '../received_file.ts'
import { VERDICTS } from './failure.ts'
import type { PageCredentials, Platform } from './platform.ts'

export type PageClientOptions = {
  dispatcher?: Dispatcher
  /** Maximum milliseconds of a send. */
  deadline_ms?: number | undefined
  /** For files of people, whose addresses webhook calls name. */
  guard?: OutboundGuard | undefined
}

const READ_LIMIT = 65_536

/** Client of Meta's platform for pages. */
export class PageClient {
  readonly #platform: Platform
  readonly #dispatcher: Dispatcher
  readonly #links: Dispatcher
  readonly #deadline_ms: number

  constructor(platform: Platform, options: PageClientOptions = {}) {
    const { dispatcher, deadline_ms = SEND_DEADLINE_MS, guard = new OutboundGuard() } = options
    this.#platform = platform
    this.#dispatcher = dispatcher ?? createProviderAgent()
    this.#links = guard.createDispatcher()
    this.#deadline_ms = deadline_ms
  }

  async send(credentials: PageCredentials, request: Json, signal?: AbortSignal): Promise<Outcome> {
    const path = `${encodeURIComponent(credentials.account_id)}/messages`
    const deadline_ms = this.#deadline_ms
    const { answer, body } = await this.#call(credentials, {
      method: 'POST',
      path,
      body: request,
      deadline_ms,
      read_limit: READ_LIMIT,
      signal,
    })
    if (!isSuccess(answer.status)) return { failure: graphFailure(answer, body, VERDICTS, now()) }
    const taken_after = doneAfter(answer, now())
    const sent = isObject(body) ? textOf(body.message_id) : null
    if (sent !== null) return { sent, taken_after }
    // A reaction is not a message: its answer names only the person.
    if (isObject(body) && 'sender_action' in request && textOf(body.recipient_id) !== null)
      return { sent: '', taken_after }
    return { failure: UNREADABLE }
  }

  /** Changes the app that holds the conversation with a person. Never rejects, never tries again. */
  async moveThread(
    credentials: PageCredentials,
    { user_id }: Addressed,
    move: ThreadMove,
    signal: AbortSignal,
  ): Promise<{ done: true } | { failure: SendFailure }> {
    const { answer, body } = await this.#call(credentials, {
      method: 'POST',
      path: `${encodeURIComponent(credentials.account_id)}/${move.action}_thread_control`,
      body: { recipient: { id: user_id }, ...(move.action === 'pass' && { target_app_id: move.to }) },
      deadline_ms: ASK_DEADLINE_MS,
      read_limit: READ_LIMIT,
      signal,
    })
    return isSuccess(answer.status) ? { done: true } : { failure: graphFailure(answer, body, VERDICTS, now()) }
  }

  /** Checks whether the provider knows the account and takes the token. */
  async probe(credentials: PageCredentials): Promise<{ account: Json } | { failure: SendFailure }> {
    const path = `${encodeURIComponent(credentials.account_id)}?fields=${this.#platform.account_fields}`
    const limits = { deadline_ms: ASK_DEADLINE_MS, read_limit: READ_LIMIT }
    const { answer, body } = await this.#call(credentials, { method: 'GET', path, ...limits })
    if (!isSuccess(answer.status)) {
      return { failure: { ...graphFailure(answer, body, VERDICTS, now()), maybe_accepted: false } }
    }
    const other = isObject(body) ? textOf(body.user_id) : null
    if (other !== null && other !== credentials.account_id) return { failure: otherId(credentials.account_id, other) }
    if (isObject(body)) return { account: body }
    return { failure: { ...UNREADABLE, maybe_accepted: false } }
  }

  /** Begins to fetch the file of a person behind its address. Never rejects. */
  async fetchFile(credentials: PageCredentials, { url }: Json, limits: FetchLimits): Promise<ReceivedFile> {
    if (typeof url !== 'string') return unknownReference()
    const base_url = credentials.api_base_url ?? this.#platform.base_url
    return fetchLink(directTo(base_url, this.#dispatcher, this.#links), url, limits)
  }

  async close(): Promise<void> {
    await Promise.all([this.#dispatcher.destroy(), this.#links.destroy()])
  }

  #call({ access_token, api_base_url }: PageCredentials, call: GraphCall): Promise<GraphAnswer> {
    return callGraph(this.#dispatcher, { access_token, base_url: api_base_url ?? this.#platform.base_url }, call)
  }
}

/**
 * An account of Instagram has two ids, and answers to both. Webhook calls name the one of the professional account, so
 * nothing would arrive under the other one.
 */
function otherId(id: string, other: string): SendFailure {
  const message = `Instagram calls the webhook about the account ${other}: that is its account_id, not ${id}.`
  return { kind: 'disconnect', code: 'wrong_account_id', message, maybe_accepted: false }
}
