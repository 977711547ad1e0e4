import { createHmac, type KeyObject, sign } from 'node:crypto'
import { secretBytes } from './secret.ts'

/** Secrets and keys that sign in addition to the secret. */
export type FurtherSigners = {
  /** Former secrets that are still accepted. */
  secrets: readonly string[]
  /** Private Ed25519 keys. */
  keys: readonly KeyObject[]
}

export type SignatureHeaders = {
  'X-Svc-Signature': string
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * The signatures over one body, sent at `timestamp` (Unix seconds): our own, keyed with the secret as text, and that of
 * Standard Webhooks (standardwebhooks.com), keyed with the bytes inside it. `event_id` is the same on every attempt.
 * Each further secret adds a `v1` to both, and each key a `v1a` to the second.
 */
export function signatureHeaders(
  secret: string,
  event_id: string,
  timestamp: number,
  body: string | Uint8Array,
  further?: FurtherSigners,
): SignatureHeaders {
  let own = `t=${timestamp},v1=${ownSignature(secret, timestamp, body)}`
  let standard = `v1,${standardSignature(secret, event_id, timestamp, body)}`
  for (const former of further?.secrets ?? []) {
    own += `,v1=${ownSignature(former, timestamp, body)}`
    standard += ` v1,${standardSignature(former, event_id, timestamp, body)}`
  }
  if (further && further.keys.length > 0) {
    const signed = Buffer.concat([Buffer.from(`${event_id}.${timestamp}.`), Buffer.from(body)])
    for (const key of further.keys) standard += ` v1a,${sign(null, signed, key).toString('base64')}`
  }
  return {
    'X-Svc-Signature': own,
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard,
  }
}

function ownSignature(secret: string, timestamp: number, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

function standardSignature(secret: string, event_id: string, timestamp: number, body: string | Uint8Array): string {
  return createHmac('sha256', secretBytes(secret)).update(`${event_id}.${timestamp}.`).update(body).digest('base64')
}
