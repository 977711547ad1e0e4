import { createHmac } from 'node:crypto'
import { secretBytes } from './secret.ts'

export type SignatureHeaders = {
  'X-Svc-Signature': string
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * The signatures over one body, sent at `timestamp` (Unix seconds): our own, keyed with the secret as text, and that of
 * Standard Webhooks (standardwebhooks.com), keyed with the bytes inside it. `event_id` is the same on every attempt.
 */
export function signatureHeaders(
  secret: string,
  event_id: string,
  timestamp: number,
  body: string | Uint8Array,
): SignatureHeaders {
  const own = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  const standard = createHmac('sha256', secretBytes(secret))
    .update(`${event_id}.${timestamp}.`)
    .update(body)
    .digest('base64')
  return {
    'X-Svc-Signature': `t=${timestamp},v1=${own}`,
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard}`,
  }
}
