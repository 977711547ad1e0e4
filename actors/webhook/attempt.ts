import type { Dispatcher } from 'undici'
import { now } from '../../storage/mod.ts'
import { type Exchange, exchange, type OutboundGuard, retryAfter } from '../outbound/mod.ts'
import { excerptOf } from './excerpt.ts'
import { deliveryHeaders } from './headers.ts'
import { type FurtherSigners, signatureHeaders } from './signature.ts'

export type AttemptRequest = {
  url: string
  secret: string
  further_signers?: FurtherSigners | undefined
  /** Configured on the subscription. */
  headers: Record<string, string> | null
  event_id: string
  event_type: string
  delivery_id: string
  /** The request from which the event came. */
  request_id?: string | null | undefined
  /** W3C trace context, where traces are on. */
  traceparent?: string | undefined
  /** From 1. */
  attempt: number
  /** The envelope, in the form that the subscription wants. */
  body: string
  /** Default `application/json`. */
  content_type?: string | undefined
}

export type AttemptResult = {
  /** `success`: any 2xx. `final`: a 4xx other than 408 and 429, where repeating is useless. `retryable`: all others. */
  outcome: 'success' | 'retryable' | 'final'
  /** Null when there was no status line. */
  status_code: number | null
  duration_ms: number
  /** `http_<status>` or an `ExchangeError`, `tls_failed: <detail>` when the detail is known; null on success. */
  error: string | null
  /** Seconds the receiver asked to wait. */
  retry_after_s: number | undefined
  /** The beginning of the response; null when it was not readable. */
  excerpt: string | null
  /** Headers as sent, without the values of configured headers. */
  headers_sent: Record<string, string>
}

type Options = {
  guard: OutboundGuard
  /** Milliseconds from connecting to the last byte read. */
  deadline_ms?: number
  now?: () => number
}

const DEADLINE_MS = 15_000
const READ_LIMIT = 65_536

/** Makes single attempts at deliveries over one pool of connections. The caller decides on repeats. */
export class WebhookSender {
  readonly #dispatcher: Dispatcher
  readonly #deadline_ms: number
  readonly #now: () => number

  constructor({ guard, deadline_ms = DEADLINE_MS, now: clock = now }: Options) {
    this.#dispatcher = guard.createDispatcher()
    this.#deadline_ms = deadline_ms
    this.#now = clock
  }

  /**
   * Makes one POST, once: the receiver sees each attempt number at most once. Never rejects, and resolves within the
   * deadline. An abort by `signal` is a retryable `aborted`.
   */
  async attempt(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptResult> {
    const { url, secret, further_signers, event_id } = request
    // Bytes, because three readers follow: two signatures and the socket.
    const body = Buffer.from(request.body)
    const timestamp = Math.floor(this.#now() / 1_000)
    const signatures = signatureHeaders(secret, event_id, timestamp, body, further_signers)
    const { sent, visible } = deliveryHeaders(request, signatures)
    const deadline_ms = this.#deadline_ms
    const call = { url, method: 'POST', headers: sent, body, deadline_ms, read_limit: READ_LIMIT, signal } as const
    return { ...this.#judge(await exchange(this.#dispatcher, call)), headers_sent: visible }
  }

  /** Aborts attempts under way: they resolve as `aborted`. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }

  /** A status that arrived in time decides, even when the body fails after it. */
  #judge(answer: Exchange): Omit<AttemptResult, 'headers_sent'> {
    const { status, headers, body, duration_ms } = answer
    const outcome = outcomeOf(status)
    return {
      outcome,
      status_code: status,
      duration_ms,
      error: outcome === 'success' ? null : errorOf(answer),
      retry_after_s: outcome === 'retryable' ? retryAfter(headers['retry-after'], this.#now()) : undefined,
      excerpt: status === null ? null : excerptOf(body, headers['content-encoding']),
    }
  }
}

function errorOf({ status, error, error_detail }: Exchange): string | null {
  if (status !== null) return `http_${status}`
  return error_detail === null ? error : `${error}: ${error_detail}`
}

function outcomeOf(status: number | null): AttemptResult['outcome'] {
  if (status === null) return 'retryable'
  if (status >= 200 && status < 300) return 'success'
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return 'final'
  return 'retryable'
}
