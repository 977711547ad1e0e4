/** Webhooks in words. No DOM. */

import type { Fault } from '../records/fault.ts'
import type { Delivery, DeliveryStatus, Webhook } from '../records/webhook.ts'

/** Deliveries in a row that have to fail before a subscription is disabled. */
const MAX_FAILURES = 50

/** The state of a subscription: a class for its color, a word, and a sentence. */
export function stateOf({ is_active, disabled_reason, failure_count, last_error, mode }: Webhook): {
  style: string
  word: string
  text: string
} {
  if (!is_active) return { style: 'failed', word: 'Disabled', text: reasonText(disabled_reason) }
  if (failure_count > 0) {
    const text = `${failure_count} of ${MAX_FAILURES} deliveries in a row have failed for good. At ${MAX_FAILURES} it is disabled.`
    return { style: 'cancelled', word: 'Failing', text }
  }
  if (last_error !== null) {
    return { style: 'cancelled', word: 'Failing', text: `The last delivery failed. ${failureText(last_error)}` }
  }
  const text = mode === 'poll' ? 'The receiver fetches its events.' : 'Events are sent as they happen.'
  return { style: 'completed', word: 'Active', text }
}

function reasonText(reason: string | null) {
  if (reason === 'excessive_failures') {
    return `${MAX_FAILURES} deliveries in a row failed. Events are not sent until it is enabled; those since then are not sent later.`
  }
  if (reason === 'receiver_gone')
    return 'The receiver answered with 410: it is gone. Events are not sent until it is enabled.'
  return 'Events are not sent until it is enabled; those that happen meanwhile are not sent later.'
}

/** The status of a delivery. */
export function deliveryState({ status, next_attempt_at }: Pick<Delivery, 'status' | 'next_attempt_at'>): {
  style: string
  word: string
} {
  if (status === 'success') return { style: 'completed', word: 'Delivered' }
  if (status === 'dead') return { style: 'failed', word: 'Dead' }
  if (status === 'failed' && next_attempt_at !== null) return { style: 'cancelled', word: 'Will retry' }
  return status === 'failed' ? { style: 'failed', word: 'Failed' } : { style: 'sending', word: 'Pending' }
}

export const STATUS_WORDS: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  success: 'Delivered',
  failed: 'Failed',
  dead: 'Dead',
}

const ERRORS: Partial<Record<string, string>> = {
  address_forbidden: 'The name or address is not public.',
  name_not_resolved: 'The name has no address in the DNS.',
  connection_refused: 'No program listens there.',
  connection_failed: 'There is no route to the receiver.',
  connection_reset: 'The receiver closed the connection without an answer.',
  proxy_failed: 'The proxy of this installation failed, not the receiver.',
  timeout: 'No answer within 15 seconds.',
  invalid_response: 'The answer is not valid HTTP.',
  invalid_request: 'The request is not valid HTTP.',
  aborted: 'Parley was stopping; the attempt is repeated.',
  subscription_disabled: 'The subscription was disabled or deleted before.',
  event_expired: 'The event was deleted before it could be delivered.',
}

/** `38 ms`, `1.2 s`: the duration of a request. */
export function tookText(ms: number) {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Why a delivery or an attempt failed. */
export function failureText(error: string | null) {
  if (error === null) return ''
  const status = /^http_(\d+)$/.exec(error)?.[1]
  if (status) return `The receiver answered with ${status}.`
  const tls = /^tls_failed: ?(.*)$/.exec(error)?.[1]
  if (tls !== undefined) return `The certificate was not accepted: ${tls}.`
  return ERRORS[error] ?? error
}

/** The reasons of a refusal by the field that they are about: `events[0]` is about `events`. */
export function fieldFaults(fault: Fault | null): Record<string, string> {
  const details = (fault as { details?: { violations?: { path: string; message: string }[] } } | null)?.details
  const found: Record<string, string> = {}
  for (const { path, message } of details?.violations ?? []) {
    const [field = '', ...rest] = path.split(/[.[\]]/).filter(Boolean)
    const text = rest.length > 0 ? `${rest.join('.')} ${message}` : `It ${message}.`
    found[field] ??= field === 'headers' ? text : `It ${message}.`
  }
  return found
}
